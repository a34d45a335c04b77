import type { Frequency } from '../accounts/account.ts';
import { addDays, daysBetween, lastDay, toDay, toMonth } from '../base/calendar.ts';
import { findFormName } from '../catalog/form-names.ts';
import { formatAmount, parseAmount } from '../money/currency.ts';
import { divideHalfUp } from '../money/decimal.ts';
import { readState, stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';
import type { FilingSummary } from './filing.ts';
import type { Filing } from './response.ts';
import { amountsDue } from './totals-response.ts';

/**
 * Due dates of returns by state, vendor discounts, and whether zero returns are required
 * (shared/catalog/filing-calendar.json).
 */

import calendar from '../catalog/filing-calendar.json' with { type: 'json' };

/** The due date: `months` after the period's last month, on `day` of that month or on its last day. */
type Due = {
  /** The state's rule in words. */
  readonly rule: string;
  /** The month (1 to 12) in which a period begins; January if absent. */
  readonly starts?: number;
  /** `null` if the rule has no single date. */
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
  /** Absent if the discount is not established, or depends on more than the tax due. */
  readonly discount?: DiscountFormula;
  readonly zero_return_required: boolean | null;
  readonly source: string;
  readonly confidence: string;
  readonly due: { readonly [Name in Frequency]?: Due };
  /** Legal holidays of the state that can fall on a due date, in addition to federal holidays. */
  readonly holidays?: readonly StateHoliday[];
  /**
   * The fixed holidays (`11-11`) that are observed on Friday if they are on a Saturday. Absent: all of them, as in
   * federal law.
   */
  readonly observed_on_friday?: { readonly days: readonly string[]; readonly source: string };
};

/** The holidays of a state, and how it observes them. */
type Holidays = Pick<StateTerms, 'holidays' | 'observed_on_friday'>;

/** A fixed day (`06-20`), or the n-th weekday of a month (0 is Sunday; -1 is the last), with days to add. */
type StateHoliday = { readonly name: string; readonly source: string } & (
  | { readonly day: string }
  | { readonly month: number; readonly weekday: number; readonly nth: number; readonly days_after?: number }
);

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

const fixedHolidays = ['01-01', '06-19', '07-04', '11-11', '12-25'];

/**
 * Returns the observed holidays of a year: federal holidays (5 U.S.C. 6103) and the state's. A holiday on a Sunday is
 * observed on Monday.
 */
const listHolidays = (year: number, { holidays = [], observed_on_friday: onFriday }: Holidays): readonly string[] => {
  const observed = (day: string): string => {
    const date = `${year}-${day}`;
    if (readWeekday(date) === 0) return addDays(date, 1);
    return readWeekday(date) === 6 && (onFriday?.days.includes(day) ?? true) ? addDays(date, -1) : date;
  };
  return [
    ...fixedHolidays.map(observed),
    ...[nthWeekday(year, 1, 1, 3), nthWeekday(year, 2, 1, 3), nthWeekday(year, 5, 1, -1), nthWeekday(year, 9, 1, 1)],
    ...[nthWeekday(year, 10, 1, 2), nthWeekday(year, 11, 4, 4)],
    ...holidays.map((holiday) =>
      'day' in holiday
        ? observed(holiday.day)
        : addDays(nthWeekday(year, holiday.month, holiday.weekday, holiday.nth), holiday.days_after ?? 0),
    ),
  ];
};

const nextBusinessDay = (day: string, ofState: Holidays): string => {
  const year = Number(day.slice(0, 4));
  // New Year's Day on a Saturday can be observed in the year before.
  const holidays = new Set([year, year + 1].flatMap((one) => listHolidays(one, ofState)));
  let next = day;
  while ([0, 6].includes(readWeekday(next)) || holidays.has(next)) next = addDays(next, 1);
  return next;
};

const dueDate = (due: Due, periodEnd: string, holidays: Holidays): string | null => {
  if (due.months === null || due.day === null) return null;
  const last = toMonth(periodEnd);
  const month = last + due.months;
  const isQuarterEnd = last % 3 === 2;
  const inFebruary = month % 12 === 1 ? due.february : undefined;
  const day = inFebruary ?? (isQuarterEnd ? due.quarter_end : undefined) ?? due.day;
  const onDay = typeof day === 'number' ? addDays(lastDay(month - 1), day) : lastDay(month);
  return nextBusinessDay(onDay, holidays);
};

const getTerms = (state: string): StateTerms | undefined => states[stateOfJurisdiction(readState(state))];

/** Returns the month (1 to 12) in which periods of a state (`MI` or `US-MI`) and a frequency begin. */
export const firstMonthOfPeriods = (state: string, frequency: Frequency): number =>
  getTerms(state)?.due[frequency]?.starts ?? 1;

/**
 * Returns whether a return that is not filed is overdue on a day, and the days until it is due; `null` if the due date
 * is not established.
 */
export const dueStatus = (due: string | null, today: string): Pick<Filing, 'overdue' | 'days_until_due'> => {
  const days_until_due = due === null ? null : daysBetween(today, due);
  return { overdue: days_until_due !== null && days_until_due < 0, days_until_due };
};

/** Returns the formula of a state's discount; `undefined` without one. `state` is a jurisdiction code. */
export const getDiscount = (state: string): DiscountFormula | undefined => getTerms(state)?.discount;

/** Returns the frequencies of a state's returns that are established; empty for a state without a calendar. */
export const listFrequencies = (state: string): readonly Frequency[] =>
  Object.keys(getTerms(state)?.due ?? {}) as Frequency[];

/**
 * Returns the due date of a period's return (`YYYY-MM-DD`), on the next business day after a weekend, a federal holiday
 * or a listed holiday of the state, and the state's terms. Returns `null` if the content has no rule, or no date that fits calendar periods.
 * `state` is a jurisdiction code.
 */
export const findFilingTerms = (
  state: string,
  frequency: Frequency,
  periodEnd: string,
): Pick<Filing, 'due_date' | 'vendor_discount' | 'terms' | 'worksheet_form'> => {
  const known = getTerms(state);
  const worksheet_form = findFormName(state);
  if (!known) return { due_date: null, vendor_discount: null, terms: null, worksheet_form };
  const { due: dues, vendor_discount, zero_return_required, source, confidence } = known;
  const due = dues[frequency];
  return {
    due_date: due ? dueDate(due, periodEnd, known) : null,
    vendor_discount,
    worksheet_form,
    terms: { due_rule: due?.rule ?? null, zero_return_required, source, confidence },
  };
};

/**
 * A discount for returns that are filed and paid on time: a share of each step of the tax due, in hundredths of a
 * percent. Limits are in US dollars, and apply to each return.
 */
type DiscountFormula = {
  readonly steps: readonly { readonly up_to?: number; readonly basis_points: number }[];
  readonly cap?: number;
  /** The discount is at least this amount, but not more than the tax. */
  readonly minimum?: number;
  /** The first day of the periods to which it applies (`YYYY-MM-DD`); absent if it has applied for more than five years. */
  readonly from?: string;
};

const cents = (dollars: number): bigint => BigInt(dollars) * 100n;
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Returns the discount on a tax due, both in cents, rounded half up. */
const discountOn = (tax: bigint, { steps, cap, minimum }: DiscountFormula): bigint => {
  if (tax <= 0n) return 0n;
  // The discount is in units of 1/10,000 cent.
  let units = 0n;
  let below = 0n;
  for (const { up_to, basis_points } of steps) {
    const top = up_to === undefined ? tax : smaller(tax, cents(up_to));
    if (top > below) units += (top - below) * BigInt(basis_points);
    below = top;
  }
  const rounded = divideHalfUp(units, 10_000n);
  const raised = minimum !== undefined && rounded < cents(minimum) ? smaller(tax, cents(minimum)) : rounded;
  return cap === undefined ? raised : smaller(raised, cents(cap));
};

type Return = {
  /** The discount in words. */
  readonly vendor_discount: string | null;
  readonly status: Filing['status'];
  readonly period_start: string;
  readonly summary: readonly FilingSummary[];
  /** Whether the due date has passed without a filed return, or the return was filed after it. */
  readonly isLate: boolean;
};

const unknownReason = (formula: DiscountFormula | undefined, taxReturn: Return): string | null => {
  if (taxReturn.vendor_discount === 'none') return 'The state has no discount.';
  if (formula === undefined)
    return 'The discount of this state depends on more than the tax due, or is not established.';
  if (formula.from !== undefined && taxReturn.period_start < formula.from)
    return `The discount of periods before ${formula.from} is not established.`;
  if (taxReturn.status === 'closing') return 'The period is still closing.';
  if (taxReturn.status === 'canceled') return 'The filing is canceled.';
  if (taxReturn.isLate) return 'The discount is for returns that are filed and paid by the due date.';
  if (taxReturn.summary.some(({ currency }) => currency !== 'USD'))
    return 'The filing has amounts in currencies other than USD.';
  return null;
};

/** Estimates the discount of a return in US dollars, or returns why it is not known. */
export const estimateDiscount = (
  formula: DiscountFormula | undefined,
  taxReturn: Return,
): Pick<Filing, 'vendor_discount_amount' | 'vendor_discount_reason'> => {
  const reason = unknownReason(formula, taxReturn);
  if (formula === undefined || reason !== null) return { vendor_discount_amount: null, vendor_discount_reason: reason };
  const tax = amountsDue(taxReturn.summary).reduce((sum, { amount }) => sum + parseAmount(amount, 2), 0n);
  return { vendor_discount_amount: formatAmount(discountOn(tax, formula), 2), vendor_discount_reason: null };
};
