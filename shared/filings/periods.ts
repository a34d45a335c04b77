import type { Account, Frequency, Registration, Settings } from '../accounts/account.ts';
import { booksOpenFrom, earliestBooksOpenDay } from '../accounts/account.ts';
import { inTimeZone, startOfDay, taxDateAt } from '../accounts/time-zone.ts';
import { addDays, dayBefore, firstDay, lastDay, toMonth } from '../base/calendar.ts';
import { readState, stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import type { FilingSequence, StoredFiling } from './filing.ts';
import { firstMonthOfPeriods } from './filing-calendar.ts';
import type { FilingReads } from './ports.ts';

/**
 * A filing period: whole months, from the first day of the first to the last day of the last, `YYYY-MM-DD`.
 *
 * It covers the months of one month, quarter, half-year or year of the state's filing calendar in which the account is
 * registered with the same frequency. It is shorter if the registration begins, ends or changes its frequency within
 * it. A month without a registration is a separate period.
 */
export type Period = { readonly start: string; readonly end: string; readonly frequency: Frequency };

type Registrations = Settings['registrations'] | readonly Registration[];

const listRegistrations = (registrations: Registrations): readonly Registration[] =>
  registrations === 'all' ? [] : (registrations ?? []);

const monthsIn: Readonly<Record<Frequency, number>> = { month: 1, quarter: 3, half_year: 6, year: 12, fiscal_year: 12 };

/**
 * Returns the account's registrations for a state (`US-MI`), earliest first. The state of a registration is `MI` or
 * `US-MI`.
 */
export const registrationsIn = (state: string, registrations: Registrations): readonly Registration[] =>
  listRegistrations(registrations)
    .filter((registration) => stateJurisdiction(registration.state) === state)
    .sort((a, b) => (a.from < b.from ? -1 : 1));

/** Returns the first registration that includes one of these days, if any. */
const registrationWithin = ({ start, end }: Pick<Period, 'start' | 'end'>, registrations: readonly Registration[]) =>
  registrations.find(({ from, to }) => from <= end && (to === null || to >= start));

/**
 * Returns the filing frequency of a month: the frequency of the earliest registration in force on a day of the month;
 * `null` without one.
 */
const frequencyIn = (month: number, registrations: readonly Registration[]): Frequency | null =>
  registrationWithin({ start: firstDay(month), end: lastDay(month) }, registrations)?.frequency ?? null;

/**
 * Returns the first and last month of the calendar period that contains a month. All registrations are in one state.
 */
const calendarMonths = (month: number, frequency: Frequency | null, [registration]: readonly Registration[]) => {
  if (!registration || !frequency) return { first: month, last: month };
  const months = monthsIn[frequency];
  // Month 0 is a January.
  const since = month - (firstMonthOfPeriods(registration.state, frequency) - 1);
  const first = month - (((since % months) + months) % months);
  return { first, last: first + months - 1 };
};

/** Returns the period that begins with this month. */
const periodFrom = (month: number, registrations: readonly Registration[]): Period => {
  const frequency = frequencyIn(month, registrations) ?? 'month';
  const latest = calendarMonths(month, frequency, registrations).last;
  let last = month;
  while (last < latest && frequencyIn(last + 1, registrations) === frequency) last += 1;
  return { start: firstDay(month), end: lastDay(last), frequency };
};

/** Returns the period of a day, if no filing precedes it. */
export const periodAround = (day: string, registrations: readonly Registration[]): Period => {
  const month = toMonth(day);
  const frequency = frequencyIn(month, registrations);
  const earliest = calendarMonths(month, frequency, registrations).first;
  let first = month;
  while (first > earliest && frequencyIn(first - 1, registrations) === frequency) first -= 1;
  return periodFrom(first, registrations);
};

/** Returns the period after a period's end, which begins on the next day. */
export const periodAfter = (end: string, registrations: readonly Registration[]): Period =>
  periodFrom(toMonth(end) + 1, registrations);

/** The month of a period's last day, `YYYY-MM`. */
export const monthOfEnd = (end: string): string => end.slice(0, 7);

/** The inputs that determine a state's first period. */
type FilingStarts = {
  /** `YYYY-MM`; `null` if nothing is open. */
  readonly oldestOpenMonth: string | null;
  /** The day (`YYYY-MM-DD`) on which the account was created, in its time zone. */
  readonly createdDay: string;
};

/**
 * Returns the first period of a state without filings: the period of the oldest open entry, or of the first day on
 * which the account existed and was registered, whichever is earlier. Returns `null` without either.
 */
export const firstPeriod = (
  { oldestOpenMonth, createdDay }: FilingStarts,
  registrations: readonly Registration[],
): Period | null => {
  const registered = registrations
    .filter(({ to }) => to === null || to >= createdDay)
    .map(({ from }) => (from > createdDay ? from : createdDay));
  const days = [...registered, ...(oldestOpenMonth === null ? [] : [`${oldestOpenMonth}-01`])].sort();
  return days[0] === undefined ? null : periodAround(days[0], registrations);
};

/** Returns the last day up to which the schedule closes periods of a state; `null` without an end. */
export const registeredUntil = (registrations: readonly Registration[]): string | null =>
  registrations.some(({ to }) => to === null)
    ? null
    : registrations.reduce((latest, { to }) => (to !== null && to > latest ? to : latest), '');

/**
 * Returns the period of a day. `from` is a known period, such as the next one to close. Before it, calendar periods
 * apply.
 */
export const findPeriod = (day: string, from: Period | null, registrations: readonly Registration[]): Period => {
  if (from === null || day < from.start) return periodAround(day, registrations);
  let period = from;
  while (period.end < day) period = periodAfter(period.end, registrations);
  return period;
};

/** Returns the period ends around a day: the last before it, and the first on or after it; `from` as in `findPeriod`. */
export const adjacentPeriodEnds = (
  ...place: Parameters<typeof findPeriod>
): { readonly before: string; readonly after: string } => {
  const { start, end } = findPeriod(...place);
  return { before: dayBefore(start), after: end };
};

/** Returns the oldest month that is not `null`. */
export const findOldest = (months: readonly (string | null)[]): string | null =>
  months.filter((month) => month !== null).sort()[0] ?? null;

/** Returns whether the account is registered on one of these days. */
export const isRegisteredIn = (...days: Parameters<typeof registrationWithin>): boolean =>
  registrationWithin(...days) !== undefined;

/** Returns whether the account has a list of registrations, and none of them includes a day of a filing's period. */
export const isUnregistered = (
  { settings: { registrations } }: Account,
  { state, period_start: start, period_end: end }: Pick<StoredFiling, 'state' | 'period_start' | 'period_end'>,
): boolean =>
  registrations !== null &&
  registrations !== 'all' &&
  !isRegisteredIn({ start, end }, registrationsIn(state, registrations));

/** Returns whether a period is before or between registrations, so no return is due. */
const isInGap = (period: Period, registrations: readonly Registration[]): boolean =>
  !isRegisteredIn(period, registrations) && registrations.some(({ from }) => from > period.end);

/**
 * Returns whether a return is due. Outside the state's registrations, it is due only if it has tax due. Without any
 * registration, it is always due, because a registration may have been removed.
 */
export const isReturnDue = (
  { settings: { registrations } }: Account,
  { state, period_start: start, period_end: end }: Pick<StoredFiling, 'state' | 'period_start' | 'period_end'>,
  taxDue: readonly { readonly amount: string }[],
): boolean => {
  const known = registrationsIn(state, registrations);
  // A negative amount is a refund.
  const isOwed = taxDue.some(({ amount }) => /^[\d.]*[1-9]/.test(amount));
  return known.length === 0 || isRegisteredIn({ start, end }, known) || isOwed;
};

/**
 * Returns whether a period is after the end of the last registration, or the account's list of registrations lacks the
 * state, because its registration was removed.
 */
const isAfterEnd = ({ start }: Period, state: string, { settings: { registrations } }: Account): boolean => {
  if (registrations === null || registrations === 'all') return false;
  const until = registeredUntil(registrationsIn(state, registrations));
  return until !== null && start > until;
};

/**
 * Returns the first period after a period's end with a registration or with open entries. After the last registration,
 * if nothing is open, returns the period that follows directly.
 */
const periodInUse = (account: Account, state: string, lastEnd: string, oldestOpenMonth: string | null): Period => {
  const registrations = registrationsIn(state, account.settings.registrations);
  const isEmpty = ({ end }: Period) => oldestOpenMonth === null || oldestOpenMonth > monthOfEnd(end);
  const isOutside = (one: Period) =>
    isInGap(one, registrations) || (oldestOpenMonth !== null && isAfterEnd(one, state, account));
  let period = periodAfter(lastEnd, registrations);
  while (isOutside(period) && isEmpty(period)) period = periodAfter(period.end, registrations);
  return period;
};

/**
 * Returns whether the next period depends on the oldest open month, because the state has no filing or no current
 * registration.
 */
export const isByOpenEntries = (account: Account, state: string, lastEnd: string | null): boolean => {
  const registrations = registrationsIn(state, account.settings.registrations);
  if (lastEnd === null) return true;
  const next = periodAfter(lastEnd, registrations);
  return isInGap(next, registrations) || isAfterEnd(next, state, account);
};

/**
 * Returns the next period of a state to close, after the period that ended on `lastEnd`; `null` if the state has no
 * filing and no entry, so any period can be first. Months between two registrations are skipped up to the oldest open
 * month, or all of them if it is `null`; months after the last registration are skipped up to the oldest open month.
 * `isByOpenEntries` returns whether that month matters.
 *
 * The period never ends before the account's books open.
 */
export const followingPeriod = (
  account: Account,
  state: string,
  lastEnd: string | null,
  oldestOpenMonth: string | null,
): Period | null => {
  const { created_at, settings } = account;
  const registrations = registrationsIn(state, settings.registrations);
  const createdDay = inTimeZone(created_at, settings.time_zone).slice(0, 10);
  const next =
    lastEnd === null
      ? firstPeriod({ oldestOpenMonth, createdDay }, registrations)
      : periodInUse(account, state, lastEnd, oldestOpenMonth);
  // A later setting must not skip the periods after a filing.
  const earliest = lastEnd === null ? booksOpenFrom(account) : earliestBooksOpenDay(account);
  return next && next.end < earliest ? periodAround(earliest, registrations) : next;
};

/**
 * Returns the next period of a state to close, like `followingPeriod`, and the oldest open month, which is read only if
 * it matters.
 */
export const nextPeriod = async (
  account: Account,
  state: string,
  chain: FilingSequence | null,
  filings: Pick<FilingReads, 'oldestOpenMonths'>,
): Promise<{ readonly period: Period | null; readonly oldestOpenMonth: string | null }> => {
  const lastEnd = chain?.last?.period_end ?? null;
  const months = isByOpenEntries(account, state, lastEnd) ? await filings.oldestOpenMonths(account.id, state) : [];
  const oldestOpenMonth = findOldest(months);
  return { period: followingPeriod(account, state, lastEnd, oldestOpenMonth), oldestOpenMonth };
};

/** Returns the jurisdiction codes of the states in which an account is or was registered. */
export const registeredStates = (registrations: Registrations): readonly string[] => [
  ...new Set(listRegistrations(registrations).map(({ state }) => readState(state))),
];

/**
 * Returns the time from which the schedule closes a period: the start of a day, after the account's review days. `null`
 * without review days, and for a period after the registration's end.
 */
export const closesAt = (account: Account, state: string, { start, end }: Period): string | null => {
  const until = registeredUntil(registrationsIn(state, account.settings.registrations));
  if (until !== null && start > until) return null;
  const { review_days, time_zone } = account.settings;
  if (review_days === null) return null;
  return startOfDay(addDays(end, 1 + review_days), time_zone);
};

/**
 * Returns whether a period with this last day is over at a time in milliseconds, by the day in the account's time zone.
 */
export const isOver = (end: string, nowMs: number, { settings }: Account): boolean =>
  end < taxDateAt(nowMs, settings.time_zone).slice(0, 10);
