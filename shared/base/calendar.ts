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

export const dayAfter = (day: string): string => addDays(day, 1);
export const dayBefore = (day: string): string => addDays(day, -1);

/** Returns a day's month as a number counted from January of year 0, so months can be added and compared. */
export const toMonth = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

/** The first and the last day of a month, as `toMonth` counts them. */
export const firstDay = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`;
// Day 0 of the next month.
export const lastDay = (month: number): string => toDay(new Date(firstDay(month)).setUTCMonth((month % 12) + 1, 0));
