import { pauseBefore, realTime, type Time } from './backoff.ts';

/** Contention in the database. A retry may succeed; if none does, the name of this error makes the answer a 503. */
export class Contention extends Error {
  override readonly name = 'ThrottlingException';
}

/** The remaining time of the invocation, in milliseconds. */
export type RemainingMs = () => number;

const pauses = { firstMs: 20, mostMs: 320 };
// The time reserved for one attempt and the answer.
const reserveMs = 2000;
// One of several concurrent changes succeeds in each round. Usually the invocation's time ends the retries first.
const attemptsMax = 100;

/**
 * Retry a change while concurrent writes make it stale, with backoff and full jitter. Throws `Contention` while there is
 * still time to answer.
 */
export const retryWhileStale = async <Value>(
  attempt: () => Promise<Value | 'stale'>,
  remainingMs: RemainingMs = () => Number.POSITIVE_INFINITY,
  time: Time = realTime,
): Promise<Value> => {
  for (let retry = 0; retry < attemptsMax; retry++) {
    const result = await attempt();
    if (result !== 'stale') return result;
    const pauseMs = pauseBefore(retry, pauses, time);
    if (pauseMs > remainingMs() - reserveMs) break;
    await time.sleep(pauseMs);
  }
  throw new Contention('Concurrent writes keep changing the same items.');
};
