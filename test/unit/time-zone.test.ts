import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inTimeZone, isTimeZone, startOfDay, taxDateAt } from '../../shared/accounts/time-zone.ts';

const zones = [
  'UTC',
  'America/New_York',
  'America/Phoenix',
  'Pacific/Honolulu',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
];

/** Returns the day of a timestamp in a time zone, as the runtime formats it. */
const dayIn = (timeMs: number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(timeMs);

describe('a tax date in a time zone', () => {
  it.each([
    ['2026-11-01T00:30:00Z', 'America/New_York', '2026-10-31T20:30:00-04:00'],
    ['2026-11-01T06:30:00Z', 'America/New_York', '2026-11-01T01:30:00-05:00'],
    ['2026-10-31T20:00:00-04:00', 'UTC', '2026-11-01T00:00:00Z'],
    ['2026-10-31T20:00:00.123456789-04:00', 'America/Chicago', '2026-10-31T19:00:00.123456789-05:00'],
    ['2026-11-01T00:30:00.5Z', 'UTC', '2026-11-01T00:30:00.5Z'],
    ['2026-11-01T00:30:00+00:00', 'Europe/London', '2026-11-01T00:30:00+00:00'],
    ['2026-11-01', 'America/New_York', '2026-11-01'],
    ['0000-01-01T00:00:00Z', 'America/New_York', '0000-01-01T00:00:00Z'],
    ['no instant', 'America/New_York', 'no instant'],
  ])('%s in %s is %s', (text, timeZone, expected) => {
    expect(inTimeZone(text, timeZone)).toBe(expected);
  });

  it('begins with the local day, is the same instant, and is unchanged in the same zone', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2060, 0) }),
        fc.constantFrom(...zones),
        fc.constantFrom(...zones),
        (timeMs, first, second) => {
          const there = inTimeZone(taxDateAt(timeMs, first), second);
          expect(there.slice(0, 10)).toBe(dayIn(timeMs, second));
          expect(Date.parse(there)).toBe(timeMs);
          expect(inTimeZone(there, second)).toBe(there);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

it.each([
  ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z'],
  ['2026-11-02', 'America/New_York', '2026-11-02T05:00:00.000Z'],
  ['2026-03-09', 'America/New_York', '2026-03-09T04:00:00.000Z'],
  ['2026-11-01', 'Pacific/Honolulu', '2026-11-01T10:00:00.000Z'],
  ['2026-11-01', 'Asia/Kathmandu', '2026-10-31T18:15:00.000Z'],
  ['2026-03-08', 'America/Havana', '2026-03-08T05:00:00.000Z'],
  ['2026-11-01', 'UTC', '2026-11-01T00:00:00.000Z'],
])('starts the day %s in %s at %s', (day, timeZone, expected) => {
  expect(startOfDay(day, timeZone)).toBe(expected);
});

it('accepts only IANA names', () => {
  for (const name of ['UTC', 'America/New_York', 'Pacific/Honolulu']) expect(isTimeZone(name), name).toBe(true);
  for (const name of ['', 'EST', 'EST5EDT', 'GMT', 'New York', '-04:00', '+05', 'EDT?', 'Mars/Olympus'])
    expect(isTimeZone(name), name).toBe(false);
});
