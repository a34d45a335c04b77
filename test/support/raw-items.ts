import { readFileSync } from 'node:fs';
import { ScanCommand, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { itemBytes } from '../../infra/local/memory-database/values.ts';
import { type StreamRecord, streamReader } from '../../infra/local/table-stream.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { copied } from './memory-database.ts';

type Item = Readonly<Record<string, unknown>>;

/** Reads every item of a table. */
export const scannedItems = async (TableName: string): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const scan = new ScanCommand({ TableName, ConsistentRead: true, ...(start && { ExclusiveStartKey: start }) });
    const page: ScanCommandOutput = await database.send(scan);
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start);
  return items;
};

// Does not use the store's code, so it finds items that the store hides.
const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return storedText(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
};

/**
 * Reads every item of the Transactions table whose key contains the account, as text with all attributes decompressed.
 */
export const readRawItems = async (account: string): Promise<string[]> =>
  (await scannedItems(environment.tables.transactions))
    .filter(({ pk, sk }) => `${pk} ${sk}`.includes(account))
    .map((item) => JSON.stringify(plain(item)));

/** Returns the size of an item as DynamoDB counts it. */
export const itemSize = (item: Readonly<Record<string, unknown>>): number =>
  itemBytes(copied(item) as Parameters<typeof itemBytes>[0]);

/** The maximum size of an item. */
export const itemBytesMax = 409_600;

/** Returns every record of the stream so far, as DynamoDB writes them. */
export const readRecords = async (StreamArn: string): Promise<StreamRecord[]> => {
  const read = streamReader(StreamArn);
  const records: StreamRecord[] = [];
  for (;;) {
    const page = await read();
    // An open shard has no end, so an empty page is the last one.
    if (page.length === 0) return records;
    records.push(...page);
  }
};

// Does not use the store's code, so a bug in both writing and reading is found. Looks up the functions on each call,
// because the simulation replaces them.
const zlib = () => process.getBuiltinModule('node:zlib');
const file = new URL('../../shared/store/client/compression-dictionary-1.txt', import.meta.url);
/** The compression dictionary of version 1. */
export const dictionary = Buffer.from(readFileSync(file, 'utf8').replaceAll(/\r?\n/g, ''));
const options = { dictionary };

/** Decompresses an attribute: its version, the CRC-32 of the data, then raw deflate with the dictionary. */
export const storedBytes = (attribute: unknown): Buffer => {
  const compressed = Buffer.from(attribute as Uint8Array);
  const bytes = zlib().inflateRawSync(compressed.subarray(5), options);
  if (compressed[0] !== 1 || compressed.readUInt32BE(1) !== zlib().crc32(bytes))
    throw new Error('A compressed attribute has another version or checksum.');
  return bytes;
};

export const storedText = (attribute: unknown): string => storedBytes(attribute).toString();

/** Compresses a string to an attribute. */
export const getAttribute = (text: string): Buffer => {
  const head = Buffer.alloc(5, 1);
  head.writeUInt32BE(zlib().crc32(text), 1);
  return Buffer.concat([head, zlib().deflateRawSync(text, options)]);
};
