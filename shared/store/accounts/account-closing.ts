import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Account } from '../../accounts/account.ts';
import { environment } from '../../config/environment.ts';
import { database } from '../client/client.ts';
import { readItem } from '../client/reads.ts';
import { present, staleOrThrow, updateItem, writeTogether } from '../client/writes.ts';
import { accountKey, accountRegisterKey } from '../keys.ts';
import { dueNow } from './account-store.ts';
import { whileOpen } from './api-key-store.ts';

const TableName = environment.tables.accounts;

/**
 * Closes an account at an ISO 8601 time; `false` if it does not exist or is already closed. Credentials are rejected
 * within 60 s. The schedule no longer closes its periods. The new `settings_changed_at` also stops a closing in
 * progress.
 */
export const closeAccount = (account: string, at: string): Promise<boolean> =>
  updateItem({
    TableName,
    Key: accountKey(account),
    UpdateExpression: 'SET closed_at = :at, settings_changed_at = :at',
    ...whileOpen,
    ExpressionAttributeValues: { ':at': at },
  });

/** Reopens a closed account; `false` if it is not closed or is being deleted. Its keys remain revoked. */
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

/** The export that the deletion was based on, and when the deletion began (ISO 8601). */
const Deletion = z.object({ export_sha256: z.string(), started_at: z.string() });
type Deletion = z.infer<typeof Deletion>;

/** The tombstone of a deleted account. It prevents the reuse of the id. */
const Tombstone = z.object({ id: z.string(), closed_at: z.string(), deleted_at: z.string(), deletion: Deletion });
type Tombstone = z.infer<typeof Tombstone>;

/** Returns the unfinished deletion of an account, or the tombstone after it. */
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
 * Records that a closed account is being deleted, so an interrupted deletion can resume; `false` if the account is no
 * longer closed.
 */
export const beginDeletion = ({ id, closed_at }: Account, deletion: Deletion): Promise<boolean> =>
  updateItem({
    TableName,
    Key: accountKey(id),
    UpdateExpression: 'SET deletion = :deletion',
    ConditionExpression: 'closed_at = :seen AND attribute_not_exists(deletion)',
    ExpressionAttributeValues: { ':seen': closed_at, ':deletion': deletion },
  });

/** Replaces a fully deleted account with its tombstone and removes it from the register. */
export const endDeletion = async (tombstone: Tombstone): Promise<void> => {
  const { id, deletion } = tombstone;
  const put = {
    TableName,
    Item: { ...accountKey(id), ...tombstone },
    ConditionExpression: 'deletion.export_sha256 = :export',
    ExpressionAttributeValues: { ':export': deletion.export_sha256 },
  };
  // Write the tombstone first: after an interruption, the register still lists the account.
  await database.send(new PutCommand(put));
  await writeTogether([{ Delete: { TableName, Key: accountRegisterKey(id), ...present } }], staleOrThrow);
};
