import { ScanCommand, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { copiedItem, itemBytes } from '../../infra/local/memory-database/values.ts';
import { type StreamRecord, streamReader } from '../../infra/local/table-stream.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { storedText } from './stored-bytes.ts';

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
export const itemSize = (item: Readonly<Record<string, unknown>>): number => itemBytes(copiedItem(item));

/** The maximum size of an item. */
export const itemBytesMax = 409_600;

/** Returns every record of the stream so far, as DynamoDB writes them. */
export const readRecords = async (StreamArn: string): Promise<StreamRecord[]> => {
  const read = streamReader(StreamArn);
  const records: StreamRecord[] = [];
  for (;;) {
    const page = await read();
    // An open shard has no end.
    if (page.length === 0) return records;
    records.push(...page);
  }
};
