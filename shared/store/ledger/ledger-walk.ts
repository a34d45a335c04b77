import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../config/environment.ts';
import { batchGet, type Items, keysMax, partitionQuery, queryPages, readItem } from '../client/reads.ts';
import * as keys from '../keys.ts';

/** Paged reads of one account for operator commands. Memory use does not grow with the ledger. */

const TableName = environment.tables.transactions;

const listIds = (items: Items): string[] => items.map(({ id }) => String(id));

const byAccount = (account: string, limit: number, forward: boolean, after: string | null): QueryCommandInput => ({
  TableName,
  IndexName: 'by_account',
  KeyConditionExpression: after === null ? 'account = :account' : 'account = :account AND id > :after',
  ExpressionAttributeValues: { ':account': account, ...(after !== null && { ':after': after }) },
  ProjectionExpression: 'id',
  ScanIndexForward: forward,
  Limit: limit,
});

/** Yields pages of an account's transaction ids, oldest first, after an id. The index can lag the table by seconds. */
export const transactionIds = async function* (
  account: string,
  limit: number,
  after: string | null = null,
): AsyncGenerator<readonly string[]> {
  for await (const items of queryPages(byAccount(account, limit, true, after))) yield listIds(items);
};

export const newestId = async (account: string): Promise<string | undefined> => {
  for await (const items of queryPages(byAccount(account, 1, false, null))) return listIds(items)[0];
  return undefined;
};

/** Yields pages of the ids of a sale's credits. */
export const creditIds = async function* (account: string, sale: string): AsyncGenerator<readonly string[]> {
  const query = {
    TableName,
    IndexName: 'by_parent',
    KeyConditionExpression: 'account_parent = :parent',
    ExpressionAttributeValues: { ':parent': keys.valueOfAccount(account, sale) },
    ProjectionExpression: 'id',
    // The number of heads read per batch.
    Limit: keysMax,
  };
  for await (const items of queryPages(query)) yield listIds(items);
};

/** Yields pages of a transaction's audit entry items, oldest first, strongly consistent. */
export const auditItems = (account: string, id: string): AsyncGenerator<Items> =>
  queryPages(
    partitionQuery(TableName, keys.headKey(account, id).pk, 'begins_with(sk, :entries)', {
      ':entries': keys.auditKey(account, id, 0).sk.slice(0, 2),
    }),
  );

const partition = (pk: string): AsyncGenerator<Items> => queryPages(partitionQuery(TableName, pk));

/** Yields pages of an account's open entry items in one state, strongly consistent. */
export const openEntryItems = async function* (account: string, state: string): AsyncGenerator<Items> {
  for (const pk of keys.openEntryPartitions(account, state)) yield* partition(pk);
};

/** Reads the item of a transaction, strongly consistent. */
export const headItem = (account: string, id: string): Promise<keys.Item | undefined> =>
  readItem(TableName, keys.headKey(account, id));

/** Reads the item of the claim on a reference, strongly consistent. */
export const findClaimItem = (account: string, reference: string): Promise<keys.Item | undefined> =>
  readItem(TableName, keys.claimKey(account, reference));

/** Returns the existing items of these keys by `keys.itemPlace`, strongly consistent. */
export const itemsAt = async (places: readonly keys.ItemKey[]): Promise<ReadonlyMap<string, keys.Item>> => {
  const found = await batchGet(TableName, places);
  return new Map(found.map((item) => [keys.itemPlace(item), item]));
};
