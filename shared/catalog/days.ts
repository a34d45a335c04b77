/** Parses dates in the formats of tax files to `YYYY-MM-DD`. Returns `null` if the date does not exist. */
import { isDay } from '../base/calendar.ts';

/** Returns the date itself, or `null` if it does not exist. */
export const calendarDay = (text: string): string | null => (isDay(text) ? text : null);

/** Parses `20190331` to `2019-03-31`. */
export const compactDay = (text: string): string | null => {
  if (text.length !== 8) return null;
  return calendarDay(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`);
};

/** Parses `7/1/2026`, with or without a time (`7/1/2026 12:00:00 AM`), to `2026-07-01`. */
export const americanDay = (text: string): string | null => {
  const parts = /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})(?:\s.*)?$/.exec(text)?.groups;
  if (!parts) return null;
  return calendarDay(`${parts['year']}-${parts['month']?.padStart(2, '0')}-${parts['day']?.padStart(2, '0')}`);
};

/** Returns the earlier of two last days; `null` is open-ended. */
export const earlierEnd = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b < a) ? b : a;

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Returns the number of a month from its name or the first three letters of its name; `null` for other words. */
export const monthNumber = (name: string): number | null => {
  const index = months.indexOf(name.slice(0, 3).toLowerCase());
  return index === -1 ? null : index + 1;
};

/** Parses `July 1, 2026` to `2026-07-01`. */
export const writtenDay = (text: string): string | null => {
  const parts = /^(?<month>[A-Za-z]{3,9})\.? (?<day>\d{1,2}),? (?<year>\d{4})$/.exec(text)?.groups;
  const month = monthNumber(parts?.['month'] ?? '');
  return parts && month ? americanDay(`${month}/${parts['day']}/${parts['year']}`) : null;
};
