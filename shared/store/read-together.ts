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
 * DynamoDB may leave some unread: when it is busy, and when an answer would pass 16 MB. They are asked for again.
 */
export const readTogether = async (table: string, keys: readonly ItemKey[]): Promise<Items> => {
  const found: Items[] = [];
  let missing = [...keys];
  await retryContention(async () => {
    const { items, missed } = await readSome(table, missing);
    found.push(items);
    missing = missed;
    if (missing.length > 0) throw new Contention('The database left keys unread.');
  });
  return found.flat();
};
