import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { expect } from 'vitest';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';

type Options = {
  /** Includes the accounts table calls for the caller's key, account and rate limit window. */
  readonly accounts?: boolean;
};

/**
 * Runs a function that must succeed. Returns its database calls by command name, including rejected calls, and their
 * capacity units: of the table, of its transactional writes, and of each index.
 */
export const used = async (run: () => Promise<unknown>, { accounts = false }: Options = {}) => {
  const seen = { calls: [] as string[], table: 0, writes: 0, indexes: {} as Record<string, number> };
  database.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (sent) => {
        const input = sent.input as { TableName?: string };
        if (!accounts && input.TableName === environment.tables.accounts) return next(sent);
        seen.calls.push(commandName.replace('Command', ''));
        const response = await next({
          ...sent,
          input: { ...input, ReturnConsumedCapacity: 'INDEXES' } as typeof sent.input,
        });
        const { ConsumedCapacity: consumed = [] } = response.output as { ConsumedCapacity?: ConsumedCapacity[] };
        for (const { Table, GlobalSecondaryIndexes = {} } of [consumed].flat()) {
          const units = Table?.CapacityUnits ?? 0;
          seen.table += units;
          if (commandName.startsWith('TransactWrite')) seen.writes += units;
          for (const [name, { CapacityUnits = 0 }] of Object.entries(GlobalSecondaryIndexes))
            if (CapacityUnits > 0) seen.indexes[name] = (seen.indexes[name] ?? 0) + CapacityUnits;
        }
        return response;
      },
    { step: 'initialize', name: 'count', priority: 'high' },
  );
  try {
    const response = (await run()) as { readonly status?: unknown } | undefined;
    if (typeof response?.status === 'number') expect(response.status).toBeLessThan(300);
    return seen;
  } finally {
    database.middlewareStack.remove('count');
  }
};

export const recordCalls = async (run: () => Promise<unknown>): Promise<string[]> => (await used(run)).calls;

/** Counts the calls of each command. */
export const callCounts = async (run: () => Promise<unknown>, options?: Options): Promise<Record<string, number>> => {
  const { calls } = await used(run, options);
  return Object.fromEntries([...Map.groupBy(calls, (name) => name)].map(([name, all]) => [name, all.length]).sort());
};
