import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { environment } from '../../../config/environment.ts';
import { database } from '../../../store/client/client.ts';
import { readItem } from '../../../store/client/reads.ts';
import { importMarkKey } from '../../../store/keys.ts';

const TableName = environment.tables.transactions;

/** Which file an account's ledger comes from, and up to which line it is written: what an import goes on with. */
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

/** Set the first mark; `false` where another import has set one. */
export const beginMark = async (account: string, mark: Mark): Promise<boolean> => {
  try {
    const Item = { ...importMarkKey(account), ...mark };
    await database.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' }));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};

/** Write down how far an import is. One that is further has been there: two of the same file do no harm. */
export const moveMark = async (account: string, { sha256, written, finished_at }: Mark): Promise<void> => {
  try {
    await database.send(
      new UpdateCommand({
        TableName,
        Key: importMarkKey(account),
        UpdateExpression: 'SET written = :written, finished_at = :finished',
        ConditionExpression: 'sha256 = :file AND written <= :written',
        ExpressionAttributeValues: { ':file': sha256, ':written': written, ':finished': finished_at },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
};
