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

// The oracle is the calendar of Date, which counts milliseconds.
const days = fc.integer({ min: Date.parse('1600-01-01') / dayMs, max: Date.parse('2400-12-31') / dayMs });

describe('a day', () => {
  it('has the same neighbours as Date', () => {
    fc.assert(
      fc.property(days, (number) => {
        const day = toDay(number * dayMs);
        expect(isDay(day)).toBe(true);
        expect(dayAfter(day)).toBe(new Date((number + 1) * dayMs).toJSON().slice(0, 10));
        expect(dayBefore(dayAfter(day))).toBe(day);
      }),
    );
  });

  it.each([
    ['2024-02-29', true],
    ['2000-02-29', true],
    ['1900-02-29', false],
    ['2026-02-30', false],
    ['2026-04-31', false],
    ['2026-12-31', true],
    ['2026-00-10', false],
    ['2026-13-01', false],
    ['2026-01-00', false],
    ['2026-1-1', false],
    ['2026-01-01T00:00:00Z', false],
  ])('%s exists: %s', (text, exists) => {
    expect(isDay(text)).toBe(exists);
  });
});

describe('a month', () => {
  it('has the same first and last day as Date', () => {
    fc.assert(
      fc.property(days, (number) => {
        const date = new Date(number * dayMs);
        const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
        const counted = toMonth(toDay(number * dayMs));
        expect(firstDay(counted)).toBe(toDay(Date.UTC(year, month, 1)));
        expect(lastDay(counted)).toBe(toDay(Date.UTC(year, month + 1, 0)));
      }),
    );
  });
});

describe('an instant', () => {
  it.each([
    ['2026-10-08', '2026-10-08T00:00:00.000Z'],
    ['2026-10-08T12:30Z', '2026-10-08T12:30:00.000Z'],
    ['2026-10-08T12:30:15.5+00:00', '2026-10-08T12:30:15.500Z'],
  ])('%s is read', (text, expected) => {
    expect(instantMs(text)).toBe(Date.parse(expected));
  });

  it.each([
    '2026-02-30T12:00:00Z',
    '2026-10-08T24:00:00Z',
    '2026-10-08T12:00:00',
    '2026-10-08T12:00:00+15:00',
    '2026-10-08T12:00:00+02',
    '2026-10-08T12:00:00-04:60',
    'now',
    '',
  ])('%s is not an instant', (text) => {
    expect(instantMs(text)).toBeNull();
  });
});
