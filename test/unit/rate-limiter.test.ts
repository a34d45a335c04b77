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

// The same numbers on every run (mulberry32).
const seeded = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

type Load = {
  readonly instances: number;
  readonly perSecond: number;
  readonly limit: number;
  readonly windows?: number;
};

/** Random arrivals at random instances, a millisecond at a time; a call to the counter takes six of them. */
const simulate = async ({ instances, perSecond, limit, windows = 3 }: Load) => {
  const random = seeded(7);
  let time = start;
  const calls: { readonly due: number; readonly end: () => void }[] = [];
  const { take, counter } = sharedCounter(() => new Promise((end) => calls.push({ due: time + 6, end })));
  const limiters = Array.from({ length: instances }, () => rateLimiter(take, unexpected));
  const admitted = Array.from({ length: windows }, () => 0);
  const answers: Promise<void>[] = [];
  const send = (window: number) => {
    const limiter = limiters[Math.floor(random() * instances)];
    const answer = limiter?.admit('a', limit, time).then(({ admitted: passed }) => {
      if (passed) admitted[window] = (admitted[window] ?? 0) + 1;
    });
    if (answer) answers.push(answer);
  };
  for (; time < start + windows * windowMs || calls.length > 0; time++) {
    while (calls[0] && calls[0].due <= time) calls.shift()?.end();
    await new Promise(setImmediate);
    if (time >= start + windows * windowMs) continue;
    for (let chance = perSecond / 1000; chance > 0; chance--) {
      if (random() < chance) send(Math.floor((time - start) / windowMs));
    }
  }
  await Promise.all(answers);
  return { admitted, calls: counter.calls, requests: answers.length };
};

describe('the limit', () => {
  it.each([
    { instances: 1, perSecond: 400, limit: 1000 },
    { instances: 3, perSecond: 300, limit: 1000 },
    { instances: 10, perSecond: 150, limit: 1000 },
    { instances: 10, perSecond: 500, limit: 1000 },
    { instances: 10, perSecond: 600, limit: 2000 },
    { instances: 40, perSecond: 400, limit: 2000 },
    { instances: 100, perSecond: 300, limit: 1000 },
  ])('is kept and used by $instances instances under $perSecond requests/s at $limit', async (load) => {
    const { admitted, calls, requests } = await simulate(load);
    const writes = calls / requests;
    console.log(`${JSON.stringify(load)}: admitted ${admitted}, writes per request ${writes.toFixed(3)}`);
    for (const passed of admitted) {
      expect(passed).toBeLessThanOrEqual(load.limit);
      expect(passed).toBeGreaterThanOrEqual(load.limit * 0.98);
    }
    expect(writes).toBeLessThan(1);
  });

  it.each([
    { instances: 1, perSecond: 100, limit: 2000 },
    { instances: 3, perSecond: 90, limit: 1000 },
    { instances: 10, perSecond: 90, limit: 1000 },
  ])('refuses nobody below it: $instances instances, $perSecond requests/s at $limit', async (load) => {
    const { admitted, calls, requests } = await simulate(load);
    console.log(`${JSON.stringify(load)}: writes per request ${(calls / requests).toFixed(3)}`);
    expect(admitted.reduce((sum, passed) => sum + passed, 0)).toBe(requests);
    expect(calls / requests).toBeLessThan(0.5);
  });

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

  it('refuses without a call once the window is used up, and starts afresh in the next one', async () => {
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

  it('learns of requests elsewhere from its first refused lease', async () => {
    const { take, counter } = sharedCounter();
    await take('a', start, 5, 5);
    const { admit } = rateLimiter(take, unexpected);
    expect((await admit('a', 5, start)).admitted).toBe(false);
    expect((await admit('a', 5, start)).admitted).toBe(false);
    expect(counter.calls).toBe(2);
  });

  it.each([
    { at: 0, seconds: 10 },
    { at: 1, seconds: 10 },
    { at: 9000, seconds: 1 },
    { at: 9999, seconds: 1 },
  ])('says $seconds s at $at ms of the window', async ({ at, seconds }) => {
    const { admit } = rateLimiter(sharedCounter().take, unexpected);
    expect((await admit('a', 0, start + at)).retryAfterSeconds).toBe(seconds);
  });

  it('gives a limit of zero to nobody, without a call', async () => {
    const { take, counter } = sharedCounter();
    const { admit } = rateLimiter(take, unexpected);
    expect(await admit('a', 0, start)).toMatchObject({ admitted: false, remaining: 0 });
    expect(counter.calls).toBe(0);
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

  it('lets requests pass while the counter fails, asks once a second, and recovers', async () => {
    const { take, counter } = sharedCounter();
    let broken = true;
    const outages: unknown[] = [];
    const flaky: TakeRequests = (...arguments_) => {
      if (broken) throw new Error('down');
      return take(...arguments_);
    };
    const { admit } = rateLimiter(flaky, (error) => outages.push(error));
    const during = await Promise.all(Array.from({ length: 20 }, () => admit('a', 5, start)));
    expect(during.every(({ admitted }) => admitted)).toBe(true);
    await admit('a', 5, start + 999);
    expect(outages).toHaveLength(1);
    broken = false;
    expect((await admit('a', 5, start + 1000)).admitted).toBe(true);
    expect(counter.calls).toBe(1);
  });

  it('notices a limit that is raised or lowered meanwhile', async () => {
    const { admit } = rateLimiter(sharedCounter().take, unexpected);
    await admit('a', 1, start);
    expect((await admit('a', 1, start)).admitted).toBe(false);
    expect((await admit('a', 2, start)).admitted).toBe(true);
    expect((await admit('a', 1, start)).admitted).toBe(false);
  });
});
