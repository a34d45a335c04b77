import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createTable, createTableInput } from '../../shared/store/client/create-table.ts';
import { tables } from '../../shared/store/table-definitions.ts';
import { SetupError } from './setup-error.ts';

/** Create the missing tables. Throws if an existing table does not match its current definition. */
export const createTables = async (client: DynamoDBClient): Promise<void> => {
  for (const [table, definition] of Object.entries(tables)) {
    // The names in shared/config/environment.ts, which must not be imported before its variables are set.
    const name = process.env[`TABLE_${table.toUpperCase()}`] || table;
    if ((await createTable(client, createTableInput(name, definition))) === 'differs')
      throw new SetupError(
        `The stored table ${name} was created by another version of Levy: set DATA_DIR to a new folder, or delete the old one.`,
      );
  }
};
