import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import type { RemainingMs } from '../../base/contention.ts';
import type { Commit, Committed, Ledger } from '../../ledger/ports.ts';
import { isContended, staleOrThrow, throwCanceled, writeTogether } from '../client/writes.ts';
import {
  commitWrites,
  idempotencyWrites,
  ownerCheck,
  type Role,
  type RoledWrite,
  replayOfCanceled,
  responseLinkWrites,
} from './commit-writes.ts';
import { replayFrom } from './idempotency-item.ts';
import { ledgerReadsWithin } from './ledger-reads.ts';

type Obstacle = { readonly role: Role; readonly code: string; readonly item: Readonly<Record<string, unknown>> | null };

const staleRoles = new Set<Role>(['head', 'audit', 'parent', 'replaced', 'release']);
const tellingRoles = new Set<Role>(['idempotency', 'audit']);
const closedRoles = new Set<Role>(['remove', 'replace']);

const Claim = z.object({ transaction_id: z.string() });

// The reasons are in the order of the writes. The document client does not unmarshall their items.
const findObstacles = (
  writes: readonly RoledWrite[],
  { CancellationReasons = [] }: TransactionCanceledException,
): Obstacle[] =>
  writes.map(({ role }, position) => {
    const { Code = 'None', Item } = CancellationReasons[position] ?? {};
    return { role, code: Code, item: Item ? unmarshall(Item) : null };
  });

/**
 * Returns why DynamoDB canceled a commit. A commit that was sent again after a lost reply finds its own writes and
 * counts as committed.
 *
 * Throws `Contention` if the caller should retry, and the exception itself if it is a bug.
 */
const findRefusal = (
  { idempotency, head, nowMs }: Commit,
  writes: readonly RoledWrite[],
  exception: TransactionCanceledException,
): Committed => {
  const obstacles = findObstacles(writes, exception);
  const failed = obstacles.filter(({ code }) => code === 'ConditionalCheckFailed');
  const failedAs = (role: Role) => failed.find((obstacle) => obstacle.role === role);

  const record = failedAs('idempotency')?.item;
  const replay = record && idempotency ? replayFrom(record, idempotency, nowMs) : undefined;
  if (replay) return replay;

  // The entry's hash covers the state, the time and the previous entry, so only this commit can have written it. Audit
  // entries are never deleted.
  if (failedAs('audit')?.item?.['hash'] === head.entry.hash) return { kind: 'committed', isRepeat: true };

  // The other writer may be an earlier attempt of this request. Its outcome determines the meaning of the other
  // reasons.
  if (isContended(obstacles.flatMap(({ role, code }) => (tellingRoles.has(role) ? [code] : []))))
    return throwCanceled(exception);

  const claim = failedAs('take');
  if (claim) return { kind: 'reference_taken', transactionId: Claim.parse(claim.item).transaction_id };
  if (failed.some(({ role }) => staleRoles.has(role))) return { kind: 'stale' };
  // A concurrent change of the head can also remove an open entry. Without contention, a filing removed it.
  if (isContended(obstacles.map(({ code }) => code))) return throwCanceled(exception);
  if (failed.some(({ role }) => closedRoles.has(role))) return { kind: 'period_closed' };
  throw exception;
};

const withoutRoles = (writes: readonly RoledWrite[]) => writes.map(({ write }) => write);

/** Returns the ledger on DynamoDB. It stops retrying contention when `remainingMs` is used up. */
export const ledgerWithin = (remainingMs?: RemainingMs): Ledger => ({
  ...ledgerReadsWithin(remainingMs),
  commit: (commit) => {
    const writes = commitWrites(commit);
    return writeTogether(withoutRoles(writes), (exception) => findRefusal(commit, writes, exception), remainingMs);
  },
  // Uses a transaction even for one write, so a rejection has the same form as a commit's.
  saveResponse: (account, idempotency, nowMs, owner) => {
    const commit = { account, idempotency, nowMs };
    const links = owner ? [...responseLinkWrites(account, owner, commit), ownerCheck(account, owner)] : [];
    const writes = [...idempotencyWrites(commit), ...links];
    const refused = (exception: TransactionCanceledException) =>
      replayOfCanceled(exception, commit) ?? staleOrThrow(exception);
    return writeTogether(withoutRoles(writes), refused, remainingMs);
  },
});

/** The ledger without a time limit. */
export const ledger: Ledger = ledgerWithin();
