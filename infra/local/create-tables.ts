import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createTable, createTableInput } from '../../shared/store/client/create-table.ts';
import { tables } from '../../shared/store/table-definitions.ts';
import { SetupError } from './setup-error.ts';

/** Create the tables that are missing; one that is there must be as it is defined now. */
export const createTables = async (client: DynamoDBClient): Promise<void> => {
  for (const [table, definition] of Object.entries(tables)) {
    // As shared/config/environment.ts names them, which must not be imported before its variables are set.
    const name = process.env[`TABLE_${table.toUpperCase()}`] || table;
    if ((await createTable(client, createTableInput(name, definition))) === 'differs')
      throw new SetupError(
        `The stored table ${name} is of another version of the service: set DATA_DIR to a new folder, or delete the old one.`,
      );
  }
};
