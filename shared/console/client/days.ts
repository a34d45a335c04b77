const dayMs = 24 * 60 * 60_000;

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
