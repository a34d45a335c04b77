import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { database } from '../../shared/store/client/client.ts';

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

/** Write `count` items to a table. Each item is created only when it is written. */
export const putItems = async (
  table: string,
  count: number,
  itemOf: (index: number) => Readonly<Record<string, unknown>>,
): Promise<void> => {
  let next = 0;
  const work = async () => {
    while (next < count) {
      const from = next;
      next += batch;
      const indexes = Array.from({ length: Math.min(batch, count - from) }, (_, at) => from + at);
      const puts = indexes.map((index) => ({ PutRequest: { Item: itemOf(index) } }));
      const command = new BatchWriteCommand({ RequestItems: { [table]: puts } });
      await retryTimeouts(async () => Object.keys((await database.send(command)).UnprocessedItems ?? {}).length === 0);
    }
  };
  await Promise.all(Array.from({ length: writers }, work));
};
