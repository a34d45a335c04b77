import { retryWhileStale } from '../../transactions/retry-while-stale.ts';
import { Contention, type RemainingMs } from '../client/contention.ts';

/** Retries while other writers change the same sums, within the time that is left. */
export const retryWhileCounting =
  (remainingMs: RemainingMs) =>
  <Value>(attempt: () => Promise<Value | 'stale'>): Promise<Value> =>
    retryWhileStale(attempt, {
      attemptsMax: 100,
      remainingMs,
      throwContention: () => {
        throw new Contention('Others keep changing the same sums.');
      },
    });
