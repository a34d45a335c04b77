import type { RemainingMs } from '../../base/contention.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import type { ReportReads, StoredRow } from '../../reports/by-state.ts';
import type { CountStore } from '../../reports/count-transactions.ts';
import { placeText } from '../../reports/count-transactions.ts';
import { absentOrAsSeen } from '../client/conditions.ts';
import { batchGet, queryPages, startAfter } from '../client/reads.ts';
import { staleOrThrow, type Write, writeTogether } from '../client/write-together.ts';
import { accountKey, countedKey, type ItemKey, reportKey, reportPartition } from '../keys.ts';
import { markFrom, markItem, rowFrom, rowItem } from './report-item.ts';

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
