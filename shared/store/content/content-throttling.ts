import { setTimeout as sleep } from 'node:timers/promises';

const busy = new Set(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded']);
const tries = 8;
const pauseMs = { first: 100, most: 5000 };

/**
 * Try again, with longer and longer pauses, while the table is busy. A new one takes 4,000 write units a second and
 * doubles that while it is asked for more: an import waits for it.
 */
export const retryThrottled = async <Value>(attempt: () => Promise<Value>): Promise<Value> => {
  for (let round = 1; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (round === tries || !(error instanceof Error && busy.has(error.name))) throw error;
      const longest = Math.min(pauseMs.first * 2 ** round, pauseMs.most);
      await sleep(longest * (0.5 + Math.random() / 2));
    }
  }
};
