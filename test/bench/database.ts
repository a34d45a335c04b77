import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { database } from '../../shared/store/client/client.ts';

/** Database calls, and capacity units including indexes. */
export type Use = {
  reads: number;
  writes: number;
  readUnits: number;
  writeUnits: number;
  /** The write units of index rows, which are part of `writeUnits`. */
  indexWriteUnits: number;
};

/** Counts the database calls and capacity units of `run`, which receives the counts so far. */
export const countDatabaseUse = async (run: (used: Readonly<Use>) => Promise<unknown>): Promise<Use> => {
  const used: Use = { reads: 0, writes: 0, readUnits: 0, writeUnits: 0, indexWriteUnits: 0 };
  database.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (sent) => {
        const input: typeof sent.input = Object.assign(sent.input, { ReturnConsumedCapacity: 'INDEXES' });
        const response = await next({ ...sent, input });
        const { ConsumedCapacity: consumed = [] } = response.output as { ConsumedCapacity?: ConsumedCapacity[] };
        const kind = /^(Get|BatchGet|Query)/.test(commandName) ? 'read' : 'write';
        used[`${kind}s`] += 1;
        for (const { CapacityUnits = 0, GlobalSecondaryIndexes = {} } of [consumed].flat()) {
          used[`${kind}Units`] += CapacityUnits;
          if (kind === 'write')
            for (const index of Object.values(GlobalSecondaryIndexes)) used.indexWriteUnits += index.CapacityUnits ?? 0;
        }
        return response;
      },
    { step: 'initialize', name: 'meter' },
  );
  await run(used).finally(() => database.middlewareStack.remove('meter'));
  return used;
};

const batch = 25;
const writers = 4;
const attempts = 20;

/** Retries until the attempt returns `true`, even after timeouts of a busy emulator. */
export const retryTimeouts = async (attempt: () => Promise<boolean>): Promise<void> => {
  for (let left = attempts; left > 0; left -= 1) {
    try {
      if (await attempt()) return;
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
    }
  }
  throw new Error('The database is too busy for a bench.');
};

/** Writes `count` items to a table. Each item is created only when it is written. */
export const putItems = async (
  table: string,
  count: number,
  getItem: (index: number) => Readonly<Record<string, unknown>>,
): Promise<void> => {
  let next = 0;
  const work = async () => {
    while (next < count) {
      const from = next;
      next += batch;
      const indexes = Array.from({ length: Math.min(batch, count - from) }, (_, at) => from + at);
      const TransactItems = indexes.map((index) => ({ Put: { TableName: table, Item: getItem(index) } }));
      await retryTimeouts(() => database.send(new TransactWriteCommand({ TransactItems })).then(() => true));
    }
  };
  await Promise.all(Array.from({ length: writers }, work));
};
