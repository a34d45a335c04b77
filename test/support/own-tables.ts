import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { vi } from 'vitest';

/**
 * Gives a test file its own tables, because it reads every item of a table: the items of other files would take
 * minutes. Call it in `vi.hoisted`, before the modules that read the names of tables.
 */
export const useOwnTables = async (): Promise<void> => {
  for (const table of ['transactions', 'accounts'])
    process.env[`TABLE_${table.toUpperCase()}`] = `${table}_${crypto.randomUUID()}`;
  vi.resetModules();
  const { createTables } = await import('../../infra/local/create-tables.ts');
  await createTables(new DynamoDBClient({ endpoint: process.env['DYNAMODB_ENDPOINT'] as string }));
};
