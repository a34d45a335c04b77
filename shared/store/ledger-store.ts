import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Commit, Ledger } from '../transactions/ledger.ts';
import { database } from './client.ts';
import { recordRefusalOf, refusalOf } from './commit-obstacles.ts';
import { commitWrites, idempotencyWrites, type RoledWrite } from './commit-writes.ts';
import { retryContention } from './contention.ts';
import { ledgerReads } from './ledger-reads.ts';

/** Write all of it or nothing; a refusal is read from what stood in the way. */
const writeTogether = <Refused>(
  writes: readonly RoledWrite[],
  refused: (exception: TransactionCanceledException) => Refused,
): Promise<Refused | { readonly kind: 'committed' }> =>
  retryContention(async () => {
    try {
      await database.send(new TransactWriteCommand({ TransactItems: writes.map(({ write }) => write) }));
      return { kind: 'committed' };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      return refused(error);
    }
  });

/**
 * Make a commit's changes true together, or say why not: then nothing of it is stored.
 *
 * The SDK repeats one try under one ClientRequestToken, so a lost reply cannot write twice within it.
 */
const commit: Ledger['commit'] = (asked: Commit) => {
  const writes = commitWrites(asked);
  return writeTogether(writes, (exception) => refusalOf(asked, writes, exception));
};

// A transaction of one write, so that it is refused in the way of a commit.
const saveAnswer: Ledger['saveAnswer'] = (account, idempotency, nowMs) => {
  const writes = idempotencyWrites({ account, idempotency, nowMs });
  return writeTogether(writes, (exception) => recordRefusalOf(idempotency, writes, nowMs, exception));
};

/** The ledger on DynamoDB. */
export const ledger: Ledger = { ...ledgerReads, commit, saveAnswer };
