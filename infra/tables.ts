import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Key as EncryptionKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import {
  type Index,
  type IndexName,
  type Key,
  type TableDefinition,
  type TableName,
  tables,
} from '../shared/store/table-definitions.ts';
import { dataKey } from './data-key.ts';
import { pascalCase } from './logical-id.ts';
import type { Settings } from './settings.ts';

type Props = { readonly settings: Settings };

const attribute = ({ name }: Key) => ({ name, type: AttributeType.STRING });

const indexProps = ({ name, partition, sort, include }: Index) => ({
  indexName: name,
  partitionKey: attribute(partition),
  sortKey: attribute(sort),
  // DynamoDB refuses an INCLUDE that includes nothing.
  ...(include.length > 0
    ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...include] }
    : { projectionType: ProjectionType.KEYS_ONLY }),
});

/** The name of a table in the template. */
export const tableId = (name: string): string => `${pascalCase(name)}Table`;

/** The tables of table-definitions.ts. */
export class Tables extends Construct {
  readonly #byName: Readonly<Record<TableName, TableV2>>;
  readonly #settings: Settings;
  /** The key of the deployment's own, which who uses a table must be allowed to use as well. */
  readonly key: EncryptionKey | null;

  constructor(scope: Construct, id: string, { settings }: Props) {
    super(scope, id);
    this.#settings = settings;
    this.key = dataKey(this, settings);
    this.#byName = {
      transactions: this.#add('transactions'),
      content: this.#add('content'),
      accounts: this.#add('accounts'),
    };
  }

  /** The name that the table gets when it is deployed. */
  nameOf(table: TableName): string {
    return this.#byName[table].tableName;
  }

  arnOf(table: TableName): string {
    return this.#byName[table].tableArn;
  }

  /** `grantReadData` would say `index/*`, and on every action. */
  indexArnOf(table: TableName, index: IndexName): string {
    return `${this.arnOf(table)}/index/${index}`;
  }

  /** The stream of the ledger's table: every change of an item, for a day. */
  get streamArn(): string {
    const { tableStreamArn } = this.#byName.transactions;
    if (!tableStreamArn) throw new Error("The ledger's table has no stream.");
    return tableStreamArn;
  }

  /** The tables whose data cannot be recreated. */
  get kept(): readonly TableV2[] {
    return (Object.keys(tables) as TableName[]).filter((name) => tables[name].keep).map((name) => this.#byName[name]);
  }

  #add(name: TableName): TableV2 {
    const { partition, sort, ttl, indexes = [], keep: isKept }: TableDefinition = tables[name];
    const keep = isKept && this.#settings.removal === 'retain';
    const table = new TableV2(this, name, {
      partitionKey: attribute(partition),
      sortKey: attribute(sort),
      ...(ttl && { timeToLiveAttribute: ttl }),
      globalSecondaryIndexes: indexes.map(indexProps),
      // Costs nothing unless it is read. Both images, because a replica in another region would ask for them.
      ...(name === 'transactions' && { dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES }),
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: keep,
      // Retained after a failed first deployment, too: what refuses to be deleted would fail the way back.
      removalPolicy: keep ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // Never derived from the construct's path: moving this code must not replace the ledger by an empty table.
    const resource = table.node.defaultChild as CfnGlobalTable;
    resource.overrideLogicalId(tableId(name));
    if (this.key) {
      // The construct takes a key only where the region is known, and this template is for any.
      resource.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
      resource.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: this.key.keyArn });
    }
    return table;
  }
}
