import * as z from 'zod/mini';
import type { RemainingMs } from '../base/contention.ts';
import { now } from '../config/clock.ts';
import { environment } from '../config/environment.ts';
import { Sum } from '../ledger/entries/entry.ts';
import type { ReportReads, StoredRow } from '../reports/by-state.ts';
import { type CountStore, type Mark, placeText, type SeenRow } from '../reports/count-transactions.ts';
import { batchGet, partitionQuery, queryPages, startAfter } from './client/reads.ts';
import { absentOrAsSeen, staleOrThrow, type Write, writeTogether } from './client/writes.ts';
import { defineItem } from './define-item.ts';
import { accountKey, countedKey, headOwner, type Item, reportKey, reportPartition } from './keys.ts';

const placeShape = { month: z.string(), state: z.string(), currency: z.string() };
const rows = defineItem({
  key: reportKey,
  schema: z.object({ ...placeShape, sales: Sum, credits: Sum, version: z.int(), updatedAt: z.string() }),
});

/** Builds the item of a report row. `seen` is the version that it replaces, `updatedAt` the time of the write. */
export const rowItem = (account: string, { seen, ...row }: SeenRow, updatedAt: string): Item =>
  rows.write([account, row], { ...row, version: seen + 1, updatedAt });

/** Parses a report row, with the time it was written. Throws if the item does not have the format that `rowItem` writes. */
const rowFrom = (item: unknown): StoredRow & SeenRow => {
  const { version: seen, ...row } = rows.read(item);
  return { ...row, seen };
};

const marks = defineItem({
  key: countedKey,
  schema: z.object({
    pk: z.string(),
    transaction_version: z.int(),
    counted: z.array(z.object({ ...placeShape, type: z.enum(['sale', 'credit']), sum: Sum })),
    version: z.int(),
  }),
});

/** Builds the item of a mark. It has no attributes `id` and `account`, so the ledger's indexes do not contain it. */
const markItem = ({ account, id, version, counted, seen }: Mark): Item => {
  const { pk } = countedKey(account, id);
  return marks.write([account, id], { pk, transaction_version: version, counted, version: seen + 1 });
};

/** Parses a mark. Throws if the item does not have the format that `markItem` writes. */
const markFrom = (item: unknown): Mark => {
  const { pk, transaction_version, counted, version: seen } = marks.read(item);
  return { ...headOwner(pk), version: transaction_version, counted, seen };
};

const TableName = environment.tables.transactions;

const put = (Item: Item, seen: number): Write => ({ Put: { TableName, Item, ...absentOrAsSeen(seen) } });

/** Returns the store of marks and sums on DynamoDB. It stops retrying contention when `remainingMs` is used up. */
export const countStoreWithin = (remainingMs?: RemainingMs): CountStore => ({
  marks: async (account, ids) => {
    const keys = ids.map((id) => countedKey(account, id));
    const items = await batchGet(TableName, keys, remainingMs);
    return new Map(items.map(markFrom).map((mark) => [mark.id, mark]));
  },
  rows: async (account, places) => {
    const keys = places.map((place) => reportKey(account, place));
    const items = await batchGet(TableName, keys, remainingMs);
    return new Map(items.map(rowFrom).map((row) => [placeText(row), row]));
  },
  write: async ({ account, marks, rows }) => {
    const at = new Date(now()).toISOString();
    const writes = [
      ...marks.map((mark) => put(markItem(mark), mark.seen)),
      ...rows.map((row) => put(rowItem(account, row, at), row.seen)),
    ];
    const { kind } = await writeTogether(writes, staleOrThrow, remainingMs);
    return kind;
  },
});

/** Returns which of at most 100 accounts are being deleted or were deleted. */
export const deletedAccounts = async (
  accounts: readonly string[],
  remainingMs: RemainingMs,
): Promise<ReadonlySet<string>> => {
  const items = await batchGet(environment.tables.accounts, accounts.map(accountKey), remainingMs, ['id', 'deletion']);
  return new Set(items.flatMap(({ id, deletion }) => (deletion === undefined ? [] : String(id))));
};

/** Reads the sums of an account. */
export const reportReads: ReportReads = {
  rows: async (account, from, to, { after, limit } = { after: null, limit: Number.POSITIVE_INFINITY }) => {
    const rows: StoredRow[] = [];
    const pages = queryPages({
      // `$` sorts after the `#` that follows the month.
      ...partitionQuery(TableName, reportPartition(account), 'sk BETWEEN :from AND :to', {
        ':from': from,
        ':to': `${to}$`,
      }),
      ...startAfter(after && reportKey(account, after)),
    });
    for await (const items of pages) {
      rows.push(...items.map(rowFrom));
      if (rows.length >= limit) break;
    }
    return rows.length > limit ? rows.slice(0, limit) : rows;
  },
};
