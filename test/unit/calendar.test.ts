import fc from 'fast-check';
import { expect, it } from 'vitest';
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

it('matches Date in the neighbors and the month of a day', () => {
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
