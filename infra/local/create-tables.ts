import { isDeepStrictEqual } from 'node:util';
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { createTableInput } from '../../shared/store/create-table-input.ts';
import { type TableDefinition, type TableName, tables } from '../../shared/store/table-definitions.ts';
import { SetupError } from './setup-error.ts';

type Named = { readonly AttributeName?: string | undefined };
type Shape = {
  readonly KeySchema?: readonly Named[] | undefined;
  readonly AttributeDefinitions?: readonly Named[] | undefined;
  readonly GlobalSecondaryIndexes?: readonly object[] | undefined;
};

const sortedBy = <Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item[] =>
  [...items].sort((a, b) => String(keyOf(a)).localeCompare(String(keyOf(b))));

const indexShape = (index: object) => {
  const { IndexName, KeySchema, Projection } = index as {
    IndexName?: string;
    KeySchema?: object;
    Projection?: { ProjectionType?: string; NonKeyAttributes?: readonly string[] };
  };
  const carried = [...(Projection?.NonKeyAttributes ?? [])].sort();
  return { IndexName, KeySchema, type: Projection?.ProjectionType, carried };
};

// What both sides have; an emulator adds counts, states and its own order.
const shapeOf = ({ KeySchema = [], AttributeDefinitions = [], GlobalSecondaryIndexes = [] }: Shape) => ({
  keys: KeySchema,
  attributes: sortedBy(AttributeDefinitions, ({ AttributeName }) => AttributeName),
  indexes: sortedBy(GlobalSecondaryIndexes.map(indexShape), ({ IndexName }) => IndexName),
});

const createTable = async (client: DynamoDBClient, table: TableName, definition: TableDefinition): Promise<void> => {
  // As shared/config/environment.ts names them, which must not be imported before its variables are set.
  const name = process.env[`TABLE_${table.toUpperCase()}`] || table;
  const input = createTableInput(name, definition);
  try {
    await client.send(new CreateTableCommand(input));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName: name }));
    if (!isDeepStrictEqual(shapeOf(Table), shapeOf(input)))
      throw new SetupError(
        `The stored table ${name} is of another version of the service: set DATA_DIR to a new folder, or delete the old one.`,
      );
  }
};

/** Create the tables that are missing; one that is there must be as it is defined now. */
export const createTables = async (client: DynamoDBClient): Promise<void> => {
  for (const [name, definition] of Object.entries(tables) as [TableName, TableDefinition][])
    await createTable(client, name, definition);
};
