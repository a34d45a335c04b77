/** Formats amounts and days for display. Sums use decimal strings instead of floating point. */
import { dayMs, firstDay, toMonth } from '../../base/calendar.ts';
import type { Schemas } from '../../client/client.ts';
import { formatAmount, getSum, isZero, negative } from '../../money/currency.ts';
import { decimal, decimalText, divideHalfUp, rescale } from '../../money/decimal.ts';

export { getSum, isZero, negative };

/** Compares two amounts for sorting. */
export const compareAmounts = (a: string, b: string): number => {
  const difference = getSum([a, negative(b)]);
  return isZero(difference) ? 0 : difference.startsWith('-') ? -1 : 1;
};

/**
 * Returns the change from one amount to another in percent of the first, rounded half away from zero to one decimal:
 * `-12.5`. Returns `null` if the first is zero.
 */
export const percentChange = (before: string, after: string): string | null => {
  if (isZero(before)) return null;
  const change = getSum([after, negative(before)]);
  const withoutSign = (text: string): bigint => rescale(decimal(text.replace('-', '')), decimal(change).scale);
  const text = formatAmount(divideHalfUp(1000n * withoutSign(change), withoutSign(before)), 1);
  return change.startsWith('-') ? negative(text) : text;
};

/** Formats an amount with separators: `1234.5` becomes `1,234.5`. The digits do not change. */
export const grouped = (text: string): string => {
  const [whole = '', fraction] = text.split('.');
  const separated = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? separated : `${separated}.${fraction}`;
};

/** Formats an amount with its currency: `1,234.50 USD`. */
export const money = (amount: string, currency = ''): string => [grouped(amount), currency].filter(Boolean).join(' ');

/** Formats a rate: `"0.08875"` becomes `8.875%`. */
export const percent = (rate: string): string => {
  const { units, scale } = decimal(rate);
  return `${decimalText({ units: 100n * units, scale })}%`;
};

type Sale = Pick<
  Schemas['RetrievedTransaction'],
  'tax_included' | 'total_amount' | 'applied_third_party_discount_amount' | 'credited_amount' | 'credited_tax_amount'
>;

/** Returns the credited amount of a sale and the remainder, with tax and before third-party discounts. */
export const getCredited = (sale: Sale): { readonly credited: string; readonly left: string } => {
  // If prices include the tax, `credited_amount` also includes it.
  const credited = getSum([sale.credited_amount, ...(sale.tax_included ? [] : [sale.credited_tax_amount])]);
  // The buyer paid less because of the discount, but the discount does not reduce the creditable amount.
  const whole = getSum([sale.total_amount, sale.applied_third_party_discount_amount]);
  return { credited, left: getSum([whole, negative(credited)]) };
};

type Sums = Pick<Schemas['FilingSummary'], 'currency' | 'calculated_tax_amount' | 'over_collected_amount'>;

/** An amount in a currency, as a decimal string. */
export type Money = { readonly currency: string; readonly amount: string };

/**
 * Returns the amount due of a return by currency: the calculated and the over-collected tax, before a vendor discount,
 * prepayments and interest. Negative if credits exceed sales. A return without sales has no amounts.
 */
export const amountsDue = (summary: readonly Sums[]): Money[] =>
  summary.map(({ currency, calculated_tax_amount, over_collected_amount }) => ({
    currency,
    amount: getSum([calculated_tax_amount, over_collected_amount]),
  }));

/**
 * Returns the sums by currency of either the positive amounts or the negative amounts without their sign. A credit of
 * one state does not offset the amount due in another.
 */
export const totalDue = (amounts: readonly Money[], sign: 'payable' | 'refundable'): Money[] => {
  const chosen = amounts.filter(({ amount }) => amount.startsWith('-') === (sign === 'refundable') && !isZero(amount));
  return [...Map.groupBy(chosen, ({ currency }) => currency)].map(([currency, rows]) => {
    const sum = getSum(rows.map(({ amount }) => amount));
    return { currency, amount: sign === 'refundable' ? negative(sum) : sum };
  });
};

/** Returns today's date (`YYYY-MM-DD`) in an IANA time zone. */
export const todayIn = (timeZone: string, now: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now);

/** Subtracts a number of months from a month (`YYYY-MM`). */
export const monthsBefore = (month: string, count: number): string => firstDay(toMonth(month) - count).slice(0, 7);

/** Returns the months from one month to another, inclusive. */
export const monthsFrom = (from: string, to: string): string[] => {
  const months = [to];
  while ((months[0] as string) > from) months.unshift(monthsBefore(months[0] as string, 1));
  return months;
};

/** `due in 5 days`, `due today` or `3 days overdue`. */
export const dueText = (days: number): string => {
  if (days === 0) return 'due today';
  const text = Math.abs(days) === 1 ? '1 day' : `${Math.abs(days)} days`;
  return days < 0 ? `${text} overdue` : `due in ${text}`;
};

const monthName = (day: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short' }).format(Date.parse(day));

const isWhole = (start: string, end: string): boolean =>
  start.endsWith('-01') && new Date(Date.parse(end) + dayMs).getUTCDate() === 1;

/** Formats a period: `Aug 2026`, `Jul to Sep 2026`, `2026`, or its first and last day if it is not whole months. */
export const periodText = (start: string, end: string): string => {
  const year = end.slice(0, 4);
  if (!isWhole(start, end) || start.slice(0, 4) !== year) return `${start} to ${end}`;
  const [first, last] = [monthName(start), monthName(end)];
  if (first === 'Jan' && last === 'Dec') return year;
  return first === last ? `${last} ${year}` : `${first} to ${last} ${year}`;
};

/** Formats a timestamp in an IANA time zone, to the minute: `2026-11-25 15:44 EST`. */
export const instantText = (instant: string, timeZone: string): string => {
  const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const;
  return `${todayIn(timeZone, Date.parse(instant))} ${new Intl.DateTimeFormat('en-US', options).format(Date.parse(instant))}`;
};

/** Formats an API code as words: `customer_exempt` becomes `customer exempt`. */
export const toWords = (code: string): string => code.replaceAll('_', ' ');

/** Returns the two-letter code of a state: `US-MI` becomes `MI`. */
export const getStateLetters = (state: string): string => state.replace(/^US-/, '');

export type Period = { readonly state: string; readonly period_start: string; readonly period_end: string };

/** Formats a state and a period: `MI, Aug 2026`. */
export const periodName = (period: Period) =>
  `${getStateLetters(period.state)}, ${periodText(period.period_start, period.period_end)}`;

/** Formats a count with its noun: `1 exception`, `2 exceptions`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

export const soonDays = 7;

/** Returns the style for the urgency of a return, by the days left. */
export const getTone = (days: number | null): 'bad' | 'warn' | '' =>
  days === null ? '' : days < 0 ? 'bad' : days <= soonDays ? 'warn' : '';
