import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { environment } from '../config/environment.ts';
import { createTable, createTableInput } from '../store/client/create-table.ts';
import { type TableName, tables } from '../store/table-definitions.ts';

const main = async (endpoint: string | undefined): Promise<void> => {
  if (!endpoint) throw new Error('Set DYNAMODB_ENDPOINT to an emulator. `npm run deploy` creates deployed tables.');
  // An emulator needs any credentials. Do not send it the operator's own.
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: environment.region, credentials, maxAttempts: 1 });
  for (const [name, definition] of Object.entries(tables)) {
    const tableName = environment.tables[name as TableName];
    const outcome = await createTable(client, createTableInput(tableName, definition));
    if (outcome === 'differs')
      throw new Error(`The table ${tableName} exists with another definition. Delete it and run this command again.`);
    console.log(`${tableName}: ${outcome}`);
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
