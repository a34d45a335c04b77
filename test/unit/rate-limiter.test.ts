import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rateLimiter, type TakeRequests, windowMs } from '../../shared/accounts/rate-limiter.ts';
import { rateWindowKey } from '../../shared/store/keys.ts';
import { writablePartitions } from '../../shared/store/table-access.ts';
import { type Scene, sharedCounter, simulate, unexpected, usablePercent } from '../support/rate-limit-simulation.ts';

const start = 1_800_000_000_000;

describe('one rate limiter', () => {
  it('enforces the exact limit for any limit, any number of instances, and any order in which calls complete', async () => {
    const bounds = { limit: fc.nat(60), instances: fc.integer({ min: 1, max: 5 }), requests: fc.nat(120) };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.record(bounds), async (scheduler, { limit, instances, requests }) => {
        const { take } = sharedCounter();
        const limiters = Array.from({ length: instances }, () =>
          rateLimiter(scheduler.scheduleFunction(take), unexpected),
        );
        const responses = Array.from({ length: requests }, (_, index) =>
          limiters[index % instances]?.admit('a', limit, start + index),
        );
        await scheduler.waitFor(Promise.all(responses));
        const passed = (await Promise.all(responses)).filter((response) => response?.admitted).length;
        // All requests arrived concurrently, so one instance can have leased requests that another instance needed.
        expect(passed).toBeLessThanOrEqual(limit);
        if (instances === 1) expect(passed).toBe(Math.min(limit, requests));
      }),
    );
  });

  describe('leases of a limiter', () => {
    it('takes one lease for all queued requests', async () => {
      const { take, amounts } = sharedCounter();
      const { admit } = rateLimiter(take, unexpected);
      const responses = await Promise.all(Array.from({ length: 40 }, () => admit('a', 100, start)));
      expect(responses.every(({ admitted }) => admitted)).toBe(true);
      expect(amounts).toEqual([1, 39]);
    });

    it('rejects without a call after the window is used up, and resumes in the next window', async () => {
      const { take, amounts } = sharedCounter();
      const { admit, remaining } = rateLimiter(take, unexpected);
      for (let index = 0; index < 5; index++) expect((await admit('a', 5, start)).admitted).toBe(true);
      const calls = amounts.length;
      expect(remaining('a', 5, start)).toBe(0);
      for (let index = 0; index < 50; index++) expect((await admit('a', 5, start + 1)).admitted).toBe(false);
      expect(amounts.length).toBe(calls);
      expect(remaining('a', 5, start + windowMs)).toBe(5);
      expect(await admit('a', 5, start + windowMs)).toEqual({ admitted: true, remaining: 4, retryAfterSeconds: 10 });
    });

    it('leases at most a twentieth of the remaining requests', async () => {
      const { take, amounts } = sharedCounter();
      const { admit } = rateLimiter(take, unexpected);
      const limit = 400;
      for (let index = 0; index < limit; index++) expect((await admit('a', limit, start)).admitted).toBe(true);
      let used = 0;
      for (const amount of amounts) {
        expect(amount).toBeLessThanOrEqual(Math.max(1, (limit - used) / 20));
        used += amount;
      }
      expect(used).toBe(limit);
      expect(Math.max(...amounts)).toBeGreaterThan(5);
    });

    it.each([
      { at: 0, seconds: 10 },
      { at: 1, seconds: 10 },
      { at: 9000, seconds: 1 },
      { at: 9999, seconds: 1 },
    ])('returns a Retry-After of $seconds s at $at ms of the window', async ({ at, seconds }) => {
      const { admit } = rateLimiter(sharedCounter().take, unexpected);
      expect((await admit('a', 0, start + at)).retryAfterSeconds).toBe(seconds);
    });

    it('counts each account separately, and evicts the least recently used account', async () => {
      const { take, amounts } = sharedCounter();
      const { admit } = rateLimiter(take, unexpected);
      for (let index = 0; index < 1000; index++) await admit(`account ${index}`, 1, start);
      await admit('account 0', 1, start);
      expect(amounts.length).toBe(1000);
      await admit('account 1000', 1, start);
      await admit('account 0', 1, start);
      expect(amounts.length).toBe(1001);
      await admit('account 1', 1, start);
      expect(amounts.length).toBe(1002);
    });

    it('admits requests while the counter fails, with fewer and fewer calls, and resumes counting when it recovers', async () => {
      const { take, amounts } = sharedCounter();
      const askedAt: number[] = [];
      let time = start;
      let broken = true;
      const flaky: TakeRequests = async (...sent) => {
        askedAt.push(time - start);
        // Both calls are in flight before either fails.
        await new Promise(setImmediate);
        if (broken) throw new Error('down');
        return take(...sent);
      };
      const outages: unknown[] = [];
      const { admit } = rateLimiter(flaky, (error) => outages.push(error));
      const together = await Promise.all(Array.from({ length: 20 }, (_, index) => admit(`a${index % 2}`, 5, time)));
      expect(together.every(({ admitted, remaining }) => admitted && remaining === 5)).toBe(true);
      // A second account does not call the counter, because its request would have to wait for the same outage.
      for (; time < start + 60_000; time += 250) expect((await admit(`b${time % 3}`, 5, time)).admitted).toBe(true);
      expect(askedAt).toEqual([0, 0, 1000, 3000, 7000, 15_000, 31_000, 47_000]);
      expect(outages).toHaveLength(askedAt.length);

      broken = false;
      time = start + 63_000;
      expect((await admit('a', 5, time)).admitted).toBe(true);
      const counted = amounts.length;
      expect(counted).toBe(1);
      // A later outage is counted again.
      broken = true;
      time += windowMs;
      await admit('a', 5, time);
      await admit('a', 5, time + 999);
      await admit('a', 5, time + 1000);
      expect(askedAt.slice(-3)).toEqual([63_000, 73_000, 73_000]);
      expect(outages).toHaveLength(10);
    });

    it('admits leased requests and rejects requests of an exhausted window, even while the counter fails', async () => {
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
      // No other instance has leased requests, so this one can use the whole limit.
      { lowered: 120, admits: 120 },
    ])(
      'admits $admits more requests after the limit is lowered to $lowered, regardless of its leases',
      async ({ lowered, admits }) => {
        const { take, amounts } = sharedCounter();
        const { admit, remaining } = rateLimiter(take, unexpected);
        // Enough concurrent requests for a large lease.
        for (let index = 0; index < 60; index++) await admit('a', 2000, start - windowMs + 9000 + index);
        expect((await admit('a', 2000, start)).admitted).toBe(true);
        expect(amounts.at(-1)).toBeGreaterThan(20);
        const used = 1;
        let passed = 0;
        for (let index = 0; index < 200; index++) if ((await admit('a', lowered, start + 1)).admitted) passed += 1;
        expect(passed).toBe(Math.max(0, admits - used));
        expect(remaining('a', lowered, start + 1)).toBe(0);
      },
    );
  });

  const limit = 100;

  // Found in a load test: requests queued past the end of a window retried the counter forever, each time for the next
  // window.
  it('completes a queued request when another request opens the next window, without using that window', async () => {
    const asked: number[] = [];
    const end: (() => void)[] = [];
    const limiter = rateLimiter(
      (_account, windowStart, amount) => {
        const isFirst = asked.push(windowStart) === 1;
        if (asked.length > 10) throw new Error('It never ends.');
        // The first lease no longer fits into the window, but a smaller one does.
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
});

describe('rate limit counters', () => {
  const account = 'acct_1';
  const anyCounter = fc.nat(999_999_999);

  it('uses one counter with an unchanged key for a limit of up to 1,000 requests a second, for every instance', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 10_000 }), anyCounter, async (limit, counter) => {
        const { take, limits } = sharedCounter();
        await rateLimiter(take, unexpected, counter).admit(account, limit, start);
        expect([...limits]).toEqual([[0, limit]]);
      }),
    );
    expect(rateWindowKey(account, start, 0)).toEqual({ pk: 'RATE#acct_1', sk: `WINDOW#${start}` });
  });

  describe('limits above 1,000 requests a second', () => {
    it('adds up all counters to the limit, of at most 10,000 each', async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 10_001, max: 1_000_000 }), async (limit) => {
          const { take, limits } = sharedCounter();
          const expected = Math.ceil(limit / 10_000);
          for (let counter = 0; counter < expected; counter++)
            await rateLimiter(take, unexpected, counter).admit(account, limit, start);
          expect(limits.size).toBe(expected);
          expect([...limits.values()].reduce((sum, one) => sum + one, 0)).toBe(limit);
          expect(Math.max(...limits.values())).toBeLessThanOrEqual(10_000);
        }),
      );
    });

    it('tries three counters before it rejects a request, and none afterwards', async () => {
      const { take, asked, used } = sharedCounter();
      for (let counter = 0; counter < 5; counter++) used.set(counter, 10_000);
      const { admit, remaining } = rateLimiter(take, unexpected, 3);
      expect(await admit(account, 50_000, start)).toMatchObject({ admitted: false, remaining: 0 });
      expect(await admit(account, 50_000, start + 1)).toMatchObject({ admitted: false });
      expect(asked).toEqual([3, 4, 0]);
      expect(remaining(account, 50_000, start + 1)).toBe(0);
      // The next window starts with the same counter as the first.
      await admit(account, 50_000, start + windowMs);
      expect(asked[3]).toBe(3);
    });

    it('allows a single instance to reach the limit, and then rejects without further calls', async () => {
      const { take, asked } = sharedCounter();
      const { admit } = rateLimiter(take, unexpected, 3);
      let admitted = 0;
      for (let sent = 0; sent < 100_000; sent++) admitted += Number((await admit(account, 80_000, start)).admitted);
      expect(admitted).toBe(80_000);
      const calls = asked.length;
      await admit(account, 80_000, start);
      expect(asked).toHaveLength(calls);
    });

    it('applies a reduced limit of less than one counter as soon as it is known', async () => {
      const { take } = sharedCounter();
      const { admit } = rateLimiter(take, unexpected, 0);
      for (let sent = 0; sent < 500; sent++) await admit(account, 30_000, start);
      expect(await admit(account, 400, start)).toMatchObject({ admitted: false, remaining: 0 });
    });

    it('never exceeds the limit in a simulation with slow calls, and makes 98 %% of it usable', async () => {
      const limit = 25_000;
      const { admitted, writesPerRequest } = await simulate({
        limit,
        windows: 1,
        arrival: 'even',
        cold: true,
        instances: 60,
        demand: 1.2 * limit,
      });
      for (const count of admitted) {
        expect(count).toBeLessThanOrEqual(limit);
        expect(count).toBeGreaterThanOrEqual(0.98 * limit);
      }
      expect(writesPerRequest).toBeLessThan(1);
    });
  });

  it('uses only partitions that the function can write to', () => {
    const [pattern = ''] = writablePartitions({}).UpdateItem ?? [];
    const prefix = pattern.slice(0, -1);
    expect(pattern).toBe('RATE#*');
    const keys = [0, 1, 99].map((counter) => rateWindowKey(account, start, counter).pk);
    expect(keys).toEqual(['RATE#acct_1', 'RATE#acct_1#1', 'RATE#acct_1#99']);
    expect(keys.every((key) => key.startsWith(prefix))).toBe(true);
    // Account ids contain no '#', so no account shares a counter with another.
    expect(keys).not.toContain(rateWindowKey('acct_11', start).pk);
  });
});

