/** Calendar days as `YYYY-MM-DD` text, which sorts in the order of time. All days and months are those of UTC. */

export const dayMs = 86_400_000;

/** The day of an instant in milliseconds since 1970. */
export const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

const daysInMonth = (year: number, month: number): number => {
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return isLeapYear ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
};

/** Whether a text is `YYYY-MM-DD` and a day of the calendar: `Date.parse` takes 30 February for 2 March. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
};

const instantPattern = /^\d{4}-\d\d-\d\d(T(?!24)\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|\+00:00))?$/;

/** Read an ISO 8601 instant in UTC, or a day as its start, in milliseconds since 1970; `null` for any other text. */
export const instantMs = (text: string): number | null => {
  if (!instantPattern.test(text) || !isDay(text.slice(0, 10))) return null;
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? null : timeMs;
};

const addDays = (day: string, days: number): string => dayOf(Date.parse(day) + days * dayMs);

export const dayAfter = (day: string): string => addDays(day, 1);
export const dayBefore = (day: string): string => addDays(day, -1);

/** The month of a day, counted from January of the year 0, so that months can be added and compared. */
export const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

const dayOfMonth = (month: number, day: number): string => {
  const parts = [Math.floor(month / 12), (month % 12) + 1, day];
  return parts.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-');
};

/** The first and the last day of a month, as `monthOf` counts them. */
export const firstDayOf = (month: number): string => dayOfMonth(month, 1);
export const lastDayOf = (month: number): string =>
  dayOfMonth(month, daysInMonth(Math.floor(month / 12), (month % 12) + 1));
