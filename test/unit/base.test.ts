import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dayAfter,
  dayBefore,
  dayMs,
  firstDay,
  instantMs,
  isDay,
  lastDay,
  toDay,
  toMonth,
} from '../../shared/base/calendar.ts';
import {
  Contention,
  contendedMsMax,
  pauseBefore,
  retryContention,
  retryWhileStale,
  type Time,
} from '../../shared/base/contention.ts';
import { decodeCursor, encodeCursor } from '../../shared/base/cursor.ts';
import { describeJsonError } from '../../shared/base/json.ts';
import { searchFor } from '../../shared/base/texts.ts';
import { drawFrom } from '../support/random-orders.ts';

/** Virtual time that passes only during sleeps, with the recorded sleeps. `random` is the fixed random value. */
const virtualTime = (random = 0.5) => {
  const pauses: number[] = [];
  const clock = { ms: 0 };
  const time: Time = {
    now: () => clock.ms,
    sleep: async (milliseconds) => {
      pauses.push(milliseconds);
      clock.ms += milliseconds;
    },
    random: () => random,
  };
  const pass = (milliseconds: number) => {
    clock.ms += milliseconds;
  };
  /** Returns the remaining time of an invocation with this timeout. */
  const getRemaining = (milliseconds: number) => () => milliseconds - clock.ms;
  return { time, pauses, pass, getRemaining };
};

it('accepts a cursor only for its list, with its filters in any order', () => {
  const scope = { list: 'filings', secret: 'secret', filters: { state: 'US-MI', status: 'filed' } } as const;
  const cursor = encodeCursor('fil_1', scope);
  expect(decodeCursor(cursor, { ...scope, filters: { status: 'filed', state: 'US-MI' } })).toBe('fil_1');
  expect(decodeCursor(cursor, { ...scope, list: 'customers' })).toBeNull();
});

describe('text searches', () => {
  it.each([
    ['order', 'ORDER-12'],
    ['E\u0301TÉ', 'été 2026'],
    ['strasse', 'GROẞE STRAẞE'],
    ['ΟΔΟΣ', 'οδος 5'],
    ['łódź', 'ŁÓDŹ'],
    ['１２', 'order-12'],
  ])('finds %s in %s', (term, text) => {
    expect(searchFor(term)([null, text])).toBe(true);
  });

  it.each([
    ['ete', 'été'],
    ['a.c', 'abc'],
    ['ab', ''],
  ])('does not find %s in %s', (term, text) => {
    expect(searchFor(term)([undefined, text])).toBe(false);
  });
});

describe('the calendar', () => {
  it('matches Date for the month and the neighbors of a day', () => {
    const days = fc.integer({ min: Date.parse('1600-01-01') / dayMs, max: Date.parse('2400-12-31') / dayMs });
    fc.assert(
      fc.property(days, (number) => {
        const date = new Date(number * dayMs);
        const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
        const day = toDay(number * dayMs);
        expect(isDay(day)).toBe(true);
        expect(dayAfter(day)).toBe(new Date((number + 1) * dayMs).toJSON().slice(0, 10));
        expect(dayBefore(dayAfter(day))).toBe(day);
        expect(firstDay(toMonth(day))).toBe(toDay(Date.UTC(year, month, 1)));
        expect(lastDay(toMonth(day))).toBe(toDay(Date.UTC(year, month + 1, 0)));
      }),
    );
  });

  it('accepts only days of the calendar', () => {
    for (const day of ['2024-02-29', '2000-02-29', '2026-12-31']) expect([day, isDay(day)]).toEqual([day, true]);
    const others = '1900-02-29 2026-02-30 2026-04-31 2026-00-10 2026-13-01 2026-01-00 2026-1-1 2026-01-01T00:00:00Z';
    for (const text of others.split(' ')) expect([text, isDay(text)]).toEqual([text, false]);
  });

  it.each([
    ['2026-10-08', '2026-10-08T00:00:00.000Z'],
    ['2026-10-08T12:30Z', '2026-10-08T12:30:00.000Z'],
    ['2026-10-08T12:30:15.5+00:00', '2026-10-08T12:30:15.500Z'],
    ['2026-02-30T12:00:00Z', null],
    ['2026-10-08T24:00:00Z', null],
    ['2026-10-08T12:00:00', null],
    ['2026-10-08T12:00:00+15:00', null],
    ['2026-10-08T12:00:00+02', null],
    ['2026-10-08T12:00:00-04:60', null],
    ['now', null],
    ['', null],
  ])('parses the timestamp "%s" as %s', (text, expected) =>
    expect(instantMs(text)).toBe(expected && Date.parse(expected)),
  );
});

