import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';

const retries = 3;
const pauseMs = { least: 25, most: 200 };

/** The database is busy with what was asked: worth trying again. Answered with 503, by its name, where it stays so. */
export class Contention extends Error {
  override readonly name = 'ThrottlingException';
}

/** Four tries with full jitter between them, so that those who met once do not meet again. Only contention is retried. */
export const retryContention = <Value>(attempt: () => Promise<Value>): Promise<Value> =>
  pRetry(attempt, {
    retries,
    minTimeout: 0,
    shouldRetry: async ({ error }) => {
      if (!(error instanceof Contention)) return false;
      await sleep(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least));
      return true;
    },
  });
