import { expect, it } from 'vitest';
import { rateLimiter, windowMs } from '../../shared/accounts/rate-limiter.ts';

const limit = 100;

// Seen in a load run: requests that waited over the end of a window asked the counter for ever, each time for the next one.
it('answers a request that still waits when another one opens the next window, without taking from that', async () => {
  const asked: number[] = [];
  const end: (() => void)[] = [];
  const limiter = rateLimiter(
    (_account, windowStart, amount) => {
      const isFirst = asked.push(windowStart) === 1;
      if (asked.length > 10) throw new Error('It never ends.');
      // The first lease does not fit any more, a smaller one does.
      return new Promise((resolve) => {
        end.push(() => resolve(isFirst ? { taken: false, used: limit - 1 } : { taken: true, used: amount }));
      });
    },
    (error) => {
      throw error;
    },
  );
  const early = limiter.admit('a', limit, windowMs - 1);
  const late = limiter.admit('a', limit, windowMs);
  for (let turns = 0; turns < 20; turns += 1) {
    end.shift()?.();
    await new Promise(setImmediate);
  }
  expect(await Promise.all([early, late])).toMatchObject([{ admitted: true }, { admitted: true }]);
  expect(asked).toEqual([0, windowMs, 0]);
});
