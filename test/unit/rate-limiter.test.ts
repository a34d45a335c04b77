import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rateLimiter, type TakeRequests, windowMs } from '../../shared/accounts/rate-limiter.ts';

const start = 1_800_000_000_000;
const unexpected = (error: unknown): never => {
  throw error;
};

/** A counter in memory that does what the conditional ADD does; `latency` ends a call. */
const sharedCounter = (latency: () => Promise<void> = async () => {}) => {
  const windows = new Map<string, number>();
  const counter = { calls: 0, amounts: [] as number[] };
  const take: TakeRequests = async (account, windowStart, amount, limit) => {
    counter.calls += 1;
    counter.amounts.push(amount);
    const window = `${account} ${windowStart}`;
    const used = windows.get(window);
    const taken = used === undefined || used <= limit - amount;
    if (taken) windows.set(window, (used ?? 0) + amount);
    const after = windows.get(window) ?? 0;
    await latency();
    return { taken, used: after };
  };
  return { take, counter };
};

describe('the limit', () => {
  it('is exact for any limit, any number of instances, and any order in which calls end', async () => {
    const bounds = { limit: fc.nat(60), instances: fc.integer({ min: 1, max: 5 }), requests: fc.nat(120) };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.record(bounds), async (scheduler, { limit, instances, requests }) => {
        const { take } = sharedCounter();
        const limiters = Array.from({ length: instances }, () =>
          rateLimiter(scheduler.scheduleFunction(take), unexpected),
        );
        const answers = Array.from({ length: requests }, (_, index) =>
          limiters[index % instances]?.admit('a', limit, start + index),
        );
        await scheduler.waitFor(Promise.all(answers));
        const passed = (await Promise.all(answers)).filter((answer) => answer?.admitted).length;
        // All came at once, so what one instance leased and did not need, another may have been refused.
        expect(passed).toBeLessThanOrEqual(limit);
        if (instances === 1) expect(passed).toBe(Math.min(limit, requests));
      }),
    );
  });
});

