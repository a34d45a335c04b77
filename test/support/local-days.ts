/** Days and months, without the calendar of the service. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** The day of an instant in a time zone, `YYYY-MM-DD`: Sweden writes dates like this. */
export const localDay = (ms: number, timeZone: string): string => {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone });
  formats.set(timeZone, format);
  return format.format(ms);
};

const dayMs = 86_400_000;
const quarterHourMs = dayMs / 96;

/** The instant in milliseconds at which a day begins in a time zone. */
export const startOfLocalDay = (day: string, timeZone: string): number => {
  let ms = Date.parse(day) - dayMs;
  while (localDay(ms, timeZone) < day) ms += quarterHourMs;
  return ms;
};

/** A day plus a number of days. */
export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** Months since the year 0. */
export const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

export const firstDayOf = (month: number): string =>
  `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`;

export const lastDayOf = (month: number): string => daysAfter(firstDayOf(month + 1), -1);
