import type { Registration } from '../../shared/accounts/account.ts';

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
export const getMonth = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

export const getFirstDay = (month: number): string =>
  `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`;

export const getLastDay = (month: number): string => daysAfter(getFirstDay(month + 1), -1);

/**
 * Computes filing periods from the registrations of one state, independently of the service. Months count from the year
 * 0.
 */

type Months = { readonly first: number; readonly last: number; readonly frequency: Registration['frequency'] };

const lengths = { month: 1, quarter: 3, half_year: 6, year: 12, fiscal_year: 12 } as const;
/** The first month (0 to 11) of the periods that do not begin in January. */
const beginnings: Readonly<Record<string, number>> = {
  'NY quarter': 2,
  'NY year': 2,
  'DC year': 9,
  'CA fiscal_year': 6,
};

/** Builds a registration without its state. */
export const buildTerm = (frequency: Registration['frequency'], from: string, to: string | null = null) => ({
  frequency,
  from,
  to,
});

export class Registered {
  readonly #all: readonly { readonly first: number; readonly last: number; readonly of: Registration }[];

  constructor(registrations: readonly Registration[] | 'all' | null, state: string) {
    this.#all = (typeof registrations === 'string' ? [] : (registrations ?? []))
      .filter((of) => `US-${of.state}` === state)
      .map((of) => ({
        of,
        first: getMonth(of.from),
        last: of.to === null ? Number.POSITIVE_INFINITY : getMonth(of.to),
      }))
      .sort((a, b) => a.first - b.first);
  }

  /** Returns the filing frequency in a month, from the first matching registration; `null` without a registration. */
  #frequency(month: number): Registration['frequency'] | null {
    return this.#all.find(({ first, last }) => first <= month && month <= last)?.of.frequency ?? null;
  }

  // Adjacent months with the same name belong to one period.
  #getName(month: number): string {
    const frequency = this.#frequency(month);
    return frequency === null
      ? `month ${month}`
      : `${frequency} ${Math.floor((month - (beginnings[`${this.#all[0]?.of.state} ${frequency}`] ?? 0)) / lengths[frequency])}`;
  }

  /** Returns the period of a month. */
  getPeriod(month: number): Months {
    let [first, last] = [month, month];
    while (this.#getName(first - 1) === this.#getName(month)) first--;
    while (this.#getName(last + 1) === this.#getName(month)) last++;
    return { first, last, frequency: this.#frequency(month) ?? 'month' };
  }

  has(month: number): boolean {
    return this.#frequency(month) !== null;
  }

  /** Returns whether a month is between two registrations, so no return is due. */
  isGap(month: number): boolean {
    return !this.has(month) && this.#all.some(({ first }) => first > month);
  }

  /** Returns this month or the first later month for which a return is due; `null` after the last registration. */
  nextFrom(month: number): number | null {
    let next = month;
    while (this.isGap(next)) next++;
    return this.has(next) ? next : null;
  }
}
