import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { Commit, Ledger } from '../../transactions/ledger.ts';
import type { RemainingMs } from '../client/contention.ts';
import { writeTogether } from '../client/write-together.ts';
import { recordRefusalOf, refusalOf } from './commit-obstacles.ts';
import { commitWrites, idempotencyWrites, type RoledWrite } from './commit-writes.ts';
import { ledgerReadsWithin } from './ledger-reads.ts';

const transact = <Refused>(
  writes: readonly RoledWrite[],
  refused: (exception: TransactionCanceledException) => Refused,
  remainingMs?: RemainingMs,
) =>
  writeTogether(
    writes.map(({ write }) => write),
    refused,
    remainingMs,
  );

/** Write a commit atomically, or return why it was refused; then nothing is stored. */
const commitWithin =
  (remainingMs?: RemainingMs): Ledger['commit'] =>
  (commit: Commit) => {
    const writes = commitWrites(commit);
    return transact(writes, (exception) => refusalOf(commit, writes, exception), remainingMs);
  };

// A transaction of one write, so that a refusal has the same form as that of a commit.
const saveAnswerWithin =
  (remainingMs?: RemainingMs): Ledger['saveAnswer'] =>
  (account, idempotency, nowMs) => {
    const writes = idempotencyWrites({ account, idempotency, nowMs });
    const refused = (exception: TransactionCanceledException) => recordRefusalOf(idempotency, writes, nowMs, exception);
    return transact(writes, refused, remainingMs);
  };

/** The ledger on DynamoDB. It stops retrying contention when `remainingMs` is used up. */
export const ledgerWithin = (remainingMs?: RemainingMs): Ledger => ({
  ...ledgerReadsWithin(remainingMs),
  commit: commitWithin(remainingMs),
  saveAnswer: saveAnswerWithin(remainingMs),
});

/** The ledger without a time limit. */
export const ledger: Ledger = ledgerWithin();
