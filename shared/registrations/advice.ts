import type { Account } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { firstDay, lastDay, toMonth } from '../base/calendar.ts';
import { isRegistered } from '../calculations/certificates.ts';
import type { Warning } from '../calculations/response.ts';
import nexus from '../catalog/economic-nexus.json' with { type: 'json' };
import { grossAmount, type Sum } from '../ledger/entries/entry.ts';
import { formatAmount, minorDigits, parseAmount } from '../money/currency.ts';
import { findNewest, monthText, type ReportReads, type StoredRow } from '../reports/by-state.ts';
import { jurisdictionCode, stateName } from '../vocabulary/jurisdiction.ts';
import { type MeasuringPeriod, nexusStatuses } from './economic-nexus.ts';
import type { MeasuredPeriod, NexusTerms, RegistrationAdvice, StateAdvice } from './response.ts';

/** The terms of all states with a sales tax, by two-letter code. */
const nexusTerms = Object.entries(nexus.states as Readonly<Record<string, NexusTerms>>).map(
  ([state, terms]): readonly [state: string, terms: NexusTerms] => [
    state,
    { ...terms, source: `${terms.source}; ${nexus.chart}` },
  ],
);

/** Month numbers as in `toMonth` of shared/base/calendar.ts, both inclusive. */
type Months = { readonly first: number; readonly last: number };

type Window = Months & {
  /** The month from which the sales of the window count; `null` if they count now. */
  readonly countsFrom: number | null;
};

const year = 12;

// Returns the last month of the most recent period that ended before a month.
const lastEnd = ({ months_between_ends: every, ends_with_month: named }: MeasuringPeriod, before: number): number => {
  // Month numbers count January as 0.
  const sinceEnd = (((before - 1 - (named - 1)) % every) + every) % every;
  return before - 1 - sinceEnd;
};

/**
 * Returns the periods that a state measures in a month: the last completed period, and the current period up to this
 * month. Each has at most twelve months.
 */
export const windowsIn = (period: MeasuringPeriod, month: number): readonly [over: Window, running: Window] => {
  const end = lastEnd(period, month);
  const next = end + period.months_between_ends;
  return [
    { first: end - year + 1, last: end, countsFrom: null },
    { first: next - year + 1, last: month, countsFrom: period.running_counts ? null : next + 1 },
  ];
};

type AdvicePorts = { readonly reports: ReportReads; readonly now: () => number };

/** The currency of all thresholds and its number of decimals. */
const currency = 'USD';
const exponent = 2;
/** A share of 100 %, in ten-thousandths. */
const whole = 10_000n;
const approachingFrom = 8000n;

/** The furthest that a window reaches back: the year before the current period. */
const monthsBack = 24;

/**
 * Returns the sales that a threshold measures, in minor units. Whether a sale is taxable is unknown if the account was
 * not registered or the content did not cover it. Such sales count, so the share errs on the high side.
 */
const measuredSales = (sum: Sum, { measured, includes_marketplace }: NexusTerms): bigint => {
  const { marketplace = 0n, resale = 0n, not_registered = 0n, not_covered = 0n } = sum;
  const ofMarketplace = includes_marketplace ? marketplace : 0n;
  if (measured === 'taxable') return sum.taxable + not_registered + not_covered + ofMarketplace;
  return grossAmount(sum) - marketplace + ofMarketplace - (measured === 'retail' ? resale : 0n);
};

/** Returns the number of sales that a threshold measures. Sales for resale and exempt sales count. */
const measuredCount = ({ count, marketplace_count = 0 }: Sum, { includes_marketplace }: NexusTerms): number =>
  includes_marketplace ? count : count - marketplace_count;

const isReached = (value: bigint, threshold: bigint, at: 'over' | 'at_least' | null): boolean =>
  at === 'over' ? value > threshold : value >= threshold;

const shareText = (share: bigint): string => `${share / whole}.${String(share % whole).padStart(4, '0')}`;

/** Returns the share of the threshold in ten-thousandths, rounded down, and whether the threshold is reached. */
const reachedIn = (sales: bigint, count: bigint, terms: NexusTerms) => {
  const { requires, transaction_count } = terms;
  const threshold = parseAmount(terms.sales_amount, exponent);
  const bySales = { share: (sales * whole) / threshold, reached: isReached(sales, threshold, terms.sales_reached_at) };
  if (transaction_count === null || requires === 'sales') return bySales;
  const most = BigInt(transaction_count);
  const byCount = { share: (count * whole) / most, reached: isReached(count, most, terms.count_reached_at) };
  const isLarger = bySales.share > byCount.share;
  if (requires === 'either')
    return { share: isLarger ? bySales.share : byCount.share, reached: bySales.reached || byCount.reached };
  return { share: isLarger ? byCount.share : bySales.share, reached: bySales.reached && byCount.reached };
};

type Measured = { readonly period: MeasuredPeriod; readonly share: bigint };

