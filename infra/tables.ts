import { type CfnElement, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import {
  type Index,
  type IndexName,
  type Key,
  type TableDefinition,
  type TableName,
  tables,
} from '../shared/store/table-definitions.ts';
import { pascalCase } from './pascal-case.ts';

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

/** The tables of table-definitions.ts. */
export class Tables extends Construct {
  readonly #byName: Readonly<Record<TableName, TableV2>>;

  constructor(scope: Construct, id: string) {
    super(scope, id);
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

  #add(name: TableName): TableV2 {
    const { partition, sort, ttl, indexes = [], keep }: TableDefinition = tables[name];
    const table = new TableV2(this, name, {
      partitionKey: attribute(partition),
      sortKey: attribute(sort),
      ...(ttl && { timeToLiveAttribute: ttl }),
      globalSecondaryIndexes: indexes.map(indexProps),
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: keep,
      removalPolicy: keep ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // Never derived from the construct's path: moving this code must not replace the ledger by an empty table.
    (table.node.defaultChild as CfnElement).overrideLogicalId(`${pascalCase(name)}Table`);
    return table;
  }
}
