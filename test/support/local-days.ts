/** Day and month arithmetic that does not use the service's calendar. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the day of a timestamp in a time zone as `YYYY-MM-DD`, the date format of the Swedish locale. */
export const localDay = (ms: number, timeZone: string): string => {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone });
  formats.set(timeZone, format);
  return format.format(ms);
};

const dayMs = 86_400_000;
const quarterHourMs = dayMs / 96;

/** Returns the time in milliseconds at which a day begins in a time zone. */
export const startOfLocalDay = (day: string, timeZone: string): number => {
  let ms = Date.parse(day) - dayMs;
  while (localDay(ms, timeZone) < day) ms += quarterHourMs;
  return ms;
};

/** Adds a number of days to a day. */
export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** Returns the months since year 0. */
export const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

export const firstDayOf = (month: number): string =>
  `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`;

export const lastDayOf = (month: number): string => daysAfter(firstDayOf(month + 1), -1);
