import type { Database } from './database.ts';
import { noSuchTable } from './exceptions.ts';
import type { Change } from './journal.ts';
import type { Item } from './values.ts';
import { toItem } from './wire.ts';

type Input = Readonly<Record<string, string | undefined>>;

const shard = 'shardId-00000000000000000001';
const recordsMax = 1000;
/** Older records are dropped, as DynamoDB drops records after a day. */
const keptMax = 100_000;

/** DynamoDB Streams with old and new images, one shard per table. */
const streamArn = (table: string) => `arn:aws:dynamodb:local:000000000000:table/${table}/stream/1`;

const toRecord = (
  { before, after }: Pick<Change, 'before' | 'after'>,
  keys: Parameters<typeof toItem>[0],
  sequence: number,
): object => ({
  eventID: String(sequence),
  eventName: before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT',
  eventVersion: '1.1',
  eventSource: 'aws:dynamodb',
  awsRegion: 'local',
  dynamodb: {
    ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
    Keys: toItem(keys),
    ...(before && { OldImage: toItem(before) }),
    ...(after && { NewImage: toItem(after) }),
    SequenceNumber: String(sequence).padStart(21, '0'),
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  },
});

export const newStreams = (database: Database) => {
  type Stream = { readonly records: object[]; dropped: number };
  const streams = new Map<string, Stream>();
  let sequence = 0;
  const streamOf = (arn = '') => {
    const stream = streams.get(arn);
    if (!stream) throw noSuchTable(arn);
    return stream;
  };

  /**
   * `isRestored`: the table's items were read from a file. A stream is not in the file, so it begins with them: its
   * reader may have ended before it read the last changes.
   */
  const open = (table: string, isRestored: boolean): object => {
    const stored = database.tables.get(table);
    if (!stored) throw noSuchTable(table);
    const arn = streamArn(table);
    if (!streams.has(arn)) {
      streams.set(arn, { records: [], dropped: 0 });
      if (isRestored) changed(stored.all().map((after) => ({ table, before: undefined, after })));
    }
    return { TableDescription: { TableName: table, TableStatus: 'ACTIVE', LatestStreamArn: arn } };
  };

  const changed = (changes: readonly Change[]): void => {
    for (const { table, before, after } of changes) {
      const stream = streams.get(streamArn(table));
      const { partition, sort } = database.tables.get(table)?.definition ?? {};
      if (!stream || !partition || !sort) continue;
      const item = (after ?? before) as Item;
      const keys = { [partition.name]: item[partition.name] ?? null, [sort.name]: item[sort.name] ?? null };
      stream.records.push(toRecord({ before, after }, keys, ++sequence));
      if (stream.records.length > 2 * keptMax) stream.dropped += stream.records.splice(0, keptMax).length;
    }
  };

  const call = (operation: string, input: Input): object | undefined => {
    if (operation === 'DescribeStream') {
      streamOf(input['StreamArn']);
      return {
        StreamDescription: { StreamArn: input['StreamArn'], StreamStatus: 'ENABLED', Shards: [{ ShardId: shard }] },
      };
    }
    if (operation === 'GetShardIterator') {
      streamOf(input['StreamArn']);
      return { ShardIterator: `${input['StreamArn']}|0` };
    }
    if (operation !== 'GetRecords') return undefined;
    const [arn, from] = (input['ShardIterator'] ?? '').split('|');
    const stream = streamOf(arn);
    const first = Math.max(Number(from) - stream.dropped, 0);
    const Records = stream.records.slice(first, first + Math.min(Number(input['Limit'] ?? recordsMax), recordsMax));
    return { Records, NextShardIterator: `${arn}|${stream.dropped + first + Records.length}` };
  };
  return { open, changed, call };
};
