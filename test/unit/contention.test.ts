import { describe, expect, it } from 'vitest';
import {
  Contention,
  contendedMsMax,
  pauseBefore,
  retryContention,
  retryWhileStale,
} from '../../shared/base/contention.ts';
import { drawFrom } from '../support/random-orders.ts';
import { virtualTime } from '../support/virtual-time.ts';

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const nearly = 1 - 2 ** -53;

it('uses full jitter and doubles the maximum pause up to a limit', () => {
  const pauses = { firstMs: 50, mostMs: 1000 };
  const longest = [0, 1, 2, 3, 4, 5, 6, 50].map((retry) => pauseBefore(retry, pauses, { random: () => nearly }));
  expect(longest.map(Math.round)).toEqual([50, 100, 200, 400, 800, 1000, 1000, 1000]);
  expect(pauseBefore(3, pauses, { random: () => 0 })).toBe(0);
  const draw = drawFrom(1);
  const drawn = Array.from({ length: 1000 }, () => pauseBefore(2, pauses, { random: () => draw.below(1000) / 1000 }));
  // Evenly distributed: a tenth of the pauses fall in each tenth of the time.
  for (let tenth = 0; tenth < 10; tenth++) {
    const inside = drawn.filter((pause) => pause >= tenth * 20 && pause < (tenth + 1) * 20);
    expect(Math.abs(inside.length - 100)).toBeLessThan(40);
  }
});

/** Attempts that take `takesMs` each; the first `times` attempts meet contention. */
const attempts = (time: ReturnType<typeof virtualTime>, times: number, takesMs = 10) => {
  const seen = { attempts: 0 };
  const attempt = async () => {
    seen.attempts += 1;
    time.pass(takesMs);
    if (seen.attempts <= times) throw new Contention(`Attempt ${seen.attempts}.`);
    return 'done';
  };
  return { seen, attempt };
};

describe('contention', () => {
  it('is retried with exponential backoff until it ends', async () => {
    const virtual = virtualTime();
    const { attempt, seen } = attempts(virtual, 7);
    expect(await retryContention(attempt, virtual.remainingOf(10_000), virtual.time)).toBe('done');
    expect(seen.attempts).toBe(8);
    expect(virtual.pauses).toEqual([25, 50, 100, 200, 400, 500, 500]);
  });

  it.each([0, 0.1, 0.5, nearly])('times out in time for a response within the invocation: %d', async (random) => {
    for (const lastsMs of [2500, 4000, 6000]) {
      const virtual = virtualTime(random);
      const { attempt } = attempts(virtual, Number.POSITIVE_INFINITY, random === 0 ? 100 : 10);
      const remaining = virtual.remainingOf(lastsMs);
      await expect(retryContention(attempt, remaining, virtual.time)).rejects.toMatchObject({
        name: 'ThrottlingException',
      });
      expect(remaining()).toBeGreaterThanOrEqual(1890);
      // It used the available time, up to the pause that would have been too long.
      expect(remaining()).toBeLessThan(3010);
    }
  });

  it('times out after 8 s even in a long invocation, because the gateway times out after 29 s', async () => {
    const virtual = virtualTime();
    const { attempt } = attempts(virtual, Number.POSITIVE_INFINITY, 500);
    await expect(retryContention(attempt, virtual.remainingOf(240_000), virtual.time)).rejects.toThrow('Attempt');
    const tookMs = 240_000 - virtual.remainingOf(240_000)();
    expect(tookMs).toBeGreaterThan(6500);
    expect(tookMs).toBeLessThanOrEqual(contendedMsMax(500));
    expect(contendedMsMax(6900)).toBeLessThan(29_000);
  });

  it('is attempted once if no time is left', async () => {
    const virtual = virtualTime();
    const { attempt, seen } = attempts(virtual, 1);
    await expect(retryContention(attempt, () => 1999, virtual.time)).rejects.toThrow('Attempt 1.');
    expect([seen.attempts, sumOf(virtual.pauses)]).toEqual([1, 0]);
  });

  it('is the only retried error, because the SDK retries the others', async () => {
    const virtual = virtualTime();
    for (const name of ['TimeoutError', 'ThrottlingException', 'ValidationException']) {
      let tries = 0;
      const attempt = async () => {
        tries += 1;
        throw Object.assign(new Error('no'), { name });
      };
      await expect(retryContention(attempt, () => 9000, virtual.time)).rejects.toMatchObject({ name });
      expect(tries).toBe(1);
    }
  });
});

describe('a change with a conflict on each attempt', () => {
  const stale = (lastsMs: number, random = 0.5) => {
    const virtual = virtualTime(random);
    const seen = { attempts: 0 };
    const remaining = virtual.remainingOf(lastsMs);
    const attempt = async () => {
      seen.attempts += 1;
      virtual.pass(20);
      return 'stale' as const;
    };
    return { virtual, given: retryWhileStale(attempt, remaining, virtual.time), remaining, seen };
  };

  it('is attempted up to a hundred times, with growing pauses', async () => {
    const { given, virtual, seen } = stale(100_000);
    await expect(given).rejects.toThrow(Contention);
    expect(seen.attempts).toBe(100);
    expect(virtual.pauses.slice(0, 7)).toEqual([10, 20, 40, 80, 160, 160, 160]);
  });

  it.each([0, 0.5, nearly])('times out in time for a response: %d', async (random) => {
    const { given, remaining } = stale(3000, random);
    await expect(given).rejects.toThrow(Contention);
    expect(remaining()).toBeGreaterThanOrEqual(1970);
    expect(remaining()).toBeLessThan(2400);
  });

  it('is attempted once if no time is left', async () => {
    const { given, virtual, seen } = stale(1999);
    await expect(given).rejects.toThrow(Contention);
    expect(seen.attempts).toBe(1);
    expect(virtual.pauses).toEqual([]);
  });
});
