/** Reads days in the formats of tax files as `YYYY-MM-DD`; `null` where the calendar has no such day. */
import { isDay } from '../../calendar.ts';

/** The day itself, or `null` where the calendar has no such day. */
export const calendarDay = (text: string): string | null => (isDay(text) ? text : null);

/** `20190331` as `2019-03-31`. */
export const compactDay = (text: string): string | null => {
  if (text.length !== 8) return null;
  return calendarDay(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`);
};

/** `7/1/2026`, with or without a time after it (`7/1/2026 12:00:00 AM`), as `2026-07-01`. */
export const americanDay = (text: string): string | null => {
  const parts = /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})(?:\s.*)?$/.exec(text)?.groups;
  if (!parts) return null;
  return calendarDay(`${parts['year']}-${parts['month']?.padStart(2, '0')}-${parts['day']?.padStart(2, '0')}`);
};

/** The earlier of two last days; `null` is no last day. */
export const earlierEnd = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b < a) ? b : a;
