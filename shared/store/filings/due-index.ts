import * as z from 'zod/mini';
import type { RemainingMs } from '../../base/contention.ts';
import { environment } from '../../config/environment.ts';
import type { DueEntry, DueIndex, DuePlace, FilingCommit } from '../../filings/ports.ts';
import { partitionQuery, readRows } from '../client/reads.ts';
import { staleOrThrow, type Write, writeTogether } from '../client/writes.ts';
import { dueKey, duePartition, dueShards, dueSweepKey, parseDueKey } from '../keys.ts';
import { sweepPosition } from '../sweep-position.ts';

const TableName = environment.tables.transactions;

/** Returns an unconditional write of an entry. Its new token prevents concurrent workers from removing it. */
export const putDue = (place: DuePlace): Write => ({
  Put: { TableName, Item: { ...dueKey(place), token: crypto.randomUUID() } },
});

/** Returns the write that removes an entry, on the condition that it is unchanged since it was read. */
const removeDue = (entry: DueEntry): Write => ({
  Delete: {
    TableName,
    Key: dueKey(entry),
    ConditionExpression: '#token = :seen',
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: { ':seen': entry.token },
  },
});

/** Returns the writes that replace an entry with a different one. */
export const dueWrites = ({ remove, put }: NonNullable<FilingCommit['due']>): Write[] => [
  ...(remove ? [removeDue(remove)] : []),
  ...(put ? [putDue(put)] : []),
];

const Item = z.object({ sk: z.string(), token: z.string() });

const dueFrom = (item: unknown): DueEntry => {
  const { sk, token } = Item.parse(item);
  return { ...parseDueKey(sk), token };
};

/** Returns the due index, bounded by the time left in the invocation. */
export const dueIndexWithin = (remainingMs: RemainingMs): DueIndex => ({
  shards: dueShards,
  page: async (shard, upTo, limit, after) => {
    // The end sorts after every entry with this time.
    const query = partitionQuery(TableName, duePartition(shard), 'sk < :end', { ':end': `${upTo}~` });
    return (await readRows(query, dueFrom, limit, after && dueKey(after))).rows;
  },
  move: async (entry, to) => {
    const writes = dueWrites({ remove: entry, put: to === null ? null : { ...entry, at: to } });
    await writeTogether(writes, staleOrThrow, remainingMs);
  },
  sweep: sweepPosition(dueSweepKey),
});
