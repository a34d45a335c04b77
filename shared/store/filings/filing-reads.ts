import type { RemainingMs } from '../../base/contention.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import type { FilingReadPorts, FilingReads } from '../../filings/ports.ts';
import { batchGet, findItem, partitionQuery, readRows } from '../client/reads.ts';
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
  return findItem(TableName, keys.filingKey(account, id), filingFrom);
};

const page: FilingReads['page'] = async (account, after, limit) => {
  const query = { ...partitionQuery(TableName, keys.filingPartition(account)), ScanIndexForward: false };
  const start = after === null ? null : keys.filingKey(account, after);
  const { rows, next } = await readRows(query, filingFrom, limit, start);
  return { rows, next: next?.id ?? null };
};

const openEntries: FilingReads['openEntries'] = (
  { account, state, shard },
  lastMonth,
  limit,
  after,
  firstMonth = null,
) => {
  const pk = keys.openEntryPartition(account, state, shard);
  const before = firstMonth === null ? null : { pk, sk: `${firstMonth}#` };
  const query = partitionQuery(TableName, pk, 'sk < :end', { ':end': `${lastMonth}#${highest}` });
  return readRows(query, openEntryFrom, limit, after ? keys.openEntryKey(account, after) : before);
};

const oldestOpenMonths: FilingReads['oldestOpenMonths'] = async (account, state, first) => {
  const oldest = await Promise.all(
    everyShard.map((shard) => openEntries({ account, state, shard }, '9999-12', 1, null, first)),
  );
  return oldest.map(({ rows: [first] }) => first?.month ?? null);
};

const filedEntries: FilingReads['filedEntries'] = ({ account, id, shard }, limit, after, only) => {
  // The shard's progress sorts before its entries.
  const progress = keys.filingProgressKey(account, id, shard);
  const end = only ? keys.filedEnds[only] : highest;
  const query = partitionQuery(TableName, progress.pk, 'sk < :end', { ':end': end });
  return readRows(query, openEntryFrom, limit, after === null ? progress : keys.filedEntryKey(account, id, after));
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
    progress: async (account, id) => {
      const items = await read(everyShard.map((shard) => keys.filingProgressKey(account, id, shard)));
      return items.map(filingProgressFrom).sort((a, b) => a.shard - b.shard);
    },
    parts: async (account, id, places) =>
      (await read(places.map((place) => keys.totalsPartKey(account, id, place)))).map(totalsPartFrom),
    openEntries,
    oldestOpenMonths,
    filedEntries,
  };
};

/**
 * The reads of filings without a time limit. Separate from the writes, so bundles of read-only functions contain no
 * writes.
 */
export const filingReads: FilingReads = filingReadsWithin();

export const filingReadPorts: FilingReadPorts = { filings: filingReads, now };
