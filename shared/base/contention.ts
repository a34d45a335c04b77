import { setTimeout as sleep } from 'node:timers/promises';

/** Contention in the database. A retry can succeed; if all retries fail, this error becomes a 503. */
export class Contention extends Error {
  override readonly name = 'ThrottlingException';
}

/** The remaining time of the invocation, in milliseconds. */
export type RemainingMs = () => number;

/** Clock, sleep and randomness for retries, in milliseconds; tests replace them. */
export type Time = {
  /** A monotonic clock. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
};

export const realTime: Time = { now: () => performance.now(), sleep, random: () => Math.random() };

/** The upper bounds of the first pause and of any pause. */
type Pauses = { readonly firstMs: number; readonly mostMs: number };

/** Returns the pause before a retry (numbered from 0): exponential backoff with full jitter. */
export const pauseBefore = (retry: number, { firstMs, mostMs }: Pauses, { random }: Pick<Time, 'random'>): number =>
  random() * Math.min(mostMs, firstMs * 2 ** retry);

type Limits = {
  readonly pauses: Pauses;
  readonly attemptsMax: number;
  /** The longest pause that fits in the remaining time. */
  readonly leftMs: () => number;
  readonly time: Time;
};

/** Retries an attempt that throws a retryable error. Throws the error of the last attempt. */
const retry = async <Value>(
  attempt: () => Promise<Value>,
  isRetryable: (error: unknown) => boolean,
  { pauses, attemptsMax, leftMs, time }: Limits,
): Promise<Value> => {
  for (let tried = 0; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      const pauseMs = pauseBefore(tried, pauses, time);
      if (!isRetryable(error) || tried + 1 === attemptsMax || pauseMs > leftMs()) throw error;
      await time.sleep(pauseMs);
    }
  }
};

// Time reserved for one attempt and the response. The invocation's timeout ends an attempt that hangs.
const reserveMs = 2000;
const unlimited: RemainingMs = () => Number.POSITIVE_INFINITY;
const isContention = (error: unknown): boolean => error instanceof Contention;

class Stale extends Contention {}

/**
 * Retries a change while concurrent writes make it stale, with backoff and full jitter. Throws `Contention` while there
 * is still time to respond. In each round, one of the concurrent changes succeeds, so 100 attempts are enough. Usually
 * the invocation's time ends the retries first.
 */
export const retryWhileStale = <Value>(
  attempt: () => Promise<Value | 'stale'>,
  remainingMs = unlimited,
  time: Time = realTime,
): Promise<Value> =>
  retry(
    async () => {
      const result = await attempt();
      if (result === 'stale') throw new Stale('Concurrent writes keep changing the items.');
      return result;
    },
    (error) => error instanceof Stale,
    { pauses: { firstMs: 20, mostMs: 320 }, attemptsMax: 100, leftMs: () => remainingMs() - reserveMs, time },
  );

// API Gateway times out after 29 s, and most clients earlier.
const contendedMs = 8000;

/** Returns the maximum total time of `retryContention` if each attempt takes at most `attemptMs`. */
export const contendedMsMax = (attemptMs: number): number => contendedMs + attemptMs;

/**
 * Retries an attempt that throws `Contention`, with exponential backoff and full jitter, for at most 8 s and within the
 * invocation.
 *
 * It retries canceled transactions and the unprocessed keys of a batch. The SDK retries lost replies and throttled
 * calls, so each cause has one retry layer.
 */
export const retryContention = <Value>(
  attempt: () => Promise<Value>,
  remainingMs = unlimited,
  time: Time = realTime,
): Promise<Value> => {
  const end = time.now() + contendedMs;
  const leftMs = () => Math.min(end - time.now(), remainingMs() - reserveMs);
  const attemptsMax = Number.POSITIVE_INFINITY;
  return retry(attempt, isContention, { pauses: { firstMs: 50, mostMs: 1000 }, attemptsMax, leftMs, time });
};

const throttlingNames = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);

/**
 * Retries a throttled call with exponential backoff, up to 8 times. A new on-demand table starts at 4,000 write units
 * per second and scales up under load, so a large import is throttled at first.
 */
export const retryThrottled = <Value>(attempt: () => Promise<Value>): Promise<Value> =>
  retry(attempt, (error) => error instanceof Error && throttlingNames.has(error.name), {
    pauses: { firstMs: 300, mostMs: 8000 },
    attemptsMax: 8,
    leftMs: unlimited,
    time: realTime,
  });
