import { setTimeout as sleep } from 'node:timers/promises';

const throttlingNames = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);
const tries = 8;
const pauseMs = { first: 100, most: 5000 };

/**
 * Retry a throttled call with exponential backoff, up to 8 times. A new on-demand table takes 4,000 write units a second
 * and scales up under load, so that a large import is throttled at first.
 */
export const retryThrottled = async <Value>(attempt: () => Promise<Value>): Promise<Value> => {
  for (let round = 1; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (round === tries || !(error instanceof Error && throttlingNames.has(error.name))) throw error;
      const longest = Math.min(pauseMs.first * 2 ** round, pauseMs.most);
      await sleep(longest * (0.5 + Math.random() / 2));
    }
  }
};
