import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { encodeTime } from 'ulid';
import * as z from 'zod/mini';
import type { RemainingMs } from '../../base/contention.ts';
import { contendedMsMax } from '../../base/contention.ts';
import { environment } from '../../config/environment.ts';
import type { RetentionPorts } from '../../ledger/personal-data/retention.ts';
import { findAccounts, listAccountIds } from '../accounts/account-store.ts';
import { callMsMax, database, isWritten } from '../client/client.ts';
import { queryPage, readItem } from '../client/reads.ts';
import { retentionKey, retentionSweepKey } from '../keys.ts';
import { sweepPosition } from '../sweep-position.ts';
import { redactionPorts } from './redaction-store.ts';

const TableName = environment.tables.transactions;
// A redaction reads a transaction twice, its entries, filings and answers, and writes once.
const batchMsMax = 7 * callMsMax + contendedMsMax(callMsMax);

const Reached = z.object({ after: z.string() });

const reached: RetentionPorts['reached'] = async (account) => {
  const item = await readItem(TableName, retentionKey(account));
  return item === undefined ? null : Reached.parse(item).after;
};

// Keep the position of a concurrent run that is ahead.
const reach: RetentionPorts['reach'] = async (account, after) => {
  await isWritten(
    database.send(
      new PutCommand({
        TableName,
        Item: { ...retentionKey(account), after },
        ConditionExpression: 'attribute_not_exists(pk) OR #after < :after',
        ExpressionAttributeNames: { '#after': 'after' },
        ExpressionAttributeValues: { ':after': after },
      }),
    ),
  );
};

const olderIds: RetentionPorts['olderIds'] = async (account, after, beforeMs, limit) => {
  // Ids begin with the time of creation.
  const end = `txn_${encodeTime(beforeMs, 10)}`;
  const start = after === null ? 'txn_' : `${after}!`;
  if (start >= end) return [];
  const { items } = await queryPage({
    TableName,
    IndexName: 'by_account',
    KeyConditionExpression: 'account = :account AND id BETWEEN :start AND :end',
    ExpressionAttributeValues: { ':account': account, ':start': start, ':end': end },
    ProjectionExpression: 'id',
    Limit: limit,
  });
  return items.map(({ id }) => String(id));
};

/** The ports of the retention setting, for a schedule with this much time left. */
export const retentionPorts = (remainingMs: RemainingMs, onFailure: RetentionPorts['onFailure']): RetentionPorts => ({
  ...redactionPorts(remainingMs),
  accountIds: listAccountIds,
  findAccounts,
  position: sweepPosition(retentionSweepKey),
  reached,
  reach,
  olderIds,
  batchMsMax,
  onFailure,
});
