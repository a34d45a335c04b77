import { type CreateTableCommandInput, type KeySchemaElement, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import type { Key } from '../../../shared/store/table-definitions.ts';
import type { Database } from './database.ts';
import { invalid, noSuchTable } from './exceptions.ts';
import { Table } from './table.ts';

const key = (schema: readonly KeySchemaElement[] | undefined, type: 'HASH' | 'RANGE'): Key => {
  const name = schema?.find(({ KeyType }) => KeyType === type)?.AttributeName;
  if (name === undefined) throw invalid('Every table and index must have a partition key and a sort key.');
  return { name, type: 'S' };
};
const readKeys = (schema: readonly KeySchemaElement[] | undefined) => ({
  partition: key(schema, 'HASH'),
  sort: key(schema, 'RANGE'),
});

/** Build the empty table that a CreateTable call describes. */
export const tableFrom = (input: CreateTableCommandInput): Table => {
  const { TableName, KeySchema, AttributeDefinitions = [], GlobalSecondaryIndexes = [] } = input;
  if (!TableName) throw invalid('The parameter TableName is required but was not present in the request');
  if (AttributeDefinitions.some(({ AttributeType }) => AttributeType !== 'S')) throw invalid('Keys must be strings.');
  return new Table(TableName, {
    ...readKeys(KeySchema),
    keep: false,
    indexes: GlobalSecondaryIndexes.map((index) => ({
      name: index.IndexName ?? '',
      ...readKeys(index.KeySchema),
      include: index.Projection?.NonKeyAttributes ?? [],
    })),
  });
};

/** CreateTable, DescribeTable, ListTables. Answers nothing for another operation. */
export const tableCall = (
  database: Database,
  descriptions: Map<string, CreateTableCommandInput>,
  operation: string,
  input: Partial<CreateTableCommandInput>,
): object | undefined => {
  const { TableName = '' } = input;
  if (operation === 'ListTables') return { TableNames: [...database.tables.keys()].sort() };
  if (operation === 'CreateTable') {
    if (database.tables.has(TableName))
      throw new ResourceInUseException({ message: `Table already exists: ${TableName}`, $metadata: {} });
    database.tables.set(TableName, tableFrom(input as CreateTableCommandInput));
    descriptions.set(TableName, input as CreateTableCommandInput);
    return { TableDescription: { ...input, TableStatus: 'ACTIVE' } };
  }
  if (operation !== 'DescribeTable') return undefined;
  if (!descriptions.has(TableName)) throw noSuchTable(TableName);
  return { Table: { ...descriptions.get(TableName), TableStatus: 'ACTIVE' } };
};
