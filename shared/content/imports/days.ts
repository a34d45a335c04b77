/** Days as files write them, to `YYYY-MM-DD`. */

const dayInMs = 86_400_000;

/** `20190331` as `2019-03-31`; `null` where the calendar has no such day. */
export const compactDay = (text: string): string | null => {
  if (text.length !== 8) return null;
  return calendarDay(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`);
};

/** `7/1/2026`, with or without a time after it (`7/1/2026 12:00:00 AM`), as `2026-07-01`; `null` where there is no such day. */
export const americanDay = (text: string): string | null => {
  const parts = /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})(?:\s.*)?$/.exec(text)?.groups;
  if (!parts) return null;
  return calendarDay(`${parts['year']}-${parts['month']?.padStart(2, '0')}-${parts['day']?.padStart(2, '0')}`);
};

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

const daysOf = (year: number, month: number): number => {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
};

/** The day itself, or `null` where the calendar has no such day. */
export const calendarDay = (text: string): string | null => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month) ? text : null;
};

const shifted = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayInMs).toISOString().slice(0, 10);

export const dayAfter = (day: string): string => shifted(day, 1);
export const dayBefore = (day: string): string => shifted(day, -1);
