import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../../config/environment.ts';
import { database } from '../../../store/client/client.ts';
import { decompressBytes } from '../../../store/client/compressed.ts';
import { readItem } from '../../../store/client/reads.ts';
import { retryThrottled } from '../../../store/content/content-client.ts';
import { auditKey } from '../../../store/keys.ts';
import type { Item } from './line-items.ts';

const TableName = environment.tables.transactions;

// Another version of the compressor may write other bytes for the same content.
const uncompressed = (item: object) =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? decompressBytes(value).toString('base64') : value,
    ]),
  );

/** Whether the stored transaction is a later version of this one: an expired draft may be swept during the import. */
const isSuccessor = async (account: string, stored: Item, item: Item): Promise<boolean> => {
  const { sk, id, version } = item;
  if (sk !== 'H' || !(Number(stored['version']) > Number(version))) return false;
  const entry = await readItem(TableName, auditKey(account, String(id), Number(version)));
  return entry?.['audit_hash'] === item['audit_hash'];
};

/** Put an item if its key has none or the same one; `false` if it has another one. */
export const putItem = (account: string, item: Item): Promise<boolean> =>
  retryThrottled(async () => {
    try {
      await database.send(new PutCommand({ TableName, Item: item, ConditionExpression: 'attribute_not_exists(pk)' }));
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const { pk, sk } = item;
      const stored = await readItem(TableName, { pk, sk });
      if (stored === undefined) return false;
      return isDeepStrictEqual(uncompressed(stored), uncompressed(item)) || isSuccessor(account, stored as Item, item);
    }
  });
