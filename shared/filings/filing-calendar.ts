/**
 * Due dates of returns by state, vendor discounts, and whether zero returns are required
 * (shared/catalog/filing-calendar.json).
 */
import { addDays, lastDay, toDay, toMonth } from '../base/calendar.ts';
import calendar from '../catalog/filing-calendar.json' with { type: 'json' };
import { stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';
import type { Frequency } from './filing.ts';
import type { Filing } from './response.ts';

/** The due date: `months` after the period's last month, on `day` of that month or on its last day. */
type Due = {
  /** The state's rule in words. */
  readonly rule: string;
  /** `null` if calendar periods cannot express the rule. */
  readonly months: number | null;
  /** Days beyond the month's end continue into the next month. */
  readonly day: number | string | null;
  /** The day if the due month is February. */
  readonly february?: number;
  /** The day for the last month of a calendar quarter. */
  readonly quarter_end?: string;
};

type StateTerms = {
  readonly vendor_discount: string;
  /** Why the discount is not confirmed, for maintainers of the calendar. Responses include only `confidence`. */
  readonly vendor_discount_note?: string;
  readonly zero_return_required: boolean | null;
  readonly source: string;
  readonly confidence: string;
  readonly due: { readonly [Name in Frequency]?: Due };
};

const states: Readonly<Record<string, StateTerms>> = calendar;

/** Returns the n-th weekday (0 is Sunday) of a month (1 to 12); negative numbers count from the end. */
const nthWeekday = (year: number, month: number, weekday: number, nth: number): string => {
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const last = new Date(Date.UTC(year, month, 0));
  const day =
    nth > 0
      ? 1 + ((weekday - first + 7) % 7) + (nth - 1) * 7
      : last.getUTCDate() - ((last.getUTCDay() - weekday + 7) % 7);
  return toDay(Date.UTC(year, month - 1, day));
};

const readWeekday = (day: string): number => new Date(day).getUTCDay();

/** A holiday on a Saturday is observed on Friday, one on a Sunday on Monday. */
const observed = (day: string): string =>
  addDays(day, ({ 6: -1, 0: 1 } as Record<number, number>)[readWeekday(day)] ?? 0);

/** Returns the observed federal holidays of a year (5 U.S.C. 6103). */
const listHolidays = (year: number): readonly string[] => [
  ...[`${year}-01-01`, `${year}-06-19`, `${year}-07-04`, `${year}-11-11`, `${year}-12-25`].map(observed),
  ...[nthWeekday(year, 1, 1, 3), nthWeekday(year, 2, 1, 3), nthWeekday(year, 5, 1, -1), nthWeekday(year, 9, 1, 1)],
  ...[nthWeekday(year, 10, 1, 2), nthWeekday(year, 11, 4, 4)],
];

const nextBusinessDay = (day: string): string => {
  const year = Number(day.slice(0, 4));
  // New Year's Day on a Saturday is observed in the year before.
  const holidays = new Set([year, year + 1].flatMap(listHolidays));
  let next = day;
  while ([0, 6].includes(readWeekday(next)) || holidays.has(next)) next = addDays(next, 1);
  return next;
};

const dueDate = (due: Due, periodEnd: string): string | null => {
  if (due.months === null || due.day === null) return null;
  const last = toMonth(periodEnd);
  const month = last + due.months;
  const isQuarterEnd = last % 3 === 2;
  const inFebruary = month % 12 === 1 ? due.february : undefined;
  const day = inFebruary ?? (isQuarterEnd ? due.quarter_end : undefined) ?? due.day;
  const onDay = typeof day === 'number' ? addDays(lastDay(month - 1), day) : lastDay(month);
  return nextBusinessDay(onDay);
};

/**
 * Returns the due date of a period's return (`YYYY-MM-DD`), on the next business day after a weekend or a federal
 * holiday, and the state's terms. Returns `null` if the content has no rule, or no date that fits calendar periods.
 * `state` is a jurisdiction code.
 */
export const findFilingTerms = (
  state: string,
  frequency: Frequency,
  periodEnd: string,
): Pick<Filing, 'due_date' | 'vendor_discount' | 'terms'> => {
  const known = states[stateOfJurisdiction(state)];
  if (!known) return { due_date: null, vendor_discount: null, terms: null };
  const { due: dues, vendor_discount, vendor_discount_note: _, ...terms } = known;
  const due = dues[frequency];
  return {
    due_date: due ? dueDate(due, periodEnd) : null,
    vendor_discount,
    terms: { due_rule: due?.rule ?? null, ...terms },
  };
};
