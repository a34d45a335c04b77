export const dayMs = 24 * 60 * 60_000;

/** Days from one date (`YYYY-MM-DD`) to another. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs);

/** Today (`YYYY-MM-DD`) in an IANA time zone. */
export const todayIn = (timeZone: string, now: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now);

/** The month (`YYYY-MM`) so many months before another. */
export const monthsBefore = (month: string, count: number): string => {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const months = year * 12 + number - 1 - count;
  return `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`;
};

/** The months from one to another, both included. */
export const monthsFrom = (from: string, to: string): string[] => {
  const months = [to];
  while ((months[0] as string) > from) months.unshift(monthsBefore(months[0] as string, 1));
  return months;
};

/** `due in 5 days`, `due today` or `3 days late`. */
export const dueText = (days: number): string => {
  if (days === 0) return 'due today';
  const text = Math.abs(days) === 1 ? '1 day' : `${Math.abs(days)} days`;
  return days < 0 ? `${text} late` : `due in ${text}`;
};

const monthName = (day: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short' }).format(Date.parse(day));

const isWhole = (start: string, end: string): boolean =>
  start.endsWith('-01') && new Date(Date.parse(end) + dayMs).getUTCDate() === 1;

/** A period for people: `Aug 2026`, `Jul to Sep 2026`, `2026`, or its two days where it is not of whole months. */
export const periodText = (start: string, end: string): string => {
  const year = end.slice(0, 4);
  if (!isWhole(start, end) || start.slice(0, 4) !== year) return `${start} to ${end}`;
  const [first, last] = [monthName(start), monthName(end)];
  if (first === 'Jan' && last === 'Dec') return year;
  return first === last ? `${last} ${year}` : `${first} to ${last} ${year}`;
};

/** An instant in an IANA time zone, to the minute: `2026-11-25 15:44 EST`. */
export const instantText = (instant: string, timeZone: string): string => {
  const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const;
  return `${todayIn(timeZone, Date.parse(instant))} ${new Intl.DateTimeFormat('en-US', options).format(Date.parse(instant))}`;
};
