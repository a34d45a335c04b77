import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Account } from '../../accounts/account.ts';
import { environment } from '../../config/environment.ts';
import { database, isWritten } from '../client/client.ts';
import { readItem } from '../client/reads.ts';
import { present, staleOrThrow, writeTogether } from '../client/writes.ts';
import { accountKey, accountRegisterKey } from '../keys.ts';
import { dueNow } from './account-store.ts';

const TableName = environment.tables.accounts;

/**
 * Close an account at an ISO instant; `false` if it does not exist or is closed. Credentials are refused within 60 s.
 * The schedule stops closing its periods, even one that it is about to close, because the instant counts as a change of
 * settings.
 */
export const closeAccount = (account: string, at: string): Promise<boolean> =>
  isWritten(
    database.send(
      new UpdateCommand({
        TableName,
        Key: accountKey(account),
        UpdateExpression: 'SET closed_at = :at, settings_changed_at = :at',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(closed_at)',
        ExpressionAttributeValues: { ':at': at },
      }),
    ),
  );

/** Open a closed account again; `false` if it is not closed any more, or is being deleted. Its keys stay revoked. */
export const reopenAccount = async ({ id, settings, closed_at }: Account, at: string): Promise<boolean> => {
  const update = {
    TableName,
    Key: accountKey(id),
    UpdateExpression: 'REMOVE closed_at SET settings_changed_at = :at',
    ConditionExpression: 'closed_at = :seen AND attribute_not_exists(deletion)',
    ExpressionAttributeValues: { ':seen': closed_at, ':at': at },
  };
  const writes = [{ Update: update }, ...dueNow(id, settings.registrations)];
  return (await writeTogether(writes, staleOrThrow)).kind === 'committed';
};

/** The export that a deletion was allowed with, and when the deletion began (ISO instant). */
const Deletion = z.object({ export_sha256: z.string(), started_at: z.string() });
export type Deletion = z.infer<typeof Deletion>;

/** The tombstone of a deleted account. It prevents the reuse of the id. */
const Tombstone = z.object({ id: z.string(), closed_at: z.string(), deleted_at: z.string(), deletion: Deletion });
export type Tombstone = z.infer<typeof Tombstone>;

/** The unfinished deletion of an account, or the tombstone after it. */
export const findDeletion = async (
  account: string,
): Promise<{ readonly deletion?: Deletion; readonly tombstone?: Tombstone }> => {
  const item = await readItem(TableName, accountKey(account));
  if (item?.['deletion'] === undefined) return {};
  return item['deleted_at'] === undefined
    ? { deletion: Deletion.parse(item['deletion']) }
    : { tombstone: Tombstone.parse(item) };
};

/**
 * Record that a closed account is being deleted, so that an interrupted deletion resumes; `false` if it is not closed
 * any more.
 */
export const beginDeletion = ({ id, closed_at }: Account, deletion: Deletion): Promise<boolean> =>
  isWritten(
    database.send(
      new UpdateCommand({
        TableName,
        Key: accountKey(id),
        UpdateExpression: 'SET deletion = :deletion',
        ConditionExpression: 'closed_at = :seen AND attribute_not_exists(deletion)',
        ExpressionAttributeValues: { ':seen': closed_at, ':deletion': deletion },
      }),
    ),
  );

/** Replace an account whose items are deleted by its tombstone, and take it out of the register. */
export const endDeletion = async (tombstone: Tombstone): Promise<void> => {
  const { id, deletion } = tombstone;
  const put = {
    TableName,
    Item: { ...accountKey(id), ...tombstone },
    ConditionExpression: 'deletion.export_sha256 = :export',
    ExpressionAttributeValues: { ':export': deletion.export_sha256 },
  };
  // The tombstone first: after an interruption the register still has the account, so that it can be found.
  await database.send(new PutCommand(put));
  await writeTogether([{ Delete: { TableName, Key: accountRegisterKey(id), ...present } }], staleOrThrow);
};
