import { ScanCommand, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { storedText } from './stored-bytes.ts';

// Without the code of the store, so that what it hides is found.
const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return storedText(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
};

/** Every item of the Transactions table whose key has the account, as text with all attributes decompressed. */
export const rawItemsOf = async (account: string): Promise<string[]> => {
  const items: string[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page: ScanCommandOutput = await database.send(
      new ScanCommand({ TableName: environment.tables.transactions, ...(start && { ExclusiveStartKey: start }) }),
    );
    for (const item of page.Items ?? [])
      if (`${item['pk']} ${item['sk']}`.includes(account)) items.push(JSON.stringify(plain(item)));
    start = page.LastEvaluatedKey;
  } while (start);
  return items;
};
