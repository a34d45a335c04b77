import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DeleteCommandInput,
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { Contention, type RemainingMs, retryContention } from '../../base/contention.ts';
import { database } from './client.ts';

/** Whether the condition of a write was met. Throws any other error. */
const isWritten = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};

/** Puts, updates or deletes an item. Returns `false` if the condition is not met; throws any other error. */
export const putItem = (input: PutCommandInput): Promise<boolean> => isWritten(database.send(new PutCommand(input)));
export const updateItem = (
  input: UpdateCommandInput,
  options: { readonly abortSignal?: AbortSignal } = {},
): Promise<boolean> => isWritten(database.send(new UpdateCommand(input), options));
export const deleteItem = (input: DeleteCommandInput): Promise<boolean> =>
  isWritten(database.send(new DeleteCommand(input)));

export type Writes = NonNullable<TransactWriteCommandInput['TransactItems']>;
export type Write = Writes[number];

/**
 * Sends the writes as one DynamoDB transaction: all are stored, or none. `refused` maps a canceled transaction to its
 * reason, or throws `Contention` if a retry may succeed. `isUncertain` states that an earlier attempt may have stored
 * the writes. Retries end when `remainingMs` is used up.
 *
 * The SDK sends its retries with the same ClientRequestToken, so a lost reply cannot cause a second write.
 */
export const writeTogether = <Refused>(
  TransactItems: Writes,
  refused: (exception: TransactionCanceledException, isUncertain: boolean) => Refused,
  remainingMs?: RemainingMs,
): Promise<Refused | { readonly kind: 'committed' }> => {
  let isUncertain = false;
  return retryContention(async () => {
    try {
      await database.send(new TransactWriteCommand({ TransactItems }));
      return { kind: 'committed' };
    } catch (error) {
      // An earlier attempt, whose reply was lost, is still in progress. A retry finds its outcome.
      if (error instanceof TransactionInProgressException) {
        isUncertain = true;
        throw new Contention('An earlier attempt of this transaction is in progress.', { cause: error });
      }
      if (!(error instanceof TransactionCanceledException)) throw error;
      return refused(error, isUncertain);
    }
  }, remainingMs);
};

/** The cancellation codes that a retry can resolve. */
const contentionCodes = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** Whether one of these cancellation codes is contention. */
export const isContended = (codes: readonly string[]): boolean => codes.some((code) => contentionCodes.has(code));

export const listCodes = ({ CancellationReasons = [] }: TransactionCanceledException): string[] =>
  CancellationReasons.map(({ Code = 'None' }) => Code);

/** Returns the existing item that made the first write's condition fail, if the write requested it. */
export const firstObstacle = ({ CancellationReasons = [] }: TransactionCanceledException) => {
  const item = CancellationReasons[0]?.Item;
  // The document client does not unmarshall the items of cancellation reasons.
  return item && unmarshall(item);
};

/** Throws `Contention` if a retry may succeed, otherwise the error itself. */
export const throwCanceled = (exception: TransactionCanceledException): never => {
  if (isContended(listCodes(exception)))
    throw new Contention('Other writers are changing the same items.', { cause: exception });
  throw exception;
};

/** Returns `stale` if a condition of the transaction failed. Otherwise throws `Contention` or the error itself. */
export const staleOrThrow = (exception: TransactionCanceledException): { readonly kind: 'stale' } =>
  listCodes(exception).includes('ConditionalCheckFailed') ? { kind: 'stale' } : throwCanceled(exception);

/** Conditions of a write, as the fields of a command or of a write in a transaction. */
export const absent = { ConditionExpression: 'attribute_not_exists(pk)' } as const;
export const present = { ConditionExpression: 'attribute_exists(pk)' } as const;

/** The existing item is returned if the condition fails. */
export const returned = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/** The item still has the version that was read. */
export const asSeen = (version: unknown) => ({
  ConditionExpression: 'version = :seen',
  ExpressionAttributeValues: { ':seen': version },
});

/** The item still does not exist (version 0), or still has the version that was read. */
export const absentOrAsSeen = (version: number) => (version === 0 ? absent : asSeen(version));
