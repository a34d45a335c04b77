import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type GlobalSecondaryIndexDescription,
  type KeySchemaElement,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { environment } from '../config/environment.ts';
import { createTableInput } from '../store/create-table-input.ts';
import { type TableName, tables } from '../store/table-definitions.ts';

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

/** Make one table. One that exists already must be as it is defined now. */
export const createTable = async (
  client: DynamoDBClient,
  input: ReturnType<typeof createTableInput>,
): Promise<'made' | 'was there'> => {
  try {
    await client.send(new CreateTableCommand(input));
    return 'made';
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  const { Table: existing = {} } = await client.send(new DescribeTableCommand({ TableName: input.TableName }));
  if (!isDeepStrictEqual(shapeOf(existing), shapeOf(input))) {
    throw new Error(
      `The table ${input.TableName} exists, but not as it is defined now. Delete it, and run this again.`,
    );
  }
  return 'was there';
};

const main = async (endpoint: string | undefined): Promise<void> => {
  if (!endpoint) throw new Error('Set DYNAMODB_ENDPOINT to an emulator. Deployed tables are made by `npm run deploy`.');
  // An emulator wants credentials and looks at none; the operator's own stay out of it.
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: environment.region, credentials, maxAttempts: 1 });
  for (const [name, definition] of Object.entries(tables)) {
    const tableName = environment.tables[name as TableName];
    console.log(`${tableName}: ${await createTable(client, createTableInput(tableName, definition))}`);
  }
};

if (import.meta.main) {
  try {
    await main(environment.dynamodbEndpoint);
  } catch (error) {
    console.error(error instanceof Error ? error.message || error.name : error);
    process.exitCode = 1;
  }
}
