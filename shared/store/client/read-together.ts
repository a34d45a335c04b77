import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { ItemKey } from '../keys.ts';
import { database } from './client.ts';
import { Contention, type RemainingMs, retryContention } from './contention.ts';

export type Items = readonly Readonly<Record<string, unknown>>[];

/** How many keys one BatchGetItem takes. */
export const keysMax = 100;

const projectionOf = (attributes: readonly string[]) => {
  const names = ['pk', 'sk', ...attributes].map((name, at) => [`#${at}`, name] as const);
  return {
    ProjectionExpression: names.map(([placeholder]) => placeholder).join(', '),
    ExpressionAttributeNames: Object.fromEntries(names),
  };
};

const readSome = async (
  table: string,
  Keys: ItemKey[],
  attributes?: readonly string[],
): Promise<{ items: Items; missed: ItemKey[] }> => {
  const { Responses, UnprocessedKeys } = await database.send(
    new BatchGetCommand({
      RequestItems: { [table]: { Keys, ConsistentRead: true, ...(attributes && projectionOf(attributes)) } },
    }),
  );
  return {
    items: Responses?.[table] ?? [],
    missed: (UnprocessedKeys?.[table]?.Keys ?? []).map(({ pk, sk }) => ({ pk, sk })),
  };
};

/**
 * The items of these keys that there are, at most 100, in any order; of each all, or the keys and these attributes.
 *
 * DynamoDB may leave some unread. When an answer would pass 16 MB, the others are asked for at once; an answer without
 * any item is that of a busy database, which gets its pause.
 */
export const readTogether = async (
  table: string,
  keys: readonly ItemKey[],
  remainingMs?: RemainingMs,
  attributes?: readonly string[],
): Promise<Items> => {
  const found: Items[] = [];
  let missing = [...keys];
  await retryContention(async () => {
    while (missing.length > 0) {
      const { items, missed } = await readSome(table, missing, attributes);
      found.push(items);
      missing = missed;
      if (items.length === 0 && missed.length > 0) throw new Contention('The database left keys unread.');
    }
  }, remainingMs);
  return found.flat();
};
