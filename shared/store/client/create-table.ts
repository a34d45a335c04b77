import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndexDescription,
  type KeySchemaElement,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import type { createTableInput } from './create-table-input.ts';

type Table = {
  readonly KeySchema?: readonly KeySchemaElement[] | undefined;
  readonly AttributeDefinitions?: readonly AttributeDefinition[] | undefined;
  readonly GlobalSecondaryIndexes?: readonly GlobalSecondaryIndexDescription[] | undefined;
};

const sorted = <Item>(items: readonly Item[] | undefined, nameOf: (item: Item) => string | undefined) =>
  [...(items ?? [])].sort((a, b) => String(nameOf(a)).localeCompare(String(nameOf(b))));

// What makes two tables the same for the service, without the counts, states and order that a database adds.
const shapeOf = ({ KeySchema, AttributeDefinitions, GlobalSecondaryIndexes }: Table) => ({
  keys: sorted(KeySchema, ({ KeyType }) => KeyType),
  types: sorted(AttributeDefinitions, ({ AttributeName }) => AttributeName),
  indexes: sorted(GlobalSecondaryIndexes, ({ IndexName }) => IndexName).map((index) => ({
    name: index.IndexName,
    keys: sorted(index.KeySchema, ({ KeyType }) => KeyType),
    projection: index.Projection?.ProjectionType,
    carries: [...(index.Projection?.NonKeyAttributes ?? [])].sort(),
  })),
});

/**
 * Make one table, or find that it is there, or that another of its name is there.
 *
 * An emulator keeps tables between runs, and an older release of the service may have made them.
 */
export const createTable = async (
  client: DynamoDBClient,
  input: ReturnType<typeof createTableInput>,
): Promise<'made' | 'was there' | 'differs'> => {
  try {
    await client.send(new CreateTableCommand(input));
    return 'made';
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  const { Table: existing = {} } = await client.send(new DescribeTableCommand({ TableName: input.TableName }));
  return isDeepStrictEqual(shapeOf(existing), shapeOf(input)) ? 'was there' : 'differs';
};