describe('the JSON checker', () => {
  const parses = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };

  it.each([
    ['', 1, 1, 'a value'],
    ['{"line_items":[}', 1, 16, 'a value or "]"'],
    ['{"a":1,}', 1, 8, 'a field name in double quotes'],
    ["{'a':1}", 1, 2, 'a field name in double quotes or "}"'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, '"," or "}"'],
    ['{"a" 1}', 1, 6, '":"'],
    ['{"a":NaN}', 1, 6, 'a value'],
    ['{"a":01}', 1, 6, 'a value'],
    ['{"a":"x', 1, 6, 'a value'],
    ['{"a":1} {"b":2}', 1, 9, 'the end of the text'],
    ['[1, 2', 1, 6, '"," or "]"'],
  ])('finds where %j becomes invalid JSON', (text, line, column, expected) => {
    expect(describeJsonError(text)).toEqual({ line, column, expected });
  });

  it('rejects exactly what JSON.parse rejects, at the first position that no valid JSON can have', () => {
    let wrong = 0;
    const edit = fc.record({
      value: fc.json({ maxDepth: 3 }),
      at: fc.nat(200),
      cut: fc.integer({ min: 0, max: 3 }),
      put: fc.constantFrom(
        ...['', '"', '{', '}', '[', ']', ',', ':', '1', '-', '.5', 'e'],
        ...['true', 'nul', '\\', '\\u12', '\n', '\u0001', "'"],
      ),
    });
    fc.assert(
      fc.property(edit, ({ value, at, cut, put }) => {
        const text = value.slice(0, at % (value.length + 1)) + put + value.slice((at % (value.length + 1)) + cut);
        const error = describeJsonError(text);
        expect(error === null).toBe(parses(text));
        if (error === null) return;
        wrong += 1;
        const lines = text.split('\n').slice(0, error.line - 1);
        const start = lines.reduce((length, line) => length + line.length + 1, 0);
        const before = text.slice(0, start + error.column - 1);
        // The text before the position can be completed to valid JSON.
        const endings = ['', '1', '"a":1', ':1', '""', 'null'];
        const isPrefix = endings.some((ending) => {
          for (let closed = before + ending, depth = 0; depth < 8; depth++) {
            if (parses(closed)) return true;
            const open: string[] = [];
            for (const [mark] of closed.replace(/"(?:[^"\\]|\\.)*"/g, '0').matchAll(/[{}[\]]/g))
              if (mark === '{' || mark === '[') open.push(mark);
              else open.pop();
            if (open.length === 0) return false;
            closed += open.at(-1) === '{' ? '}' : ']';
          }
          return false;
        });
        expect(isPrefix, before).toBe(true);
      }),
      { numRuns: 3000 },
    );
    expect(wrong).toBeGreaterThan(1000);
  });

  // Texts of the maximum body size, on which a regular expression with a repeated group would overflow the stack.
  it.each([
    ['a long string', `{"a":"${'x'.repeat(1_000_000)}", }`, 'a field name in double quotes'],
    ['a long string without its end', `{"a":"${'x'.repeat(1_000_000)}`, 'a value'],
    ['many escapes', `["${'\\n'.repeat(500_000)}" x`, '"," or "]"'],
    ['many brackets', '['.repeat(1_000_000), 'a value or "]"'],
  ])('reports %s', (_, text, expected) => {
    expect(describeJsonError(text)?.expected).toBe(expected);
  });
});

