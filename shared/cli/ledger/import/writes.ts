import { isDeepStrictEqual } from 'node:util';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { retryThrottled } from '../../../base/contention.ts';
import { environment } from '../../../config/environment.ts';
import { database, isWritten } from '../../../store/client/client.ts';
import { decompressBytes } from '../../../store/client/compressed.ts';
import { readItem } from '../../../store/client/reads.ts';
import { auditKey, importMarkKey } from '../../../store/keys.ts';
import type { Item } from './line-items.ts';

const TableName = environment.tables.transactions;

/** Put an item; `false` if its key has one. */
const putNew = (Item: Item): Promise<boolean> =>
  isWritten(database.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' })));

/** The file of an import and the last line that is written, so that an interrupted import can resume. */
const Mark = z.object({
  sha256: z.string(),
  written: z.int(),
  started_at: z.string(),
  finished_at: z.nullable(z.string()),
});
export type Mark = z.infer<typeof Mark>;

export const readMark = async (account: string): Promise<Mark | undefined> => {
  const item = await readItem(TableName, importMarkKey(account));
  return item === undefined ? undefined : Mark.parse(item);
};

/** Set the first mark; `false` if another import has set one. */
export const beginMark = (account: string, mark: Mark): Promise<boolean> =>
  putNew({ ...importMarkKey(account), ...mark });

/** Move the mark forward. Two imports of the same file can run: the mark of the faster one stays. */
export const moveMark = async (account: string, { sha256, written, finished_at }: Mark): Promise<void> => {
  const update = new UpdateCommand({
    TableName,
    Key: importMarkKey(account),
    UpdateExpression: 'SET written = :written, finished_at = :finished',
    ConditionExpression: 'sha256 = :file AND written <= :written',
    ExpressionAttributeValues: { ':file': sha256, ':written': written, ':finished': finished_at },
  });
  await isWritten(database.send(update));
};

// Another version of the compressor may write other bytes for the same content.
const uncompressed = (item: object) =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? decompressBytes(value).toString('base64') : value,
    ]),
  );

/** Whether the stored transaction is a later version of this one: an expired draft may be swept during the import. */
const isSuccessor = async (
  account: string,
  stored: Readonly<Record<string, unknown>>,
  item: Item,
): Promise<boolean> => {
  const { sk, id, version } = item;
  if (sk !== 'H' || !(Number(stored['version']) > Number(version))) return false;
  const entry = await readItem(TableName, auditKey(account, String(id), Number(version)));
  return entry?.['audit_hash'] === item['audit_hash'];
};

/** Put an item if its key has none or the same one; `false` if it has another one. */
export const putItem = (account: string, item: Item): Promise<boolean> =>
  retryThrottled(async () => {
    if (await putNew(item)) return true;
    const stored = await readItem(TableName, { pk: item.pk, sk: item.sk });
    if (stored === undefined) return false;
    return isDeepStrictEqual(uncompressed(stored), uncompressed(item)) || isSuccessor(account, stored, item);
  });
