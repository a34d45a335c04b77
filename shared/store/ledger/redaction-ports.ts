import { encodeTime } from 'ulid';
import * as z from 'zod/mini';
import { toBatches } from '../../base/collections.ts';
import { contendedMsMax, type RemainingMs } from '../../base/contention.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import type { RedactionPorts, RedactionStore, RetentionPorts } from '../../ledger/personal-data/redact.ts';
import { findAccounts, listAccountIds } from '../accounts/account-store.ts';
import { callMsMax } from '../client/client.ts';
import { batchGet, findItem, keysMax, partitionQuery, queryPage, queryPages, readItem } from '../client/reads.ts';
import { asSeen, putItem, staleOrThrow, type Write, writeTogether } from '../client/writes.ts';
import { allFilings, findEntries } from '../filings/entry-places.ts';
import * as keys from '../keys.ts';
import { sweepPosition } from '../sweep-position.ts';
import { auditEntryFrom } from './audit-item.ts';
import { headWrites } from './commit-writes.ts';
import { redactedResponse } from './idempotency-item.ts';
import { ledgerWithin } from './ledger-store.ts';
import { entryAttributes, openEntryFrom } from './open-entry-item.ts';
import { transactionFrom } from './transaction-item.ts';

const TableName = environment.tables.transactions;

/** Reads the items of a transaction: the head, the audit entries, and links to saved responses. */
const read: RedactionStore['read'] = async (account, id) => {
  const { pk, sk: headSk } = keys.headKey(account, id);
  const head = await readItem(TableName, { pk, sk: headSk });
  if (head === undefined) return undefined;
  const stored = transactionFrom(head);
  const responses: string[] = [];
  let newest: ReturnType<typeof auditEntryFrom> | undefined;
  for await (const items of queryPages(partitionQuery(TableName, pk, 'sk < :end', { ':end': headSk })))
    for (const item of items) {
      if (typeof item['response'] === 'string') responses.push(item['response']);
      if (item['version'] === stored.transaction.version) newest = auditEntryFrom(item);
    }
  return { stored, newest, responses: [...responses, ...(await linkedResponses(pk, keys.responseLinkPrefix))] };
};

/** Returns the digests of the idempotency records that are linked in a partition. */
export const linkedResponses = async (pk: string, prefix = ''): Promise<string[]> => {
  const digests: string[] = [];
  const query =
    prefix === ''
      ? partitionQuery(TableName, pk)
      : partitionQuery(TableName, pk, 'begins_with(sk, :links)', { ':links': prefix });
  for await (const items of queryPages(query)) digests.push(...items.map(({ sk }) => sk.slice(prefix.length)));
  return digests;
};

/** Removes the personal data from the saved responses that exist. Retries of their requests receive the redacted response. */
export const redactResponses: RedactionStore['redactResponses'] = async (account, digests) => {
  // An idempotency key that was reused after a day has one record and two links.
  for await (const some of toBatches([...new Set(digests)], keysMax)) {
    const records = some.map((digest) => keys.idempotencyKey(account, digest));
    for (const record of await batchGet(TableName, records)) {
      const response = redactedResponse(record, now());
      if (response === null) continue;
      await putItem({
        TableName,
        Item: { ...record, response },
        // The record may have expired and its key may have been reused by a different request.
        ConditionExpression: 'fingerprint = :fingerprint AND expires_at = :end',
        ExpressionAttributeValues: { ':fingerprint': record['fingerprint'], ':end': record['expires_at'] },
      });
    }
  }
};

const locateEntries: RedactionStore['locateEntries'] = async (account, expected) => {
  if (expected.length === 0) return [];
  const isOpen = (found: Awaited<ReturnType<typeof findEntries>>) =>
    found.every((place) => place.found.some(({ filing }) => filing === null));
  // Most recent entries are open, so the filings usually do not need to be read.
  const open = await findEntries(account, expected, []);
  const all = isOpen(open) ? open : await findEntries(account, expected, await allFilings(account));
  return all.flatMap(({ found }) =>
    found.map(({ item, filing }) => ({ entry: openEntryFrom(item), filing: filing?.id ?? null })),
  );
};

/** Returns the ports of redactions on DynamoDB, bounded by the time that the caller has left. */
export const redactionPorts = (remainingMs: RemainingMs = () => Number.POSITIVE_INFINITY): RedactionPorts => ({
  store: {
    read,
    locateEntries,
    redactResponses,
    commit: async (account, change, entries) => {
      const writes: Write[] = entries.map(({ before: { entry, filing }, after }) => {
        const key = filing === null ? keys.openEntryKey(account, after) : keys.filedEntryKey(account, filing, after);
        return { Put: { TableName, Item: { ...key, ...entryAttributes(after) }, ...asSeen(entry.version) } };
      });
      const heads = headWrites(account, change, ['head', 'audit']).map(({ write }) => write);
      return (await writeTogether([...heads, ...writes], staleOrThrow, remainingMs)).kind;
    },
  },
  ledger: ledgerWithin(remainingMs),
  now,
  remainingMs,
});

// A redaction reads a transaction twice, its entries, filings and saved responses, and writes once.
const batchMsMax = 7 * callMsMax + contendedMsMax(callMsMax);

const Reached = z.object({ after: z.string() });

const reached: RetentionPorts['reached'] = async (account) =>
  (await findItem(TableName, keys.retentionKey(account), (item) => Reached.parse(item)))?.after ?? null;

// If a concurrent run is ahead, keep its position.
const reach: RetentionPorts['reach'] = async (account, after) => {
  await putItem({
    TableName,
    Item: { ...keys.retentionKey(account), after },
    ConditionExpression: 'attribute_not_exists(pk) OR #after < :after',
    ExpressionAttributeNames: { '#after': 'after' },
    ExpressionAttributeValues: { ':after': after },
  });
};

const olderIds: RetentionPorts['olderIds'] = async (account, after, beforeMs, limit) => {
  // Ids begin with the creation time.
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

/** Returns the ports of the retention setting, bounded by the time left in the run. */
export const retentionPorts = (remainingMs: RemainingMs, onFailure: RetentionPorts['onFailure']): RetentionPorts => ({
  ...redactionPorts(remainingMs),
  accountIds: listAccountIds,
  findAccounts,
  position: sweepPosition(keys.retentionSweepKey),
  reached,
  reach,
  olderIds,
  batchMsMax,
  onFailure,
});
