/** The calendar of the oracle: tax days, months and filing periods. Days are `YYYY-MM-DD`, months count from year 0. */

export type Frequency = 'month' | 'quarter' | 'half_year' | 'year' | 'fiscal_year';
export type Registration = {
  readonly state: string;
  readonly from: string;
  readonly to: string | null;
  readonly frequency: Frequency;
};
export type Registrations = readonly Registration[] | 'all' | null;

export const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
export const monthText = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}`;
export const firstDay = (month: number): string => `${monthText(month)}-01`;
export const lastDay = (month: number): string =>
  new Date(Date.parse(firstDay(month + 1)) - 86_400_000).toISOString().slice(0, 10);

/** Returns the day in a time zone. */
const dayIn = (timeZone: string, atMs: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(atMs);

/** Returns the tax day of a `tax_date`: a date unchanged, or a timestamp's day in the account's time zone. */
export const taxDayOf = (taxDate: string, timeZone: string): string =>
  taxDate.length === 10 ? taxDate : dayIn(timeZone, Date.parse(taxDate));

/** A filing period of whole months. */
type Period = { readonly first: number; readonly last: number; readonly frequency: Frequency };

const lengths: Readonly<Record<Frequency, number>> = { month: 1, quarter: 3, half_year: 6, year: 12, fiscal_year: 12 };
/** Months, from 0, in which periods begin that do not begin in January: New York, the District of Columbia, California. */
const beginnings: Readonly<Record<string, number>> = {
  'NY quarter': 2,
  'NY year': 2,
  'DC year': 9,
  'CA fiscal_year': 6,
};

export const registrationsIn = (state: string, registrations: Registrations): readonly Registration[] =>
  Array.isArray(registrations)
    ? registrations.filter((one) => one.state === state.slice(3)).sort((a, b) => (a.from < b.from ? -1 : 1))
    : [];

/** The frequency of a month is the frequency on its first registered day; `null` without any. */
const frequencyIn = (month: number, registrations: readonly Registration[]): Frequency | null =>
  registrations.find(({ from, to }) => from <= lastDay(month) && (to ?? '9999') >= firstDay(month))?.frequency ?? null;

/** Returns the period of a month: the adjacent months in its quarter or year with the same frequency. */
export const periodOf = (month: number, registrations: readonly Registration[]): Period => {
  const frequency = frequencyIn(month, registrations);
  const length = lengths[frequency ?? 'month'];
  const beginning = beginnings[`${registrations[0]?.state} ${frequency}`] ?? 0;
  const start = month - ((month - beginning) % length);
  let [first, last] = [month, month];
  while (first > start && frequencyIn(first - 1, registrations) === frequency) first -= 1;
  while (last < start + length - 1 && frequencyIn(last + 1, registrations) === frequency) last += 1;
  return { first, last, frequency: frequency ?? 'month' };
};

/** Returns whether no return is due, between two registrations or after the last one. */
export const isGap = ({ first, last }: Period, registrations: readonly Registration[]): boolean =>
  frequencyIn(first, registrations) === null &&
  (registrations.some(({ from }) => from > lastDay(last)) ||
    (registrations.length > 0 && registrations.every(({ to }) => (to ?? '9999') < firstDay(first))));

/**
 * Returns the next period of a state: after the last filing, skipping gaps without open entries. Without filings, it is
 * the period of the oldest open entry or of the first registered day, whichever is earlier, but not before the books
 * open. `null` without either.
 */
export const nextPeriod = (
  lastEnd: string | null,
  openMonths: readonly number[],
  registrations: readonly Registration[],
  { createdDay, booksOpenFrom }: { readonly createdDay: string; readonly booksOpenFrom: string },
): Period | null => {
  const oldest = Math.min(...openMonths);
  if (lastEnd === null) {
    const registered = registrations
      .filter(({ to }) => (to ?? '9999') >= createdDay)
      .map(({ from }) => monthOf(from > createdDay ? from : createdDay));
    const first = Math.min(oldest, ...registered);
    return first === Number.POSITIVE_INFINITY ? null : periodOf(Math.max(first, monthOf(booksOpenFrom)), registrations);
  }
  let period = periodOf(monthOf(lastEnd) + 1, registrations);
  while (isGap(period, registrations) && period.last < oldest) period = periodOf(period.last + 1, registrations);
  return period;
};
