import { pauseBefore, realTime, type Time } from '../../backoff.ts';

const pauses = { firstMs: 50, mostMs: 1000 };
// A gateway waits 29 s for an answer, and a client hardly so long.
const patienceMs = 8000;
// What is left for the last attempt and the answer. An attempt that hangs is ended by the invocation, as an outage.
const reserveMs = 2000;

/** The database is busy with what was asked: worth trying again. Answered with 503, by its name, where it stays so. */
export class Contention extends Error {
  override readonly name = 'ThrottlingException';
}

/** Why a write of a cancelled transaction failed, where that is worth another try. */
export const contentionCodes: ReadonlySet<string> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/** How long an attempt that may take so many milliseconds takes at the worst with all that follow it. */
export const contendedMsMax = (attemptMs: number): number => patienceMs + attemptMs;

/** Until when attempts are made: for some seconds, and never past the invocation that makes them. */
export type RemainingMs = () => number;

/**
 * Attempt until there is no contention, with full jitter in between, as long as the invocation lasts; at most 8 s.
 *
 * Of contention alone: a cancelled transaction, and keys that a batch left unread. What else can be tried again (lost
 * replies, a call that is throttled) the SDK has tried again by then, so that no cause is retried twice over.
 */
export const retryContention = async <Value>(
  attempt: () => Promise<Value>,
  remainingMs: RemainingMs = () => Number.POSITIVE_INFINITY,
  time: Time = realTime,
): Promise<Value> => {
  const end = time.now() + patienceMs;
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
