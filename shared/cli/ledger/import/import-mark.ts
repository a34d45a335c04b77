import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { environment } from '../../../config/environment.ts';
import { database } from '../../../store/client/client.ts';
import { readItem } from '../../../store/client/reads.ts';
import { importMarkKey } from '../../../store/keys.ts';

const TableName = environment.tables.transactions;

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

/** Whether the condition of a write held. */
const isWritten = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};

/** Set the first mark; `false` if another import has set one. */
export const beginMark = (account: string, mark: Mark): Promise<boolean> => {
  const Item = { ...importMarkKey(account), ...mark };
  return isWritten(database.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' })));
};

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
