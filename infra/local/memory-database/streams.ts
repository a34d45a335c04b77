import type { Database } from './database.ts';
import { noSuchTable } from './exceptions.ts';
import type { Change } from './journal.ts';
import type { Item } from './values.ts';
import { toItem } from './wire.ts';

type Input = Readonly<Record<string, string | undefined>>;

const shard = 'shardId-00000000000000000001';
const recordsMax = 1000;

/** DynamoDB Streams with old and new images, one shard per table. */
const arnOf = (table: string) => `arn:aws:dynamodb:local:000000000000:table/${table}/stream/1`;

export const newStreams = (database: Database) => {
  const streams = new Map<string, object[]>();
  let sequence = 0;
  const streamOf = (arn = '') => {
    const records = streams.get(arn);
    if (!records) throw noSuchTable(arn);
    return records;
  };

  const open = (table = ''): object => {
    if (!database.tables.has(table)) throw noSuchTable(table);
    const arn = arnOf(table);
    if (!streams.has(arn)) streams.set(arn, []);
    return { TableDescription: { TableName: table, TableStatus: 'ACTIVE', LatestStreamArn: arn } };
  };

  const changed = (changes: readonly Change[]): void => {
    for (const { table, before, after } of changes) {
      const records = streams.get(arnOf(table));
      const { partition, sort } = database.tables.get(table)?.definition ?? {};
      if (!records || !partition || !sort) continue;
      const item = (after ?? before) as Item;
      records.push({
        eventID: String(++sequence),
        eventName: before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT',
        eventVersion: '1.1',
        eventSource: 'aws:dynamodb',
        awsRegion: 'local',
        dynamodb: {
          ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
          Keys: toItem({ [partition.name]: item[partition.name] ?? null, [sort.name]: item[sort.name] ?? null }),
          ...(before && { OldImage: toItem(before) }),
          ...(after && { NewImage: toItem(after) }),
          SequenceNumber: String(sequence).padStart(21, '0'),
          StreamViewType: 'NEW_AND_OLD_IMAGES',
        },
      });
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
    const records = streamOf(arn).slice(
      Number(from),
      Number(from) + Math.min(Number(input['Limit'] ?? recordsMax), recordsMax),
    );
    return { Records: records, NextShardIterator: `${arn}|${Number(from) + records.length}` };
  };
  return { open, changed, call };
};