const measure = (rows: readonly StoredRow[], window: Window, terms: NexusTerms): Measured => {
  const { first, last, countsFrom } = window;
  const within = rows.filter(({ month }) => monthText(first) <= month && month <= monthText(last));
  const inDollars = within.filter((row) => row.currency === currency);
  const sales = inDollars.reduce((sum, row) => sum + measuredSales(row.sales, terms), 0n);
  const count = within.reduce((sum, row) => sum + measuredCount(row.sales, terms), 0);
  const { share, reached } = reachedIn(sales, BigInt(count), terms);
  const period: MeasuredPeriod = {
    from: firstDay(first),
    to: lastDay(last),
    counts_from: countsFrom === null ? null : firstDay(countsFrom),
    sales_amount: formatAmount(sales, exponent),
    transaction_count: count,
    share_reached: shareText(share),
    reached,
  };
  return { period, share };
};

type Status = Pick<StateAdvice, 'status' | 'advice'>;

/**
 * Returns the status and advice of a state with a registration. A sale that was recorded before the registration was
 * set has no tax, and no entry unless tax was collected. Such a sale is found by its reason, `not_registered`, in
 * months that the registration covers now.
 */
const registeredStatus = (
  name: string,
  rows: readonly StoredRow[],
  isRegisteredOn: (day: string) => boolean,
): Status => {
  const recorded = ({ sales, credits }: StoredRow): bigint =>
    (sales.not_registered ?? 0n) - (credits.not_registered ?? 0n);
  const isCovered = ({ month }: StoredRow) =>
    isRegisteredOn(firstDay(toMonth(month))) && isRegisteredOn(lastDay(toMonth(month)));
  const found = rows.filter((row) => recorded(row) > 0n && isCovered(row));
  const [first] = found;
  if (!first) return { status: 'registered', advice: `No action: the account is registered in ${name}.` };
  const amounts = [...Map.groupBy(found, (row) => row.currency)].map(([code, ofCode]) => {
    const sum = ofCode.reduce((all, row) => all + recorded(row), 0n);
    return `${formatAmount(sum, minorDigits(code))} ${code}`;
  });
  const advice = `Void sales of ${amounts.join(' and ')} since ${first.month} and record them again, because they were recorded before the registration in ${name} was set: they have no calculated tax, and filings include only those with collected tax. A sale in a filing cannot be voided: credit it with its date.`;
  return { status: 'registered_later', advice };
};

/** Returns the status and advice of a state without a registration. */
const thresholdStatus = (name: string, measured: readonly Measured[]): Status => {
  const reached = measured.filter(({ period }) => period.reached).map(({ period }) => period);
  const now = reached.find(({ counts_from }) => counts_from === null);
  if (now)
    return {
      status: 'reached',
      advice: `Register in ${name}: the sales from ${now.from} to ${now.to} reached its threshold.`,
    };
  const [later] = reached;
  if (later)
    return {
      status: 'upcoming',
      advice: `Prepare to register in ${name}: the sales since ${later.from} reached its threshold. They count from ${later.counts_from}.`,
    };
  if (measured.some(({ share }) => share >= approachingFrom))
    return { status: 'approaching', advice: `Watch ${name}: the sales reached at least 80 percent of its threshold.` };
  return { status: 'below', advice: `No action in ${name}.` };
};

const currencyWarnings = (rows: readonly StoredRow[]): Warning[] => {
  const inOthers = rows.filter(({ sales, ...row }) => row.currency !== currency && sales.count > 0);
  const others = [...new Set(inOthers.map((row) => row.currency))].sort();
  if (others.length === 0) return [];
  const message = `Sales in ${others.join(', ')} count toward the number of transactions, but not toward the amount, because thresholds are in US dollars.`;
  return [{ code: 'currency_not_counted', message, pointer: null }];
};

/**
 * Returns whether an account's sales reach each state's economic nexus threshold in the state's measuring period. The
 * sums are stored separately from the ledger, and credits are not subtracted. Levy has no data on physical presence,
 * which requires a registration regardless of sales.
 */
export const registrationAdvice = async (
  account: Account,
  { reports, now }: AdvicePorts,
): Promise<RegistrationAdvice> => {
  const { settings } = account;
  const date = taxDateAt(now(), settings.time_zone).slice(0, 10);
  const month = toMonth(date);
  const rows = await reports.rows(account.id, monthText(month - monthsBack), monthText(month));
  const byState = Map.groupBy(rows, ({ state }) => state);
  const data = nexusTerms.map(([code, terms]): StateAdvice => {
    const state = jurisdictionCode(code);
    const ofState = byState.get(state) ?? [];
    const measured = windowsIn(terms.period, month).map((window) => measure(ofState, window, terms));
    const name = stateName(code);
    const isRegisteredOn = (day: string) => isRegistered(settings, state, day);
    // Without a list of registrations, tax is calculated everywhere, but no registration is known.
    const isCollecting = settings.registrations !== null && isRegisteredOn(date);
    return {
      state,
      state_name: name,
      ...(isCollecting ? registeredStatus(name, ofState, isRegisteredOn) : thresholdStatus(name, measured)),
      periods: measured.map(({ period }) => period),
      threshold: {
        ...terms,
        sales_amount: formatAmount(parseAmount(terms.sales_amount, exponent), exponent),
        period: terms.period.rule,
      },
    };
  });
  const order = (advice: StateAdvice) => nexusStatuses.indexOf(advice.status);
  return {
    object: 'registration_advice',
    date,
    as_of: findNewest(rows),
    data: data.sort((a, b) => order(a) - order(b)),
    warnings: currencyWarnings(rows),
  };
};
