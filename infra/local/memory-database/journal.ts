import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { Database } from './database.ts';
import { noSuchTable } from './exceptions.ts';
import type { Change } from './table.ts';
import { fromItem, toItem } from './values.ts';

/** One line of the file: the table that a call created, or the items that it wrote. */
type Line =
  | { readonly create: CreateTableCommandInput }
  | { readonly writes: readonly { readonly table: string; readonly item?: object; readonly key?: object }[] };

const journalName = 'levy.jsonl';

/** The file cannot be read. The message is for the developer. */
export class JournalDamaged extends Error {}

/**
 * Yields the complete lines. An incomplete last line was being written when the process ended, so its caller got no
 * response.
 */
function* completeLines(path: string): Generator<string> {
  // Read in parts, because a file can be longer than a string.
  const bytes = readFileSync(path);
  for (let from = 0, end = bytes.indexOf('\n'); end >= 0; from = end + 1, end = bytes.indexOf('\n', from))
    yield bytes.toString('utf8', from, end);
}

/**
 * Persists a database in a folder: replays the file, compacts it to the current state, and appends each further change.
 *
 * An appended line survives the end of this process. It can be lost on a power failure. Throws on a change after
 * another process has opened the folder: that process replaced the file, so a further line would be lost without
 * notice.
 */
export const openJournal = (folder: string, database: Database) => {
  const path = join(folder, journalName);
  const replay = (line: Line): void => {
    if ('create' in line) {
      database.create(line.create);
      return;
    }
    for (const { table: name, item, key = {} } of line.writes) {
      const table = database.tables.get(name);
      if (!table) throw new Error(`${path} writes to the table ${name} before creating it.`);
      const after = item && fromItem(item);
      table.replace(table.get(table.getKey(after ?? fromItem(key), false)), after);
    }
  };
  let number = 0;
  for (const line of existsSync(path) ? completeLines(path) : []) {
    number += 1;
    try {
      replay(JSON.parse(line));
    } catch (cause) {
      throw new JournalDamaged(`line ${number} of ${path} is damaged. Restore the file, or use a new folder.`, {
        cause,
      });
    }
  }

  const append = (file: number, line: Line) => void writeSync(file, `${JSON.stringify(line)}\n`);
  const copy = openSync(`${path}.new`, 'w');
  for (const [table, stored] of database.tables) {
    append(copy, { create: stored.description });
    for (const item of stored.rows().all()) append(copy, { writes: [{ table, item: toItem(item) }] });
  }
  // After a power failure, either the old or the new file remains.
  fsyncSync(copy);
  closeSync(copy);
  renameSync(`${path}.new`, path);

  const file = openSync(path, 'a');
  const { ino } = fstatSync(file);
  const persist = (line: Line): void => {
    if (statSync(path, { throwIfNoEntry: false })?.ino !== ino)
      throw new Error(
        `another service was started with DATA_DIR=${folder}, and replaced the file of this one. Start each with its own DATA_DIR`,
      );
    append(file, line);
  };
  return {
    created: (create: CreateTableCommandInput) => persist({ create }),
    changed: (changes: readonly Change[]) =>
      persist({
        writes: changes.map(({ table, before, after }) => ({
          table: table.name,
          ...(after ? { item: toItem(after) } : { key: toItem(table.pickKey(before)) }),
        })),
      }),
  };
};

const shard = 'shardId-00000000000000000001';
const recordsMax = 1000;
/** Older records are dropped, as DynamoDB drops records after a day. */
const keptMax = 100_000;

const streamArn = (table: string) => `arn:aws:dynamodb:local:000000000000:table/${table}/stream/1`;

const toRecord = ({ table, before, after }: Change, sequence: number): object => ({
  eventID: String(sequence),
  eventName: before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT',
  eventVersion: '1.1',
  eventSource: 'aws:dynamodb',
  awsRegion: 'local',
  dynamodb: {
    ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
    Keys: toItem(table.pickKey(after ?? before)),
    ...(before && { OldImage: toItem(before) }),
    ...(after && { NewImage: toItem(after) }),
    SequenceNumber: String(sequence).padStart(21, '0'),
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  },
});

/** DynamoDB Streams with old and new images, one shard per table. */
export const newStreams = (database: Database) => {
  type Stream = { readonly records: object[]; dropped: number };
  const streams = new Map<string, Stream>();
  let sequence = 0;
  const getStream = (arn = '') => {
    const stream = streams.get(arn);
    if (!stream) throw noSuchTable(arn);
    return stream;
  };

  /**
   * `isRestored`: the table's items were read from a file. The file contains no stream, so the stream starts with these
   * items: its reader could have ended before it read the last changes.
   */
  const open = (name: string, isRestored: boolean): object => {
    const table = database.tableNamed(name);
    const arn = streamArn(name);
    if (!streams.has(arn)) {
      streams.set(arn, { records: [], dropped: 0 });
      if (isRestored)
        changed(
          table
            .rows()
            .all()
            .map((after) => ({ table, before: undefined, after })),
        );
    }
    return { TableDescription: { TableName: name, TableStatus: 'ACTIVE', LatestStreamArn: arn } };
  };

  const changed = (changes: readonly Change[]): void => {
    for (const change of changes) {
      const stream = streams.get(streamArn(change.table.name));
      if (!stream) continue;
      stream.records.push(toRecord(change, ++sequence));
      if (stream.records.length > 2 * keptMax) stream.dropped += stream.records.splice(0, keptMax).length;
    }
  };

  const call = (operation: string, input: Readonly<Record<string, string | undefined>>): object | undefined => {
    if (operation === 'DescribeStream') {
      getStream(input['StreamArn']);
      return {
        StreamDescription: { StreamArn: input['StreamArn'], StreamStatus: 'ENABLED', Shards: [{ ShardId: shard }] },
      };
    }
    if (operation === 'GetShardIterator') {
      getStream(input['StreamArn']);
      return { ShardIterator: `${input['StreamArn']}|0` };
    }
    if (operation !== 'GetRecords') return undefined;
    const [arn, from] = (input['ShardIterator'] ?? '').split('|');
    const stream = getStream(arn);
    const first = Math.max(Number(from) - stream.dropped, 0);
    const Records = stream.records.slice(first, first + Math.min(Number(input['Limit'] ?? recordsMax), recordsMax));
    return { Records, NextShardIterator: `${arn}|${stream.dropped + first + Records.length}` };
  };
  return { open, changed, call };
};
