import { pauseBefore, realTime, type Time } from '../../base/backoff.ts';
import { Contention, type RemainingMs } from '../../base/contention.ts';

const pauses = { firstMs: 50, mostMs: 1000 };
// API Gateway times out after 29 s, and most clients earlier.
const retryMs = 8000;
// Kept for the last attempt and the answer. The invocation's timeout ends an attempt that hangs.
const reserveMs = 2000;

/** The reasons of a canceled transaction that a retry can resolve. */
export const contentionCodes: ReadonlySet<string> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/** The longest time of all attempts together, if one attempt takes at most `attemptMs`. */
export const contendedMsMax = (attemptMs: number): number => retryMs + attemptMs;

/**
 * Retry an attempt that throws `Contention`, with exponential backoff and full jitter, for at most 8 s and within the
 * invocation.
 *
 * It retries canceled transactions and the unprocessed keys of a batch. The SDK retries lost replies and throttled calls,
 * so each cause has one retry layer.
 */
export const retryContention = async <Value>(
  attempt: () => Promise<Value>,
  remainingMs: RemainingMs = () => Number.POSITIVE_INFINITY,
  time: Time = realTime,
): Promise<Value> => {
  const end = time.now() + retryMs;
  for (let retry = 0; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Contention)) throw error;
      const pauseMs = pauseBefore(retry, pauses, time);
      if (pauseMs > Math.min(end - time.now(), remainingMs() - reserveMs)) throw error;
      await time.sleep(pauseMs);
    }
  }
};
