import * as z from 'zod/mini';
import { environment } from '../../config/environment.ts';
import type { FilingName, FilingReads } from '../../filings/ledger.ts';
import { batchGet } from '../client/batch-get.ts';
import type { RemainingMs } from '../client/contention.ts';
import { readItem } from '../client/read-item.ts';
import {
  chainKey,
  filingKey,
  filingOfWork,
  filingPartition,
  filingProgressKey,
  filingWorkKey,
  filingWorkPartition,
  openEntryShards,
  periodKey,
} from '../keys.ts';
import { idLengthMax } from '../ledger/ledger-reads.ts';
import { filedEntries, oldestOpenMonth, openEntries } from './filing-entries.ts';
import { chainFrom, filingFrom } from './filing-item.ts';
import { filingProgressFrom } from './filing-progress-item.ts';
import { everyShard, query, startAfter } from './filing-query.ts';

const TableName = environment.tables.transactions;

const find: FilingReads['find'] = async (account, id) => {
  if (id.length === 0 || id.length > idLengthMax) return undefined;
  const item = await readItem(TableName, filingKey(account, id));
  return item === undefined ? undefined : filingFrom(item);
};

const page: FilingReads['page'] = async (account, after, limit) => {
  const { items, last } = await query({
    KeyConditionExpression: 'pk = :account',
    ExpressionAttributeValues: { ':account': filingPartition(account) },
    ScanIndexForward: false,
    Limit: limit,
    ...startAfter(after === null ? null : filingKey(account, after)),
  });
  const rows = items.map(filingFrom);
  return { rows, next: last ? (rows.at(-1)?.id ?? null) : null };
};

const chainsWithin =
  (remainingMs?: RemainingMs): FilingReads['chains'] =>
  async (account, states) => {
    const keys = states.map((state) => chainKey(account, state));
    return (await batchGet(TableName, keys, remainingMs)).map(chainFrom);
  };

const Period = z.object({ filing: z.string() });

const filingOfPeriod: FilingReads['filingOfPeriod'] = async (account, state, periodEnd) => {
  const item = await readItem(TableName, periodKey(account, state, periodEnd));
  return item === undefined ? undefined : Period.parse(item).filing;
};

const progressWithin =
  (remainingMs?: RemainingMs): FilingReads['progress'] =>
  async (account, id) => {
    const keys = everyShard.map((shard) => filingProgressKey(account, id, shard));
    const items = await batchGet(TableName, keys, remainingMs);
    return items.map(filingProgressFrom).sort((a, b) => a.shard - b.shard);
  };

const Work = z.object({ sk: z.string() });

const unfinished: FilingReads['unfinished'] = async (after: FilingName | null, limit) => {
  const { items, last } = await query({
    KeyConditionExpression: 'pk = :work',
    ExpressionAttributeValues: { ':work': filingWorkPartition },
    Limit: limit,
    ...startAfter(after && filingWorkKey(after.account, after.id)),
  });
  const nameOf = (item: unknown) => filingOfWork(Work.parse(item).sk);
  return { filings: items.map(nameOf), next: last ? nameOf(last) : null };
};

/** The reads of filings. They stop retrying when `remainingMs` is used up. */
export const filingReadsWithin = (remainingMs?: RemainingMs): FilingReads => ({
  shards: openEntryShards,
  find,
  page,
  chains: chainsWithin(remainingMs),
  filingOfPeriod,
  progress: progressWithin(remainingMs),
  openEntries,
  oldestOpenMonth,
  filedEntries,
  unfinished,
});

/** The reads of filings without a time limit. Separate from the writes, so that the bundle of a reading function has no writes. */
export const filingReads: FilingReads = filingReadsWithin();
