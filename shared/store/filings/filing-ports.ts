import { contendedMsMax, type RemainingMs } from '../../base/contention.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import { phaseStart } from '../../filings/filing.ts';
import type { ClosePorts, FilingCommit, FilingPorts } from '../../filings/ports.ts';
import type { LiabilityEntry } from '../../ledger/entries/entry.ts';
import { failureLine } from '../../observability/failure-line.ts';
import { findAccounts, listAccountIds } from '../accounts/account-store.ts';
import { callMsMax } from '../client/client.ts';
import { absent, absentOrAsSeen, asSeen, staleOrThrow, type Write, writeTogether } from '../client/writes.ts';
import { accountKey, dueKey, filedEntryKey, type Item, type ItemKey, openEntryKey } from '../keys.ts';
import { headWrites, idempotencyWrites, replayOfCanceled } from '../ledger/commit-writes.ts';
import { ledgerWithin } from '../ledger/ledger-store.ts';
import { newFilingId } from '../ledger/new-id.ts';
import { entryAttributes, openEntryItem } from '../ledger/open-entry-item.ts';
import { storedSize } from '../ledger/transaction-item.ts';
import { dueIndexWithin, dueWrites, putDue } from './due-index.ts';
import { chainItem, filingItem, filingProgressItem, totalsPartItem } from './filing-item.ts';
import { filingReadsWithin } from './filing-reads.ts';
import { reminderStore } from './reminder-store.ts';

const TableName = environment.tables.transactions;

type Condition = { readonly ConditionExpression: string };

const put = (Item: Item, condition?: Condition): Write => ({ Put: { TableName, Item, ...condition } });
const remove = (Key: ItemKey, condition?: Condition): Write => ({ Delete: { TableName, Key, ...condition } });

/** Returns the write of a versioned item: a new item, or an item that still has the version that was read. */
const change = (before: { readonly version: number } | null, item: Item): Write =>
  put(item, absentOrAsSeen(before?.version ?? 0));

// Moves an entry into a filing, unless it was voided, retaxed or redacted since it was read.
const take = (account: string, id: string, entry: LiabilityEntry): Write[] => [
  remove(openEntryKey(account, entry), asSeen(entry.version)),
  put({ ...filedEntryKey(account, id, entry), ...entryAttributes(entry) }, absent),
];

const giveBack = (account: string, id: string, entry: LiabilityEntry): Write[] => [
  remove(filedEntryKey(account, id, entry), asSeen(entry.version)),
  put(openEntryItem(account, entry), absent),
];

/** Adds a filing to the due index when its work begins, and removes it when the work ends. */
const workWrites = ({ head }: FilingCommit): Write[] => {
  if (!head || (head.before?.isUnfinished ?? false) === head.after.isUnfinished) return [];
  const { account, id: subject } = head.after;
  const place = { account, subject, at: phaseStart(head.after) };
  return [head.after.isUnfinished ? putDue(place) : remove(dueKey(place))];
};

const settingsChecks = ({ filing, settingsAsOf }: FilingCommit): Write[] => {
  if (settingsAsOf === undefined) return [];
  const check = { TableName: environment.tables.accounts, Key: accountKey(filing.account) };
  const condition =
    settingsAsOf === null
      ? { ConditionExpression: 'attribute_not_exists(settings_changed_at)' }
      : {
          ConditionExpression: 'settings_changed_at = :settings',
          ExpressionAttributeValues: { ':settings': settingsAsOf },
        };
  return [{ ConditionCheck: { ...check, ...condition } }];
};

/** Returns the writes of a commit, for one DynamoDB transaction: at most 99. The idempotency record is first. */
const filingWrites = (commit: FilingCommit): Write[] => {
  const { filing, nowMs, idempotency = null, head, chain, due, progress = [], parts = [] } = commit;
  const { take: taken = [], giveBack: reopened = [], heads = [] } = commit;
  const { account } = filing;
  return [
    ...idempotencyWrites({ account, idempotency, nowMs }).map(({ write }) => write),
    ...(head ? [change(head.before, filingItem(head.after))] : []),
    ...(chain ? [change(chain.before, chainItem(chain.after))] : []),
    ...workWrites(commit),
    ...settingsChecks(commit),
    ...(due ? dueWrites(due) : []),
    ...progress.map(({ before, after }) => change(before, filingProgressItem(account, filing.id, after))),
    ...parts.map((part) => put(totalsPartItem(account, filing.id, part))),
    ...taken.flatMap((entry) => take(account, filing.id, entry)),
    ...reopened.flatMap((entry) => giveBack(account, filing.id, entry)),
    ...heads.flatMap((head) => headWrites(account, head, ['head', 'audit']).map(({ write }) => write)),
  ];
};

/**
 * Writes a commit atomically, or stores nothing and returns why it was rejected. A retry after a lost reply fails the
 * version conditions.
 */
const commitWithin =
  (remainingMs: RemainingMs): FilingPorts['filings']['commit'] =>
  (commit) =>
    writeTogether(
      filingWrites(commit),
      (exception) => replayOfCanceled(exception, commit) ?? staleOrThrow(exception),
      remainingMs,
    );

// The limit of a DynamoDB transaction is 100 writes: two for each entry, and one for the shard.
const stepEntriesMax = 49;
// The item limit is 400 KB. This many rows are about 20 KB compressed, or 210 KB with 12 random 28-digit amounts each.
const totalsRowsMax = 1000;
// A step reads entries, their parts of the totals and their transactions, and writes once.
const stepMsMax = 2 * callMsMax + contendedMsMax(callMsMax);

const failureReporter = (what: string) => (error: unknown) => console.error({ filings: what, ...failureLine(error) });

/** Returns the ports of the use cases that change filings, bounded by the time left in the invocation. */
export const filingPorts = (remainingMs: RemainingMs): FilingPorts => ({
  filings: { ...filingReadsWithin(remainingMs), commit: commitWithin(remainingMs) },
  ledger: ledgerWithin(remainingMs),
  now,
  newId: newFilingId,
  storedSize,
  remainingMs,
  stepMsMax,
  stepEntriesMax,
  totalsRowsMax,
  onFailure: failureReporter('work'),
});

export const closePorts = (remainingMs: RemainingMs): ClosePorts => ({
  ...filingPorts(remainingMs),
  onFailure: failureReporter('close-periods'),
  due: dueIndexWithin(remainingMs),
  reminders: reminderStore(remainingMs),
  accountIds: listAccountIds,
  findAccounts,
});
