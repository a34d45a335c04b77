import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Commit, Ledger } from '../../transactions/ledger.ts';
import { database } from '../client/client.ts';
import { Contention, type RemainingMs, retryContention } from '../client/contention.ts';
import { recordRefusalOf, refusalOf } from './commit-obstacles.ts';
import { commitWrites, idempotencyWrites, type RoledWrite } from './commit-writes.ts';
import { ledgerReadsWithin } from './ledger-reads.ts';

/** Write all of it or nothing; a refusal is read from what stood in the way. */
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
      // The same one, whose reply was lost: another try finds what became of it.
      if (error instanceof TransactionInProgressException)
        throw new Contention('The transaction is being written.', { cause: error });
      if (!(error instanceof TransactionCanceledException)) throw error;
      return refused(error);
    }
  }, remainingMs);

/**
 * Make a commit's changes true together, or say why not: then nothing of it is stored.
 *
 * The SDK repeats one try under one ClientRequestToken, so a lost reply cannot write twice within it.
 */
const commitWithin =
  (remainingMs?: RemainingMs): Ledger['commit'] =>
  (asked: Commit) => {
    const writes = commitWrites(asked);
    return writeTogether(writes, (exception) => refusalOf(asked, writes, exception), remainingMs);
  };

// A transaction of one write, so that it is refused in the way of a commit.
const saveAnswerWithin =
  (remainingMs?: RemainingMs): Ledger['saveAnswer'] =>
  (account, idempotency, nowMs) => {
    const writes = idempotencyWrites({ account, idempotency, nowMs });
    const refused = (exception: TransactionCanceledException) => recordRefusalOf(idempotency, writes, nowMs, exception);
    return writeTogether(writes, refused, remainingMs);
  };

/** The ledger on DynamoDB, for an invocation that lasts so long: contention is waited for no longer. */
export const ledgerWithin = (remainingMs?: RemainingMs): Ledger => ({
  ...ledgerReadsWithin(remainingMs),
  commit: commitWithin(remainingMs),
  saveAnswer: saveAnswerWithin(remainingMs),
});

/** The same where no invocation ends. */
export const ledger: Ledger = ledgerWithin();
