/** Calendar days as `YYYY-MM-DD` text, which sorts in the order of time. */

export const dayMs = 86_400_000;

/** The UTC day of an instant in milliseconds since 1970. */
export const toDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** Whether a text is `YYYY-MM-DD` and a day of the calendar: `Date.parse` takes 30 February for 2 March. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const timeMs = Date.parse(text);
  return !Number.isNaN(timeMs) && toDay(timeMs) === text;
};

const instantPattern = /^\d{4}-\d\d-\d\d(T(?!24)\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d))?$/;

/** Read an ISO 8601 instant with `Z` or an offset, or a day as its start in UTC, in milliseconds since 1970; `null` for any other text. */
export const instantMs = (text: string): number | null => {
  if (!instantPattern.test(text) || !isDay(text.slice(0, 10))) return null;
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? null : timeMs;
};

/** The wall time of an instant as if it were one of UTC, in milliseconds since 1970: the offset is ignored. */
export const wallMs = (text: string): number => Date.parse(text.replace(/[+-]\d\d:\d\d$/, 'Z'));

/** A day that lies a number of days later, or earlier if it is negative. */
export const addDays = (day: string, days: number): string => toDay(Date.parse(day) + days * dayMs);

export const dayAfter = (day: string): string => addDays(day, 1);
export const dayBefore = (day: string): string => addDays(day, -1);

/** The month of a day, counted from January of the year 0, so that months can be added and compared. */
export const toMonth = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

/** The first and the last day of a month, as `monthOf` counts them. */
export const firstDay = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`;
// Day 0 of the next month.
export const lastDay = (month: number): string => toDay(new Date(firstDay(month)).setUTCMonth((month % 12) + 1, 0));
