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

// Another version of the compressor may write other bytes of the same.
const inTheOpen = (item: object) =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? decompressBytes(value).toString('base64') : value,
    ]),
  );

/** Whether a transaction there was this one before: an expired draft is swept also while an import pauses. */
const isSuccessor = async (account: string, there: Item, item: Item): Promise<boolean> => {
  const { sk, id, version } = item;
  if (sk !== 'H' || !(Number(there['version']) > Number(version))) return false;
  const entry = await readItem(TableName, auditKey(account, String(id), Number(version)));
  return entry?.['audit_hash'] === item['audit_hash'];
};

/** Put an item where there is none; `false` where there is another. The same one may be there already. */
export const putItem = (account: string, item: Item): Promise<boolean> =>
  retryThrottled(async () => {
    try {
      await database.send(new PutCommand({ TableName, Item: item, ConditionExpression: 'attribute_not_exists(pk)' }));
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const { pk, sk } = item;
      const there = await readItem(TableName, { pk, sk });
      if (there === undefined) return false;
      return isDeepStrictEqual(inTheOpen(there), inTheOpen(item)) || isSuccessor(account, there as Item, item);
    }
  });
