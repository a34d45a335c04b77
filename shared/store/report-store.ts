import * as z from 'zod/mini';
import type { RemainingMs } from '../base/contention.ts';
import { now } from '../config/clock.ts';
import { environment } from '../config/environment.ts';
import type { ReportReads, StoredRow } from '../reports/by-state.ts';
import { type CountStore, type Mark, placeText, type SeenRow } from '../reports/count-transactions.ts';
import { batchGet, queryPages, startAfter } from './client/reads.ts';
import { absentOrAsSeen, staleOrThrow, type Write, writeTogether } from './client/writes.ts';
import { accountKey, countedKey, headOwner, type ItemKey, reportKey, reportPartition } from './keys.ts';
import { StoredSum } from './stored-sum.ts';

const placeShape = { month: z.string(), state: z.string(), currency: z.string() };
const Row = z.object({ ...placeShape, sales: StoredSum, credits: StoredSum, version: z.int(), updated_at: z.string() });
const MarkItem = z.object({
  pk: z.string(),
  transaction_version: z.int(),
  counted: z.array(z.object({ ...placeShape, type: z.enum(['sale', 'credit']), sum: StoredSum })),
  version: z.int(),
});

type Item = ItemKey & Readonly<Record<string, unknown>>;

/** The item of a row. `seen` is the version that it replaces. `at` is the instant of the write. */
export const rowItem = (account: string, { seen, ...row }: SeenRow, at: string): Item => ({
  ...reportKey(account, row),
  ...z.encode(Row, { ...row, version: seen + 1, updated_at: at }),
});

/** The row of an item, and when it was written. Throws where the item is not what `rowItem` makes. */
export const rowFrom = (item: unknown): SeenRow & { readonly updatedAt: string } => {
  const { version, updated_at, ...row } = z.decode(Row, item as z.input<typeof Row>);
  return { ...row, seen: version, updatedAt: updated_at };
};

/** The item of a mark. The indexes of the ledger do not have it, because it has no attributes `id` and `account`. */
export const markItem = ({ account, id, version, counted, seen }: Mark): Item => ({
  ...countedKey(account, id),
  ...z.encode(MarkItem, {
    pk: countedKey(account, id).pk,
    transaction_version: version,
    counted: [...counted],
    version: seen + 1,
  }),
});

/** The mark of an item. Throws where the item is not what `markItem` makes. */
export const markFrom = (item: unknown): Mark => {
  const read = z.decode(MarkItem, item as z.input<typeof MarkItem>);
  const { pk, transaction_version, counted, version: seen } = read;
  return { ...headOwner(pk), version: transaction_version, counted, seen };
};

const TableName = environment.tables.transactions;

const put = (Item: ItemKey & Readonly<Record<string, unknown>>, seen: number): Write => ({
  Put: { TableName, Item, ...absentOrAsSeen(seen) },
});

/** Marks and sums on DynamoDB. It stops retrying contention when `remainingMs` is used up. */
export const countStoreWithin = (remainingMs?: RemainingMs): CountStore => ({
  marks: async (account, ids) => {
    const items = await batchGet(
      TableName,
      ids.map((id) => countedKey(account, id)),
      remainingMs,
    );
    const marks = items.map(markFrom);
    return new Map(marks.map((mark) => [mark.id, mark]));
  },
  rows: async (account, places) => {
    const items = await batchGet(
      TableName,
      places.map((place) => reportKey(account, place)),
      remainingMs,
    );
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

/** Which of at most 100 accounts are being deleted, or were deleted. */
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
      TableName,
      ...startAfter(after && reportKey(account, after)),
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      // `$` sorts after the `#` that follows the month.
      ExpressionAttributeValues: { ':pk': reportPartition(account), ':from': from, ':to': `${to}$` },
    });
    for await (const items of pages) {
      rows.push(...items.map(rowFrom));
      if (rows.length >= limit) break;
    }
    return rows.length > limit ? rows.slice(0, limit) : rows;
  },
};
