import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndexDescription,
  type KeySchemaElement,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import type { Index, TableDefinition } from '../table-definitions.ts';

const keySchema = ({ partition, sort }: Pick<Index, 'partition' | 'sort'>) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
];

const indexInput = (index: Index) => ({
  IndexName: index.name,
  KeySchema: keySchema(index),
  // DynamoDB rejects INCLUDE without attributes.
  Projection:
    index.include.length > 0
      ? { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...index.include] }
      : { ProjectionType: 'KEYS_ONLY' as const },
});

/**
 * Returns the CreateTable input of a table, for an emulator. The CDK app creates the deployed tables.
 *
 * Omits the TTL: the service does not depend on deletions, and an emulator uses the wall clock instead of the service's
 * clock.
 */
export const createTableInput = (tableName: string, definition: TableDefinition) => {
  const indexes = definition.indexes ?? [];
  // List each attribute once: several indexes share a partition key.
  const keys = new Set([definition, ...indexes].flatMap(({ partition, sort }) => [partition, sort]));
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(definition),
    AttributeDefinitions: [...keys].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes.map(indexInput) }),
  } satisfies CreateTableCommandInput;
};

type Table = {
  readonly KeySchema?: readonly KeySchemaElement[] | undefined;
  readonly AttributeDefinitions?: readonly AttributeDefinition[] | undefined;
  readonly GlobalSecondaryIndexes?: readonly GlobalSecondaryIndexDescription[] | undefined;
};

const sorted = <Item>(items: readonly Item[] | undefined, getName: (item: Item) => string | undefined) =>
  [...(items ?? [])].sort((a, b) => String(getName(a)).localeCompare(String(getName(b))));

// Returns the parts of a table that the service depends on, without the counts, states and order that a database adds.
const tableShape = ({ KeySchema, AttributeDefinitions, GlobalSecondaryIndexes }: Table) => ({
  keys: sorted(KeySchema, ({ KeyType }) => KeyType),
  types: sorted(AttributeDefinitions, ({ AttributeName }) => AttributeName),
  indexes: sorted(GlobalSecondaryIndexes, ({ IndexName }) => IndexName).map((index) => ({
    name: index.IndexName,
    keys: sorted(index.KeySchema, ({ KeyType }) => KeyType),
    projection: index.Projection?.ProjectionType,
    include: [...(index.Projection?.NonKeyAttributes ?? [])].sort(),
  })),
});

/**
 * Creates a table, or compares an existing table of that name with the definition.
 *
 * An emulator keeps tables between runs, so an older release of the service may have created them.
 */
export const createTable = async (
  client: DynamoDBClient,
  input: ReturnType<typeof createTableInput>,
): Promise<'created' | 'exists' | 'differs'> => {
  try {
    await client.send(new CreateTableCommand(input));
    return 'created';
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  const { Table: existing = {} } = await client.send(new DescribeTableCommand({ TableName: input.TableName }));
  return isDeepStrictEqual(tableShape(existing), tableShape(input)) ? 'exists' : 'differs';
};
