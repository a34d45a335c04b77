import { setTimeout as sleep } from 'node:timers/promises';

const retries = 3;
const pauseMs = { least: 25, most: 200 };

/** The database is busy with what was asked: worth trying again. Answered with 503, by its name, where it stays so. */
export class Contention extends Error {
  override readonly name = 'ThrottlingException';
}

/** How long an attempt that may take so many milliseconds takes at the worst with all that follow it. */
export const contendedMsMax = (attemptMs: number): number => (retries + 1) * attemptMs + retries * pauseMs.most;

/** Four tries with jitter between them, so that those who met once do not meet again. Only contention is retried. */
export const retryContention = async <Value>(attempt: () => Promise<Value>): Promise<Value> => {
  for (let left = retries; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Contention) || left === 0) throw error;
      await sleep(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least));
    }
  }
};
