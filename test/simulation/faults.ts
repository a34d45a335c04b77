import {
  type CancellationReason,
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import { below, chance, oneOf, weighted } from './world.ts';

/** A fault of one attempt of a database call. */
export type Fault =
  | 'none'
  | 'throttled'
  | 'lost before'
  | 'lost after'
  | 'server error before'
  | 'server error after'
  | 'crash before'
  | 'crash after'
  | 'conflict'
  | 'slow'
  | 'throttled transaction';

/** The share of calls with a fault. */
export const faultShare = 0.25;

const ofAll: readonly (readonly [number, Fault])[] = [
  [20, 'throttled'],
  [15, 'lost before'],
  [25, 'lost after'],
  [3, 'server error before'],
  [3, 'server error after'],
  [8, 'crash before'],
  [14, 'crash after'],
];
const ofTransactions: readonly (readonly [number, Fault])[] = [
  ...ofAll,
  [22, 'conflict'],
  [22, 'slow'],
  [8, 'throttled transaction'],
];

export const drawFault = (share: number, isTransaction: boolean): Fault =>
  chance(share) ? weighted(isTransaction ? ofTransactions : ofAll) : 'none';

const exception = (name: string, $fault: 'client' | 'server') =>
  new DynamoDBServiceException({ name, $fault, message: `${name}, by the simulation`, $metadata: {} });

export const throttled = () =>
  exception(oneOf(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded']), 'client');
export const serverError = () => exception('InternalServerError', 'server');
export const timedOut = () => Object.assign(new Error('The simulation keeps the answer.'), { name: 'TimeoutError' });

export const inProgress = () =>
  new TransactionInProgressException({ message: 'In progress, by the simulation', $metadata: {} });

/**
 * A transaction canceled by contention. A contended item has no other reason; uncontended actions keep theirs, as in DynamoDB.
 */
export const contended = (
  code: 'TransactionConflict' | 'ThrottlingError',
  reasons: readonly CancellationReason[],
  held: readonly boolean[],
): TransactionCanceledException => {
  const busy = held.includes(true) ? -1 : below(reasons.length);
  return new TransactionCanceledException({
    message: 'Transaction cancelled, by the simulation',
    $metadata: {},
    CancellationReasons: reasons.map((reason, at) =>
      at === busy || held[at] || chance(0.3) ? { Code: code } : reason,
    ),
  });
};
