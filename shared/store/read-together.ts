import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { database } from './client.ts';
import { Contention, retryContention } from './contention.ts';
import type { ItemKey } from './keys.ts';

export type Items = readonly Readonly<Record<string, unknown>>[];

/** How many keys one BatchGetItem takes. */
export const keysMax = 100;

const readSome = async (table: string, Keys: ItemKey[]): Promise<{ items: Items; missed: ItemKey[] }> => {
  const { Responses, UnprocessedKeys } = await database.send(
    new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
  );
  return {
    items: Responses?.[table] ?? [],
    missed: (UnprocessedKeys?.[table]?.Keys ?? []).map(({ pk, sk }) => ({ pk, sk })),
  };
};

/**
 * The items of these keys that there are, at most 100, in any order.
 *
 * DynamoDB may leave some unread. When an answer would pass 16 MB, the others are asked for at once; an answer without
 * any item is that of a busy database, which gets its pause.
 */
export const readTogether = async (table: string, keys: readonly ItemKey[]): Promise<Items> => {
  const found: Items[] = [];
  let missing = [...keys];
  await retryContention(async () => {
    while (missing.length > 0) {
      const { items, missed } = await readSome(table, missing);
      found.push(items);
      missing = missed;
      if (items.length === 0 && missed.length > 0) throw new Contention('The database left keys unread.');
    }
  });
  return found.flat();
};
