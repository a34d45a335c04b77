import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import type { Commit, Committed, Idempotency, Replay } from '../../transactions/ledger.ts';
import { Contention, contentionCodes } from '../client/contention.ts';
import type { Role, RoledWrite } from './commit-writes.ts';
import { replayFrom } from './idempotency-item.ts';

type Obstacle = { readonly role: Role; readonly code: string; readonly item: Readonly<Record<string, unknown>> | null };

const staleRoles = new Set<Role>(['head', 'audit', 'parent', 'release']);
const tellingRoles = new Set<Role>(['idempotency', 'audit']);
const closedRoles = new Set<Role>(['remove', 'replace']);

const Claim = z.object({ transaction_id: z.string() });

// In the order of the writes; the document client leaves these items in wire form.
const obstaclesOf = (
  writes: readonly RoledWrite[],
  { CancellationReasons = [] }: TransactionCanceledException,
): Obstacle[] =>
  writes.map(({ role }, position) => {
    const { Code = 'None', Item } = CancellationReasons[position] ?? {};
    return { role, code: Code, item: Item ? unmarshall(Item) : null };
  });

/**
 * Why a commit was refused, and whether it was: one whose reply was lost, and which was sent again, finds itself.
 *
 * Throws `Contention` where it is worth another try, and the exception itself where it is a bug.
 */
export const refusalOf = (
  { idempotency, head, nowMs }: Commit,
  writes: readonly RoledWrite[],
  exception: TransactionCanceledException,
): Committed => {
  const obstacles = obstaclesOf(writes, exception);
  const failed = obstacles.filter(({ code }) => code === 'ConditionalCheckFailed');
  const failedAs = (role: Role) => failed.find((obstacle) => obstacle.role === role);

  const record = failedAs('idempotency')?.item;
  const replay = record && idempotency ? replayFrom(record, idempotency, nowMs) : undefined;
  if (replay) return replay;

  // The entry's hash covers the state, the time and the entry before: only this very commit can have left it, and it is
  // there for ever, whatever became of the head since.
  if (failedAs('audit')?.item?.['audit_hash'] === head.entry.hash) return { kind: 'committed', isRepeat: true };

  // Whoever is writing these two may be this very request, sent before: what it leaves decides what the others mean.
  if (obstacles.some(({ role, code }) => tellingRoles.has(role) && contentionCodes.has(code)))
    throw new Contention('Others are writing the same record.', { cause: exception });

  const claim = failedAs('take');
  if (claim) return { kind: 'reference_taken', transactionId: Claim.parse(claim.item).transaction_id };
  if (failed.some(({ role }) => staleRoles.has(role))) return { kind: 'stale' };
  // A missing entry of a head that is being changed may be the change's doing: only an unmoved head blames the filing.
  if (obstacles.some(({ code }) => contentionCodes.has(code))) {
    throw new Contention('Other transactions are writing the same items.', { cause: exception });
  }
  if (failed.some(({ role }) => closedRoles.has(role))) return { kind: 'period_closed' };
  throw exception;
};

/** What stands in the way of an idempotency record alone: the one that is there. Otherwise it is worth another try. */
export const recordRefusalOf = (
  idempotency: Idempotency,
  writes: readonly RoledWrite[],
  nowMs: number,
  exception: TransactionCanceledException,
): Replay => {
  const [obstacle] = obstaclesOf(writes, exception);
  const replay = obstacle?.item ? replayFrom(obstacle.item, idempotency, nowMs) : undefined;
  if (replay) return replay;
  if (!contentionCodes.has(obstacle?.code ?? '')) throw exception;
  throw new Contention('Others are writing the same record.', { cause: exception });
};
