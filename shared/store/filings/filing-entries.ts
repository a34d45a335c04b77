import type { EntryRows, FilingReads } from '../../filings/ledger.ts';
import { filedEntryKey, filingProgressKey, filingShardPartition, openEntryKey, openEntryPartition } from '../keys.ts';
import { openEntryFrom } from '../ledger/open-entry-item.ts';
import { everyShard, query, startAfter } from './filing-query.ts';

// Sorts after every transaction id and currency.
const highest = '~';

const rowsOf = ({ items, last }: Awaited<ReturnType<typeof query>>): EntryRows => {
  const entries = items.map(openEntryFrom);
  return { entries, next: last ? (entries.at(-1) ?? null) : null };
};

/** Open entries of a shard, oldest month first. */
export const openEntries: FilingReads['openEntries'] = async ({ account, state, shard }, lastMonth, limit, after) =>
  rowsOf(
    await query({
      KeyConditionExpression: 'pk = :shard AND sk < :end',
      ExpressionAttributeValues: {
        ':shard': openEntryPartition(account, state, shard),
        ':end': `${lastMonth}#${highest}`,
      },
      Limit: limit,
      ...startAfter(after && openEntryKey(account, after)),
    }),
  );

/** The oldest month that has open entries. */
export const oldestOpenMonth: FilingReads['oldestOpenMonth'] = async (account, state) => {
  const oldest = await Promise.all(
    everyShard.map((shard) => openEntries({ account, state, shard }, '9999-12', 1, null)),
  );
  return oldest.flatMap(({ entries }) => entries.map(({ month }) => month)).sort()[0] ?? null;
};

/** Entries of a filing's shard, by transaction. */
export const filedEntries: FilingReads['filedEntries'] = async ({ account, id, shard }, limit, after) =>
  rowsOf(
    await query({
      // The sort keys of entries begin with a letter, and sort after the shard's progress.
      KeyConditionExpression: 'pk = :shard AND sk > :progress',
      ExpressionAttributeValues: {
        ':shard': filingShardPartition(account, id, shard),
        ':progress': after === null ? filingProgressKey(account, id, shard).sk : filedEntryKey(account, id, after).sk,
      },
      Limit: limit,
    }),
  );
