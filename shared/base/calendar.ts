/** Calendar days as `YYYY-MM-DD` strings, which sort chronologically. */

export const dayMs = 86_400_000;

/** The UTC day of an instant in milliseconds since 1970. */
export const toDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** Returns whether a string is a valid `YYYY-MM-DD` date: `Date.parse` would accept 30 February as 2 March. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const timeMs = Date.parse(text);
  return !Number.isNaN(timeMs) && toDay(timeMs) === text;
};

const instantPattern = /^\d{4}-\d\d-\d\d(T(?!24)\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d))?$/;

/**
 * Parses an ISO 8601 timestamp with `Z` or an offset, or a day as its start in UTC, to milliseconds since 1970. Returns
 * `null` for any other string.
 */
export const instantMs = (text: string): number | null => {
  if (!instantPattern.test(text) || !isDay(text.slice(0, 10))) return null;
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? null : timeMs;
};

/** Parses the local time of a timestamp as if it were UTC, in milliseconds since 1970. The offset is ignored. */
export const wallMs = (text: string): number => Date.parse(text.replace(/[+-]\d\d:\d\d$/, 'Z'));

/** Adds a number of days, which can be negative, to a day. */
export const addDays = (day: string, days: number): string => toDay(Date.parse(day) + days * dayMs);

/** Returns the days from one day to another, negative if it is earlier. */
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / dayMs;

export const dayAfter = (day: string): string => addDays(day, 1);
export const dayBefore = (day: string): string => addDays(day, -1);

/** Returns a day's month as a number counted from January of year 0, so months can be added and compared. */
export const toMonth = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

/** Returns the first or the last day of a month number from `toMonth`. */
export const firstDay = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`;
// Day 0 of the next month.
export const lastDay = (month: number): string => toDay(new Date(firstDay(month)).setUTCMonth((month % 12) + 1, 0));

/** Returns a day itself, or `null` if it does not exist. */
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