describe('simulated instances', () => {
  const limit = 2000;
  const usual = { limit, windows: 3, arrival: 'even', cold: false } as const;
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const expectWithinLimit = (admitted: readonly number[], most = limit) => {
    for (const count of admitted) expect(count).toBeLessThanOrEqual(most);
  };

  describe.each([1, 100])('rate limit across %i instances', (instances) => {
    describe.each(['even', 'uneven', 'bursty'] as const)('%s arrivals', (arrival) => {
      it.each([true, false])('admits all requests at half of the limit (cold: %s)', async (cold) => {
        const { requested, admitted } = await simulate({ ...usual, instances, demand: limit / 2, arrival, cold });
        expect(sum(requested)).toBeGreaterThan(limit);
        expect(admitted).toEqual(requested);
      });

      it.each([
        { demand: 1, cold: true, writesMax: { 1: 0.07, 10: 0.25, 40: 0.75, 100: 1 } },
        { demand: 1, cold: false, writesMax: { 1: 0.07, 10: 0.25, 40: 0.75, 100: 0.98 } },
        { demand: 5, cold: true, writesMax: { 1: 0.04, 10: 0.04, 40: 0.2, 100: 0.2 } },
        { demand: 5, cold: false, writesMax: { 1: 0.04, 10: 0.04, 40: 0.2, 100: 0.2 } },
      ])('admits 98 to 100 % of the limit at $demand times the limit (cold: $cold)', async (given) => {
        const { demand, cold, writesMax } = given;
        const result = await simulate({ ...usual, instances, demand: demand * limit, arrival, cold });
        expectWithinLimit(result.admitted);
        expect(usablePercent(result, limit)).toBeGreaterThanOrEqual(98);
        expect(result.writesPerRequest).toBeLessThanOrEqual(writesMax[instances as keyof typeof writesMax]);
      });
    });

    it.each([{ demand: 0.95 }, { demand: 1.2 }, { demand: 5 }])(
      'admits at least 98% of the limit when a load of $demand times the limit moves between instances',
      async ({ demand }) => {
        const result = await simulate({ ...usual, instances, demand: demand * limit, arrival: 'moving' });
        expectWithinLimit(result.admitted);
        expect(usablePercent(result, limit)).toBeGreaterThanOrEqual(98);
      },
    );

    it('never exceeds the limit if responses are lost, but wastes part of it', async () => {
      const scene: Scene = { ...usual, instances, demand: 1.2 * limit, lostResponses: 0.05 };
      const result = await simulate(scene);
      expectWithinLimit(result.admitted);
      // One lease in twenty is counted twice.
      expect(usablePercent(result, limit)).toBeGreaterThanOrEqual(85);
      expect(sum(result.admitted)).toBeLessThan(sum((await simulate({ ...scene, lostResponses: 0 })).admitted));
    });
  });

  it.each([1, 3, 10])(
    'avoids a write for 9 of 10 requests at 10 requests per second on each of %i instances',
    async (instances) => {
      const result = await simulate({ ...usual, instances, demand: 100 * instances, windows: 6 });
      expect(result.writesPerRequest).toBeLessThanOrEqual(0.1);
    },
  );

  it.each([1, 7, 60, 200])('enforces a limit of %i and admits at least 98 % of it', async (small) => {
    const result = await simulate({ ...usual, limit: small, instances: 10, demand: 3 * small, seed: small });
    expectWithinLimit(result.admitted, small);
    expect(usablePercent(result, small)).toBeGreaterThanOrEqual(98);
  });
});
