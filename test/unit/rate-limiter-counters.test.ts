import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rateLimiter, type TakeRequests, windowMs } from '../../shared/accounts/rate-limiter.ts';
import { rateWindowKey } from '../../shared/store/keys.ts';
import { updatablePartitions } from '../../shared/store/table-access.ts';
import { simulate } from '../support/rate-limit-simulation.ts';

const account = 'acct_1';
const start = 1_800_000_000_000;
const unexpected = (error: unknown): never => {
  throw error;
};

/** The store in memory, and the calls that it received. */
const counters = () => {
  const used = new Map<number, number>();
  const parts = new Map<number, number>();
  const asked: number[] = [];
  const take: TakeRequests = async (_, __, amount, limit, counter = 0) => {
    const before = used.get(counter) ?? 0;
    const taken = before + amount <= limit;
    if (taken) used.set(counter, before + amount);
    parts.set(counter, limit);
    asked.push(counter);
    return { taken, used: used.get(counter) ?? 0 };
  };
  return { take, used, parts, asked };
};
const anyCounter = fc.nat(999_999_999);

describe('a limit of up to 1,000 requests a second', () => {
  it('is one counter with an unchanged key, for every instance', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 10_000 }), anyCounter, async (limit, counter) => {
        const { take, parts } = counters();
        await rateLimiter(take, unexpected, counter).admit(account, limit, start);
        expect([...parts]).toEqual([[0, limit]]);
      }),
    );
    expect(rateWindowKey(account, start, 0)).toEqual({ pk: 'RATE#acct_1', sk: `WINDOW#${start}` });
  });
});

describe('a larger limit', () => {
  it('is the sum of all its counters, of at most 10,000 each', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 10_001, max: 1_000_000 }), async (limit) => {
        const { take, parts } = counters();
        const expected = Math.ceil(limit / 10_000);
        for (let counter = 0; counter < expected; counter++)
          await rateLimiter(take, unexpected, counter).admit(account, limit, start);
        expect(parts.size).toBe(expected);
        expect([...parts.values()].reduce((sum, one) => sum + one, 0)).toBe(limit);
        expect(Math.max(...parts.values())).toBeLessThanOrEqual(10_000);
      }),
    );
  });

  it('is never exceeded, and nearly all of it can be used', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 10_001, max: 45_000 }),
        fc.array(anyCounter, { minLength: 40, maxLength: 40 }),
        async (limit, seeds) => {
          const { take } = counters();
          const instances = seeds.map((counter) => rateLimiter(take, unexpected, counter));
          let admitted = 0;
          for (let sent = 0; sent < 2 * limit; sent++) {
            const time = start + Math.floor((sent * (windowMs - 1)) / (2 * limit));
            const one = await instances[sent % instances.length]?.admit(account, limit, time);
            admitted += Number(one?.admitted);
          }
          expect(admitted).toBeLessThanOrEqual(limit);
          expect(admitted).toBeGreaterThanOrEqual(0.97 * limit);
        },
      ),
      { numRuns: 5 },
    );
  });

  it('tries three counters before it refuses a request, and none afterwards', async () => {
    const { take, asked, used } = counters();
    for (let counter = 0; counter < 5; counter++) used.set(counter, 10_000);
    const { admit, remaining } = rateLimiter(take, unexpected, 3);
    expect(await admit(account, 50_000, start)).toMatchObject({ admitted: false, remaining: 0 });
    expect(await admit(account, 50_000, start + 1)).toMatchObject({ admitted: false });
    expect(asked).toEqual([3, 4, 0]);
    expect(remaining(account, 50_000, start + 1)).toBe(0);
    // The next window begins where the first one did.
    await admit(account, 50_000, start + windowMs);
    expect(asked[3]).toBe(3);
  });

  it('passes from a counter that is used up to the next one', async () => {
    const { take, asked, used } = counters();
    used.set(1, 10_000);
    const { admit } = rateLimiter(take, unexpected, 1);
    expect(await admit(account, 30_000, start)).toMatchObject({ admitted: true });
    expect(asked).toEqual([1, 2]);
  });

  it('one instance alone reaches the limit, and then refuses without further calls', async () => {
    const { take, asked } = counters();
    const { admit } = rateLimiter(take, unexpected, 3);
    let admitted = 0;
    for (let sent = 0; sent < 100_000; sent++) admitted += Number((await admit(account, 80_000, start)).admitted);
    expect(admitted).toBe(80_000);
    const calls = asked.length;
    await admit(account, 80_000, start);
    expect(asked).toHaveLength(calls);
  });

  it('a limit that is lowered below one counter applies at once where it is known', async () => {
    const { take } = counters();
    const { admit } = rateLimiter(take, unexpected, 0);
    for (let sent = 0; sent < 500; sent++) await admit(account, 30_000, start);
    expect(await admit(account, 400, start)).toMatchObject({ admitted: false, remaining: 0 });
  });

  it('a larger limit is never exceeded in a simulation with slow calls, and 98 %% of it can be used', async () => {
    const limit = 25_000;
    const { admitted, writesPerRequest } = await simulate({
      ...{ limit, windows: 1, arrival: 'even', cold: true, instances: 60, demand: 1.2 * limit },
    });
    for (const count of admitted) {
      expect(count).toBeLessThanOrEqual(limit);
      expect(count).toBeGreaterThanOrEqual(0.98 * limit);
    }
    expect(writesPerRequest).toBeLessThan(1);
  });
});

it('counts only in partitions that the function may write', () => {
  const [pattern] = updatablePartitions;
  const prefix = pattern.slice(0, -1);
  expect(pattern).toBe('RATE#*');
  const keys = [0, 1, 99].map((counter) => rateWindowKey(account, start, counter).pk);
  expect(keys).toEqual(['RATE#acct_1', 'RATE#acct_1#1', 'RATE#acct_1#99']);
  expect(keys.every((key) => key.startsWith(prefix))).toBe(true);
  // An account's id has no '#' in it, so none is the counter of another.
  expect(keys).not.toContain(rateWindowKey('acct_11', start).pk);
});
