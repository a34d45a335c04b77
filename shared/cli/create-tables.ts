/** `npm run tables`: create the tables in an emulator. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Command } from 'commander';
import { environment } from '../config/environment.ts';
import { createTable, createTableInput } from '../store/client/create-table.ts';
import { type TableName, tables } from '../store/table-definitions.ts';
import { CommandError, runCommand } from './terminal/run-command.ts';

const createAll = async (): Promise<void> => {
  const { dynamodbEndpoint: endpoint, region } = environment;
  if (!endpoint)
    throw new CommandError('Set DYNAMODB_ENDPOINT to an emulator. `npm run deploy` creates deployed tables.');
  const client = new DynamoDBClient({ endpoint, region, maxAttempts: 1 });
  for (const [name, definition] of Object.entries(tables)) {
    const tableName = environment.tables[name as TableName];
    const outcome = await createTable(client, createTableInput(tableName, definition));
    if (outcome === 'differs')
      throw new CommandError(`${tableName} exists with a different definition. Delete it and run this command again.`);
    console.log(`${tableName}: ${outcome}`);
  }
};

await runCommand(new Command('tables').description('Create the missing tables in an emulator.').action(createAll));
