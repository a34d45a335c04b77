import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { RemainingMs } from '../../base/contention.ts';
import { environment } from '../../config/environment.ts';
import type { FilingCommit, FilingCommitted, FilingLedger } from '../../filings/ledger.ts';
import type { LiabilityEntry } from '../../ledger/entries/entry.ts';
import { absent, absentOrAsSeen, asSeen, present, staleOrThrow, type Write, writeTogether } from '../client/writes.ts';
import { accountKey, filedEntryKey, filingWorkKey, type ItemKey, openEntryKey, periodKey } from '../keys.ts';
import { headWrites, idempotencyWrites } from '../ledger/commit-writes.ts';
import { replayFrom } from '../ledger/idempotency-item.ts';
import { entryAttributes, openEntryItem } from '../ledger/open-entry-item.ts';
import { dueWrites } from './due-item.ts';
import { chainItem, filingItem } from './filing-item.ts';
import { filingProgressItem, totalsPartItem } from './filing-progress-item.ts';

const TableName = environment.tables.transactions;

type Condition = { readonly ConditionExpression: string };

const put = (Item: ItemKey & Readonly<Record<string, unknown>>, condition?: Condition): Write => ({
  Put: { TableName, Item, ...condition },
});
const remove = (Key: ItemKey, condition?: Condition): Write => ({ Delete: { TableName, Key, ...condition } });

/** Write an item that has a version: a new one, or one that still has the version that was read. */
const change = (
  before: { readonly version: number } | null,
  item: ItemKey & Readonly<Record<string, unknown>>,
): Write => put(item, absentOrAsSeen(before?.version ?? 0));

// An entry that was voided, retaxed or redacted since it was read has another version or is gone.
const take = (account: string, id: string, entry: LiabilityEntry): Write[] => [
  remove(openEntryKey(account, entry), asSeen(entry.version)),
  put({ ...filedEntryKey(account, id, entry), ...entryAttributes(entry) }, absent),
];

const giveBack = (account: string, id: string, entry: LiabilityEntry): Write[] => [
  remove(filedEntryKey(account, id, entry), asSeen(entry.version)),
  put(openEntryItem(account, entry), absent),
];

const periodWrites = ({ account, filing: { id, state }, period }: FilingCommit): Write[] => {
  if (period === null) return [];
  return 'put' in period
    ? [put({ ...periodKey(account, state, period.put), filing: id }, absent)]
    : [remove(periodKey(account, state, period.remove), present)];
};

const workWrites = ({ account, filing, work, nowMs }: FilingCommit): Write[] => {
  if (work === null) return [];
  const key = filingWorkKey(account, filing.id);
  return [work === 'put' ? put({ ...key, since: new Date(nowMs).toISOString() }) : remove(key)];
};

const settingsChecks = ({ account, settingsAsOf }: FilingCommit): Write[] => {
  if (settingsAsOf === undefined) return [];
  const check = { TableName: environment.tables.accounts, Key: accountKey(account) };
  const condition =
    settingsAsOf === null
      ? { ConditionExpression: 'attribute_not_exists(settings_changed_at)' }
      : {
          ConditionExpression: 'settings_changed_at = :settings',
          ExpressionAttributeValues: { ':settings': settingsAsOf },
        };
  return [{ ConditionCheck: { ...check, ...condition } }];
};

/** The writes of a commit in one DynamoDB transaction: at most 99. The idempotency record is first. */
const filingWrites = (commit: FilingCommit): Write[] => {
  const { account, filing, head, chain, progress, parts } = commit;
  return [
    ...idempotencyWrites(commit).map(({ write }) => write),
    ...(head ? [change(head.before, filingItem(head.after))] : []),
    ...(chain ? [change(chain.before, chainItem(chain.after))] : []),
    ...periodWrites(commit),
    ...workWrites(commit),
    ...settingsChecks(commit),
    ...(commit.due ? dueWrites(commit.due) : []),
    ...progress.map(({ before, after }) => change(before, filingProgressItem(account, filing.id, after))),
    ...parts.map((part) => put(totalsPartItem(account, filing.id, part))),
    ...commit.take.flatMap((entry) => take(account, filing.id, entry)),
    ...commit.giveBack.flatMap((entry) => giveBack(account, filing.id, entry)),
    ...commit.heads.flatMap((of) => headWrites(account, of, ['head', 'audit']).map(({ write }) => write)),
  ];
};

const findRefusal = (
  { idempotency, nowMs }: FilingCommit,
  exception: TransactionCanceledException,
): Exclude<FilingCommitted, { kind: 'committed' }> => {
  const record = idempotency && exception.CancellationReasons?.[0]?.Item;
  const replay = record ? replayFrom(unmarshall(record), idempotency, nowMs) : undefined;
  return replay ?? staleOrThrow(exception);
};

/**
 * Write a commit atomically, or return why it was refused; then nothing is stored. Attempts after a lost reply fail on the
 * versions.
 */
export const commitFilingWithin =
  (remainingMs: RemainingMs): FilingLedger['commit'] =>
  (commit) =>
    writeTogether(filingWrites(commit), (exception) => findRefusal(commit, exception), remainingMs);