describe('retries', () => {
  const getSum = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
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
    it('retries contention with exponential backoff until it ends', async () => {
      const virtual = virtualTime();
      const { attempt, seen } = attempts(virtual, 7);
      expect(await retryContention(attempt, virtual.getRemaining(10_000), virtual.time)).toBe('done');
      expect(seen.attempts).toBe(8);
      expect(virtual.pauses).toEqual([25, 50, 100, 200, 400, 500, 500]);
    });

    it.each([0, 0.1, 0.5, nearly])('stops retrying in time to respond within the invocation: %d', async (random) => {
      for (const lastsMs of [2500, 4000, 6000]) {
        const virtual = virtualTime(random);
        const { attempt } = attempts(virtual, Number.POSITIVE_INFINITY, random === 0 ? 100 : 10);
        const remaining = virtual.getRemaining(lastsMs);
        const name = 'ThrottlingException';
        await expect(retryContention(attempt, remaining, virtual.time)).rejects.toMatchObject({ name });
        expect(remaining()).toBeGreaterThanOrEqual(1890);
        // The attempts used the available time, up to the pause that would have been too long.
        expect(remaining()).toBeLessThan(3010);
      }
    });

    it('times out after 8 s even in a long invocation, because the gateway times out after 29 s', async () => {
      const virtual = virtualTime();
      const { attempt } = attempts(virtual, Number.POSITIVE_INFINITY, 500);
      await expect(retryContention(attempt, virtual.getRemaining(240_000), virtual.time)).rejects.toThrow('Attempt');
      const tookMs = 240_000 - virtual.getRemaining(240_000)();
      expect(tookMs).toBeGreaterThan(6500);
      expect(tookMs).toBeLessThanOrEqual(contendedMsMax(500));
      expect(contendedMsMax(6900)).toBeLessThan(29_000);
    });

    it('attempts a call once if no time is left', async () => {
      const virtual = virtualTime();
      const { attempt, seen } = attempts(virtual, 1);
      await expect(retryContention(attempt, () => 1999, virtual.time)).rejects.toThrow('Attempt 1.');
      expect([seen.attempts, getSum(virtual.pauses)]).toEqual([1, 0]);
    });

    it('does not retry other errors, which the SDK retries', async () => {
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

  describe('changes with a conflict on each attempt', () => {
    const stale = (lastsMs: number, random = 0.5) => {
      const virtual = virtualTime(random);
      const seen = { attempts: 0 };
      const remaining = virtual.getRemaining(lastsMs);
      const attempt = async () => {
        seen.attempts += 1;
        virtual.pass(20);
        return 'stale' as const;
      };
      return { virtual, given: retryWhileStale(attempt, remaining, virtual.time), remaining, seen };
    };

    it.each([
      ['up to a hundred times, with growing pauses', 100_000, 100, [10, 20, 40, 80, 160, 160, 160]],
      ['once if no time is left', 1999, 1, []],
    ])('attempts the change %s', async (_, lastsMs, attempts, pauses) => {
      const { given, virtual, seen } = stale(lastsMs);
      await expect(given).rejects.toThrow(Contention);
      expect(seen.attempts).toBe(attempts);
      expect(virtual.pauses.slice(0, 7)).toEqual(pauses);
    });

    it.each([0, 0.5, nearly])('stops retrying in time to respond: %d', async (random) => {
      const { given, remaining } = stale(3000, random);
      await expect(given).rejects.toThrow(Contention);
      expect(remaining()).toBeGreaterThanOrEqual(1970);
      expect(remaining()).toBeLessThan(2400);
    });
  });
});
