import * as z from 'zod/mini';
import type { RemainingMs } from '../../base/contention.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import type { FilingReadPorts, FilingReads } from '../../filings/ports.ts';
import type { LiabilityEntry } from '../../ledger/entries/entry.ts';
import type { Page } from '../../ledger/page-limit.ts';
import { batchGet, partitionQuery, queryPage, readItem, startAfter } from '../client/reads.ts';
import * as keys from '../keys.ts';
import { idLengthMax } from '../ledger/ledger-reads.ts';
import { openEntryFrom } from '../ledger/open-entry-item.ts';
import { chainFrom, filingFrom, filingProgressFrom, totalsPartFrom } from './filing-item.ts';

const TableName = environment.tables.transactions;
const everyShard = Array.from({ length: keys.openEntryShards }, (_, shard) => shard);
// Sorts after every transaction id and currency.
const highest = '~';

const find: FilingReads['find'] = async (account, id) => {
  if (id.length === 0 || id.length > idLengthMax) return undefined;
  const item = await readItem(TableName, keys.filingKey(account, id));
  return item === undefined ? undefined : filingFrom(item);
};

const page: FilingReads['page'] = async (account, after, limit) => {
  const { items, last } = await queryPage({
    ...partitionQuery(TableName, keys.filingPartition(account)),
    ScanIndexForward: false,
    Limit: limit,
    ...startAfter(after === null ? null : keys.filingKey(account, after)),
  });
  const rows = items.map(filingFrom);
  return { rows, next: last ? (rows.at(-1)?.id ?? null) : null };
};

const Period = z.object({ filing: z.string() });

const filingOfPeriod: FilingReads['filingOfPeriod'] = async (account, state, periodEnd) => {
  const item = await readItem(TableName, keys.periodKey(account, state, periodEnd));
  return item === undefined ? undefined : Period.parse(item).filing;
};

const toEntryRows = ({ items, last }: Awaited<ReturnType<typeof queryPage>>): Page<LiabilityEntry, LiabilityEntry> => {
  const rows = items.map(openEntryFrom);
  return { rows, next: last ? (rows.at(-1) ?? null) : null };
};

const openEntries: FilingReads['openEntries'] = async (
  { account, state, shard },
  lastMonth,
  limit,
  after,
  firstMonth = null,
) => {
  const pk = keys.openEntryPartition(account, state, shard);
  const before = firstMonth === null ? null : { pk, sk: `${firstMonth}#` };
  return toEntryRows(
    await queryPage({
      TableName,
      KeyConditionExpression: 'pk = :shard AND sk < :end',
      ExpressionAttributeValues: { ':shard': pk, ':end': `${lastMonth}#${highest}` },
      Limit: limit,
      ...startAfter(after ? keys.openEntryKey(account, after) : before),
    }),
  );
};

const oldestOpenMonths: FilingReads['oldestOpenMonths'] = async (account, state, first) => {
  const oldest = await Promise.all(
    everyShard.map((shard) => openEntries({ account, state, shard }, '9999-12', 1, null, first)),
  );
  return oldest.map(({ rows: [first] }) => first?.month ?? null);
};

const filedEntries: FilingReads['filedEntries'] = async ({ account, id, shard }, limit, after, only) =>
  toEntryRows(
    await queryPage({
      TableName,
      KeyConditionExpression: 'pk = :shard AND sk < :end',
      ExpressionAttributeValues: {
        ':shard': keys.filingShardPartition(account, id, shard),
        ':end': only ? keys.filedEnds[only] : highest,
      },
      Limit: limit,
      // The shard's progress sorts before its entries.
      ...startAfter(
        after === null ? keys.filingProgressKey(account, id, shard) : keys.filedEntryKey(account, id, after),
      ),
    }),
  );

const unfinished: FilingReads['unfinished'] = async (after, limit) => {
  const { items, last } = await queryPage({
    ...partitionQuery(TableName, keys.filingWorkPartition),
    Limit: limit,
    ...startAfter(after && keys.filingWorkKey(after.account, after.id)),
  });
  return { rows: items.map(({ sk }) => keys.filingOfWork(sk)), next: last ? keys.filingOfWork(last.sk) : null };
};

/** Returns the reads of filings. They stop retrying when `remainingMs` is used up. */
export const filingReadsWithin = (remainingMs?: RemainingMs): FilingReads => {
  const read = (places: readonly keys.ItemKey[]) => batchGet(TableName, places, remainingMs);
  return {
    shards: keys.openEntryShards,
    find,
    page,
    chains: async (account, states) =>
      (await read(states.map((state) => keys.chainKey(account, state)))).map(chainFrom),
    filingOfPeriod,
    progress: async (account, id) => {
      const items = await read(everyShard.map((shard) => keys.filingProgressKey(account, id, shard)));
      return items.map(filingProgressFrom).sort((a, b) => a.shard - b.shard);
    },
    parts: async (account, id, places) =>
      (await read(places.map((place) => keys.totalsPartKey(account, id, place)))).map(totalsPartFrom),
    openEntries,
    oldestOpenMonths,
    filedEntries,
    unfinished,
  };
};

/**
 * The reads of filings without a time limit. Separate from the writes, so bundles of read-only functions contain no
 * writes.
 */
export const filingReads: FilingReads = filingReadsWithin();

export const filingReadPorts: FilingReadPorts = { filings: filingReads, now };
