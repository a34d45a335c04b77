import { BatchGetCommand, GetCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { Contention, type RemainingMs, retryContention } from '../../base/contention.ts';
import type { Page } from '../../ledger/page-limit.ts';
import type { Item, ItemKey } from '../keys.ts';
import { database } from './client.ts';

export type Items = readonly Item[];

/**
 * Reads an item by its key. Strongly consistent: clients read their own writes, and updates start from the current
 * item.
 */
export const readItem = async (TableName: string, Key: ItemKey): Promise<Item | undefined> =>
  (await database.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item as Item | undefined;

/** Reads an item by its key and parses it. Strongly consistent. */
export const findItem = async <Value>(
  TableName: string,
  key: ItemKey,
  parse: (item: Item) => Value,
): Promise<Value | undefined> => {
  const item = await readItem(TableName, key);
  return item && parse(item);
};

/**
 * Returns a page of a query (at most 1 MB or `Limit` items), the number of items read before filtering, and the key to
 * continue after. Strongly consistent, except in an index.
 */
export const queryPage = async (
  input: QueryCommandInput,
): Promise<{ readonly items: Items; readonly read: number; readonly last: Item | undefined }> => {
  const consistent = input.IndexName === undefined && { ConsistentRead: true };
  const {
    Items = [],
    ScannedCount,
    LastEvaluatedKey,
  } = await database.send(new QueryCommand({ ...consistent, ...input }));
  return { items: Items as Item[], read: ScannedCount ?? Items.length, last: LastEvaluatedKey as Item | undefined };
};

/**
 * Returns the query for the items of a partition: all, or those whose sort key `sk` meets a condition with these values.
 */
export const partitionQuery = (
  TableName: string,
  pk: string,
  condition?: string,
  values?: Readonly<Record<string, string>>,
) => ({
  TableName,
  KeyConditionExpression: condition === undefined ? 'pk = :pk' : `pk = :pk AND ${condition}`,
  ExpressionAttributeValues: { ':pk': pk, ...values },
});

export const startAfter = (key: Item | null | undefined) => (key ? { ExclusiveStartKey: key } : {});

/** Returns a page of at most `limit` rows of a query. `next` is the last row if more may follow. */
export const readRows = async <Row>(
  query: QueryCommandInput,
  toRow: (item: Item) => Row,
  limit: number,
  after: Item | null,
): Promise<Page<Row, Row>> => {
  const { items, last } = await queryPage({ ...query, Limit: limit, ...startAfter(after) });
  const rows = items.map(toRow);
  return { rows, next: last ? (rows.at(-1) ?? null) : null };
};

/** Yields the pages of a query, with one page in memory at a time. */
export async function* queryPages(input: QueryCommandInput, read = queryPage): AsyncGenerator<Items> {
  let after: Item | undefined;
  do {
    const { items, last } = await read({ ...input, ...startAfter(after) });
    yield items;
    after = last;
  } while (after);
}

export const keysMax = 100;

const buildProjection = (attributes: readonly string[]) => {
  const names = ['pk', 'sk', ...attributes].map((name, at) => [`#${at}`, name] as const);
  return {
    ProjectionExpression: names.map(([placeholder]) => placeholder).join(', '),
    ExpressionAttributeNames: Object.fromEntries(names),
  };
};

const readSome = async (table: string, Keys: ItemKey[], attributes?: readonly string[]) => {
  const { Responses, UnprocessedKeys } = await database.send(
    new BatchGetCommand({
      RequestItems: { [table]: { Keys, ConsistentRead: true, ...(attributes && buildProjection(attributes)) } },
    }),
  );
  return {
    items: (Responses?.[table] ?? []) as Item[],
    missed: (UnprocessedKeys?.[table]?.Keys ?? []).map(({ pk, sk }) => ({ pk, sk })),
  };
};

/**
 * Reads the existing items of any number of keys, in any order: whole items, or their keys and these attributes.
 *
 * DynamoDB can return unprocessed keys. If it reached the 16 MB limit, the remaining keys are read immediately. A
 * response without any items means that the database is throttling, so the next read backs off first.
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
      const { items, missed } = await readSome(table, missing.slice(0, keysMax), attributes);
      found.push(items);
      missing = [...missed, ...missing.slice(keysMax)];
      if (items.length === 0 && missed.length > 0) throw new Contention('DynamoDB returned only unprocessed keys.');
    }
  }, remainingMs);
  return found.flat();
};
