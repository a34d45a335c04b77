import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key as EncryptionKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { assert } from '../shared/base/assert.ts';
import {
  type Index,
  type IndexName,
  type TableDefinition,
  type TableName,
  tables,
} from '../shared/store/table-definitions.ts';
import { allowing, fixLogicalId, pascalCase } from './constructs.ts';
import type { Settings } from './settings.ts';

const names = Object.keys(tables) as TableName[];

const attribute = (name: string) => ({ name, type: dynamodb.AttributeType.STRING });

const indexProps = ({ name, partition, sort, include }: Index) => ({
  indexName: name,
  partitionKey: attribute(partition),
  sortKey: attribute(sort),
  // DynamoDB rejects an INCLUDE projection without attributes.
  ...(include.length > 0
    ? { projectionType: dynamodb.ProjectionType.INCLUDE, nonKeyAttributes: [...include] }
    : { projectionType: dynamodb.ProjectionType.KEYS_ONLY }),
});

/** Returns the name of a table in the template. */
export const tableId = (name: string): string => `${pascalCase(name)}Table`;

/** The tables of table-definitions.ts. */
export class Tables extends Construct {
  readonly #byName: Readonly<Record<TableName, dynamodb.TableV2>>;
  readonly #settings: Settings;
  /** The customer-managed key, for which users of a table need permission; `null` without one. */
  readonly key: EncryptionKey | null;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.#settings = settings;
    this.key = settings.encryption === 'customer-managed' ? this.#dataKey() : null;
    this.#byName = Object.fromEntries(names.map((name) => [name, this.#add(name)])) as Record<
      TableName,
      dynamodb.TableV2
    >;
  }

  /** Name that the table gets at deployment. */
  getName(table: TableName): string {
    return this.#byName[table].tableName;
  }

  /** Names of all tables, and of their indexes with the tables. */
  get names(): readonly string[] {
    return names.map((name) => this.getName(name));
  }

  get indexes(): readonly (readonly [table: string, index: string])[] {
    return names.flatMap((name) => {
      const { indexes = [] }: TableDefinition = tables[name];
      return indexes.map((index) => [this.getName(name), index.name] as const);
    });
  }

  getArn(table: TableName): string {
    return this.#byName[table].tableArn;
  }

  /** Returns the ARN of one index: `grantReadData` would grant `index/*` and every read action. */
  getIndexArn(index: IndexName): string {
    return `${this.getArn('transactions')}/index/${index}`;
  }

  get streamArn(): string {
    const { tableStreamArn } = this.#byName.transactions;
    assert(tableStreamArn !== undefined, "The ledger's table has no stream.");
    return tableStreamArn;
  }

  /**
   * Key permissions that DynamoDB needs to read or write a table for a caller (documented list), without the grants
   * that only the creator of a table needs. They apply only through DynamoDB. Empty without a customer-managed key.
   */
  useOfKey(): PolicyStatement[] {
    if (!this.key) return [];
    const actions = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'];
    const viaDynamo = { 'kms:ViaService': `dynamodb.${Stack.of(this).region}.amazonaws.com` };
    return [allowing('kms', actions, [this.key.keyArn], { StringEquals: viaDynamo })];
  }

  /** The tables whose data cannot be recreated. */
  get kept(): readonly dynamodb.TableV2[] {
    return names.filter((name) => tables[name].keep).map((name) => this.#byName[name]);
  }

  #dataKey(): EncryptionKey {
    const { name, removal } = this.#settings;
    const key = new EncryptionKey(this, 'Key', {
      description: `The tables of ${name} and their backups`,
      enableKeyRotation: true,
      // Without the key, retained tables cannot be read.
      removalPolicy: removal === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    return fixLogicalId(key, 'DataKey');
  }

  #add(name: TableName): dynamodb.TableV2 {
    const { partition, sort, ttl, indexes = [], keep: isKept }: TableDefinition = tables[name];
    const keep = isKept && this.#settings.removal === 'retain';
    const table = new dynamodb.TableV2(this, name, {
      partitionKey: attribute(partition),
      sortKey: attribute(sort),
      ...(ttl && { timeToLiveAttribute: ttl }),
      globalSecondaryIndexes: indexes.map(indexProps),
      // The stream is free until it is read. A replica in another region would require both images.
      ...(name === 'transactions' && { dynamoStream: dynamodb.StreamViewType.NEW_AND_OLD_IMAGES }),
      billing: dynamodb.Billing.onDemand(),
      encryption: dynamodb.TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: keep,
      // RETAIN even after a failed first deployment: its rollback could not delete a protected table.
      removalPolicy: keep ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // Independent of the construct's path: moving this code must not replace the ledger with an empty table.
    fixLogicalId(table, tableId(name));
    const resource = table.node.defaultChild as dynamodb.CfnGlobalTable;
    if (this.key) {
      // The construct accepts a key only for a known region, and this template is for any.
      resource.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
      resource.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: this.key.keyArn });
    }
    return table;
  }
}
