import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { ItemKey } from '../keys.ts';
import { database } from './client.ts';
import { Contention, type RemainingMs, retryContention } from './contention.ts';

export type Items = readonly Readonly<Record<string, unknown>>[];

/** The maximum of keys in one BatchGetItem. */
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
 * Read the existing items of at most 100 keys, in any order: whole items, or their keys and these attributes.
 *
 * DynamoDB may return unprocessed keys. If it reached the limit of 16 MB, the rest is read at once. A response without
 * any item means that the database is throttled, and the next read waits for the backoff.
 */
export const batchGet = async (
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
      if (items.length === 0 && missed.length > 0)
        throw new Contention('DynamoDB returned no items, only unprocessed keys.');
    }
  }, remainingMs);
  return found.flat();
};
