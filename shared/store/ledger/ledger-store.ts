import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Commit, Ledger } from '../../transactions/ledger.ts';
import { database } from '../client/client.ts';
import { Contention, type RemainingMs, retryContention } from '../client/contention.ts';
import { recordRefusalOf, refusalOf } from './commit-obstacles.ts';
import { commitWrites, idempotencyWrites, type RoledWrite } from './commit-writes.ts';
import { ledgerReadsWithin } from './ledger-reads.ts';

/** Send the writes as one DynamoDB transaction. `refused` reads the reason of a cancellation. */
const writeTogether = <Refused>(
  writes: readonly RoledWrite[],
  refused: (exception: TransactionCanceledException) => Refused,
  remainingMs?: RemainingMs,
): Promise<Refused | { readonly kind: 'committed' }> =>
  retryContention(async () => {
    try {
      await database.send(new TransactWriteCommand({ TransactItems: writes.map(({ write }) => write) }));
      return { kind: 'committed' };
    } catch (error) {
      // An earlier attempt of the same transaction, whose reply was lost. A retry finds its outcome.
      if (error instanceof TransactionInProgressException)
        throw new Contention('The transaction is being written.', { cause: error });
      if (!(error instanceof TransactionCanceledException)) throw error;
      return refused(error);
    }
  }, remainingMs);

/**
 * Write a commit atomically, or return why it was refused; then nothing is stored.
 *
 * The SDK sends its retries with one ClientRequestToken, so that a lost reply cannot cause a second write.
 */
const commitWithin =
  (remainingMs?: RemainingMs): Ledger['commit'] =>
  (commit: Commit) => {
    const writes = commitWrites(commit);
    return writeTogether(writes, (exception) => refusalOf(commit, writes, exception), remainingMs);
  };

// A transaction of one write, so that a refusal has the same form as that of a commit.
const saveAnswerWithin =
  (remainingMs?: RemainingMs): Ledger['saveAnswer'] =>
  (account, idempotency, nowMs) => {
    const writes = idempotencyWrites({ account, idempotency, nowMs });
    const refused = (exception: TransactionCanceledException) => recordRefusalOf(idempotency, writes, nowMs, exception);
    return writeTogether(writes, refused, remainingMs);
  };

/** The ledger on DynamoDB. It stops retrying contention when `remainingMs` is used up. */
export const ledgerWithin = (remainingMs?: RemainingMs): Ledger => ({
  ...ledgerReadsWithin(remainingMs),
  commit: commitWithin(remainingMs),
  saveAnswer: saveAnswerWithin(remainingMs),
});

/** The ledger without a time limit. */
export const ledger: Ledger = ledgerWithin();