describe('a limiter', () => {
  it('takes one lease for the requests that wait, not one each', async () => {
    const { take, counter } = sharedCounter();
    const { admit } = rateLimiter(take, unexpected);
    const answers = await Promise.all(Array.from({ length: 40 }, () => admit('a', 100, start)));
    expect(answers.every(({ admitted }) => admitted)).toBe(true);
    expect(counter.amounts).toEqual([1, 39]);
  });

  it('refuses without a call once the window is used up, and starts again in the next one', async () => {
    const { take, counter } = sharedCounter();
    const { admit, remaining } = rateLimiter(take, unexpected);
    for (let index = 0; index < 5; index++) expect((await admit('a', 5, start)).admitted).toBe(true);
    const { calls } = counter;
    expect(remaining('a', 5, start)).toBe(0);
    for (let index = 0; index < 50; index++) expect((await admit('a', 5, start + 1)).admitted).toBe(false);
    expect(counter.calls).toBe(calls);
    expect(remaining('a', 5, start + windowMs)).toBe(5);
    expect(await admit('a', 5, start + windowMs)).toEqual({ admitted: true, remaining: 4, retryAfterSeconds: 10 });
  });

  it('leases at most a twentieth of the remaining requests', async () => {
    const { take, counter } = sharedCounter();
    const { admit } = rateLimiter(take, unexpected);
    const limit = 400;
    for (let index = 0; index < limit; index++) expect((await admit('a', limit, start)).admitted).toBe(true);
    let used = 0;
    for (const amount of counter.amounts) {
      expect(amount).toBeLessThanOrEqual(Math.max(1, (limit - used) / 20));
      used += amount;
    }
    expect(used).toBe(limit);
    expect(Math.max(...counter.amounts)).toBeGreaterThan(5);
  });

  it.each([
    { at: 0, seconds: 10 },
    { at: 1, seconds: 10 },
    { at: 9000, seconds: 1 },
    { at: 9999, seconds: 1 },
  ])('returns $seconds s at $at ms of the window', async ({ at, seconds }) => {
    const { admit } = rateLimiter(sharedCounter().take, unexpected);
    expect((await admit('a', 0, start + at)).retryAfterSeconds).toBe(seconds);
  });

  it('counts each account by itself, and forgets the one unused for longest', async () => {
    const { take, counter } = sharedCounter();
    const { admit } = rateLimiter(take, unexpected);
    for (let index = 0; index <= 1000; index++) await admit(`account ${index}`, 1, start);
    expect(counter.calls).toBe(1001);
    await admit('account 1000', 1, start);
    expect(counter.calls).toBe(1001);
    await admit('account 0', 1, start);
    expect(counter.calls).toBe(1002);
  });

  it('admits requests while the counter fails, with fewer and fewer calls, and counts again once it answers', async () => {
    const { take, counter } = sharedCounter();
    const askedAt: number[] = [];
    let time = start;
    let broken = true;
    const flaky: TakeRequests = async (...sent) => {
      askedAt.push(time - start);
      // Both calls are under way before either fails.
      await new Promise(setImmediate);
      if (broken) throw new Error('down');
      return take(...sent);
    };
    const outages: unknown[] = [];
    const { admit } = rateLimiter(flaky, (error) => outages.push(error));
    const together = await Promise.all(Array.from({ length: 20 }, (_, index) => admit(`a${index % 2}`, 5, time)));
    expect(together.every(({ admitted, remaining }) => admitted && remaining === 5)).toBe(true);
    // Another account does not find out by itself: it would wait as long again.
    for (; time < start + 60_000; time += 250) expect((await admit(`b${time % 3}`, 5, time)).admitted).toBe(true);
    expect(askedAt).toEqual([0, 0, 1000, 3000, 7000, 15_000, 31_000, 47_000]);
    expect(outages).toHaveLength(askedAt.length);

    broken = false;
    time = start + 63_000;
    expect((await admit('a', 5, time)).admitted).toBe(true);
    const counted = counter.calls;
    expect(counted).toBe(1);
    // An outage later is a new one.
    broken = true;
    time += windowMs;
    await admit('a', 5, time);
    await admit('a', 5, time + 999);
    await admit('a', 5, time + 1000);
    expect(askedAt.slice(-3)).toEqual([63_000, 73_000, 73_000]);
    expect(outages).toHaveLength(10);
  });

  it('admits leased requests, and refuses a used-up window, even while the counter fails', async () => {
    const { take } = sharedCounter();
    let broken = false;
    const flaky: TakeRequests = (...sent) => {
      if (broken) throw new Error('down');
      return take(...sent);
    };
    const { admit, remaining } = rateLimiter(flaky, () => {});
    for (let index = 0; index < 3; index++) await admit('full', 3, start);
    broken = true;
    await admit('other', 3, start);
    expect((await admit('full', 3, start)).admitted).toBe(false);
    expect(remaining('full', 3, start)).toBe(0);
  });

  it.each([
    { lowered: 0, admits: 0 },
    { lowered: 1, admits: 0 },
    // Nobody else has taken any: what is leased here may be used under any limit that it fits in.
    { lowered: 120, admits: 120 },
  ])(
    'admits $admits more once the limit is lowered to $lowered, whatever it has leased',
    async ({ lowered, admits }) => {
      const { take, counter } = sharedCounter();
      const { admit, remaining } = rateLimiter(take, unexpected);
      // Enough of them at once for a lease of many.
      for (let index = 0; index < 60; index++) await admit('a', 2000, start - windowMs + 9000 + index);
      expect((await admit('a', 2000, start)).admitted).toBe(true);
      expect(counter.amounts.at(-1)).toBeGreaterThan(20);
      const used = 1;
      let passed = 0;
      for (let index = 0; index < 200; index++) if ((await admit('a', lowered, start + 1)).admitted) passed += 1;
      expect(passed).toBe(Math.max(0, admits - used));
      expect(remaining('a', lowered, start + 1)).toBe(0);
    },
  );
});

const limit = 100;

// Seen in a load run: requests that waited past the end of a window retried the counter for ever, each time for the next window.
it('answers a waiting request when another one opens the next window, without using that window', async () => {
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
