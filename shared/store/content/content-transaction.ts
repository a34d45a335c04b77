import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { database } from '../client/client.ts';
import { Contention, contentionCodes, retryContention } from '../client/contention.ts';

/**
 * Write all of these items of the Content table, or none where a condition does not hold: `failed` has the positions of
 * those whose condition it was, and is empty where all was written. What others write at the same time is waited for.
 *
 * The SDK repeats one try under one ClientRequestToken, so a lost reply is not taken for a condition that failed.
 */
export const transact = (
  TransactItems: NonNullable<TransactWriteCommandInput['TransactItems']>,
): Promise<{ readonly failed: readonly number[] }> =>
  retryContention(async () => {
    try {
      await database.send(new TransactWriteCommand({ TransactItems }));
      return { failed: [] };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
      const failed = codes.flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []));
      if (failed.length > 0) return { failed };
      if (codes.some((code) => contentionCodes.has(code ?? '')))
        throw new Contention('Others are writing the same content.', { cause: error });
      throw error;
    }
  });
