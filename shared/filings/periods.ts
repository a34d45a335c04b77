import type { Account, Registration, Settings } from '../accounts/account.ts';
import { booksOpenFrom, earliestBooksOpenDay } from '../accounts/books-open.ts';
import { startOfDay, taxDateAt } from '../accounts/time-zone.ts';
import { addDays, dayBefore, firstDayOf, lastDayOf, monthOf } from '../calendar.ts';
import { stateJurisdiction } from '../jurisdiction.ts';
import type { Frequency } from './filing.ts';
import type { Chain, FilingReads } from './ledger.ts';

/**
 * A filing period: whole months, from the first day of the first to the last day of the last, `YYYY-MM-DD`.
 *
 * It is shorter than its frequency where the frequency changed within a quarter or a year.
 */
export type Period = { readonly start: string; readonly end: string; readonly frequency: Frequency };

type Registrations = Settings['registrations'] | readonly Registration[];

const listOf = (registrations: Registrations): readonly Registration[] =>
  registrations === 'all' ? [] : (registrations ?? []);

const monthsIn: Readonly<Record<Frequency, number>> = { month: 1, quarter: 3, year: 12 };

/** The account's registrations for a state (`US-MI`), the earliest first. A registration names it `MI` or `US-MI`. */
export const registrationsIn = (state: string, registrations: Registrations): readonly Registration[] =>
  listOf(registrations)
    .filter((registration) => stateJurisdiction(registration.state) === state)
    .map((registration) => ({
      ...registration,
      from: registration.from.slice(0, 10),
      to: registration.to?.slice(0, 10) ?? null,
    }))
    .sort((a, b) => (a.from < b.from ? -1 : 1));

/** The frequency of a period that begins in this month: of the registration on its first day, or the first one after. */
const frequencyIn = (month: number, registrations: readonly Registration[]): Frequency => {
  const [start, end] = [firstDayOf(month), lastDayOf(month)];
  return registrations.find(({ from, to }) => from <= end && (to === null || to >= start))?.frequency ?? 'month';
};

const periodFrom = (month: number, frequency: Frequency): Period => {
  const months = monthsIn[frequency];
  return { start: firstDayOf(month), end: lastDayOf(month - (month % months) + months - 1), frequency };
};

/** The calendar period of a day, by the frequency of its month. */
export const periodAround = (day: string, registrations: readonly Registration[]): Period => {
  const frequency = frequencyIn(monthOf(day), registrations);
  const month = monthOf(day);
  return periodFrom(month - (month % monthsIn[frequency]), frequency);
};

/** The period after a period's end: from the next day to the end of that day's calendar period. */
export const periodAfter = (end: string, registrations: readonly Registration[]): Period => {
  const month = monthOf(end) + 1;
  return periodFrom(month, frequencyIn(month, registrations));
};

/** The month of a period's last day, `YYYY-MM`. */
export const lastMonthOf = (end: string): string => end.slice(0, 7);

/** The inputs that decide a state's first period. */
type FilingStarts = {
  /** `YYYY-MM`; `null` where nothing is open. */
  readonly oldestOpenMonth: string | null;
  /** When the account was created, an instant. */
  readonly createdAt: string;
};

/**
 * The first period of a state without filings: the one of the oldest open entry, or of the first day on which the account
 * existed and was registered, whichever is earlier. `null` without either.
 */
export const firstPeriod = (
  { oldestOpenMonth, createdAt }: FilingStarts,
  registrations: readonly Registration[],
): Period | null => {
  const created = createdAt.slice(0, 10);
  const registered = registrations
    .filter(({ to }) => to === null || to >= created)
    .map(({ from }) => (from > created ? from : created));
  const days = [...registered, ...(oldestOpenMonth === null ? [] : [`${oldestOpenMonth}-01`])].sort();
  return days[0] === undefined ? null : periodAround(days[0], registrations);
};

/** The last day up to which the schedule closes periods of a state; `null` without an end. */
export const registeredUntil = (registrations: readonly Registration[]): string | null =>
  registrations.some(({ to }) => to === null)
    ? null
    : registrations.reduce((latest, { to }) => (to !== null && to > latest ? to : latest), '');

/** The period of a day. `from` is a known period, such as the next one to close. Before it, calendar periods apply. */
export const periodOf = (day: string, from: Period | null, registrations: readonly Registration[]): Period => {
  if (from === null || day < from.start) return periodAround(day, registrations);
  let period = from;
  while (period.end < day) period = periodAfter(period.end, registrations);
  return period;
};

/** The period ends around a day: the last one before it, and the first one on or after it; `from` as in `periodOf`. */
export const adjacentPeriodEnds = (
  ...place: Parameters<typeof periodOf>
): { readonly before: string; readonly after: string } => {
  const { start, end } = periodOf(...place);
  return { before: dayBefore(start), after: end };
};

/** The oldest month of those that have one. */
export const oldestOf = (months: readonly (string | null)[]): string | null =>
  months.filter((month) => month !== null).sort()[0] ?? null;

/**
 * The next period of a state to close, after the period that ended on `lastEnd`; `null` where the state has no filing and
 * no entry, so that any may be first. Only a state without a filing needs its oldest open month.
 *
 * It is never before the account's books open. Earlier entries, which old versions accepted, move into the first period
 * that closes.
 */
export const followingPeriod = (
  account: Account,
  state: string,
  lastEnd: string | null,
  oldestOpenMonth: string | null,
): Period | null => {
  const registrations = registrationsIn(state, account.settings.registrations);
  const next =
    lastEnd === null
      ? firstPeriod({ oldestOpenMonth, createdAt: account.created_at }, registrations)
      : periodAfter(lastEnd, registrations);
  // A later setting must not skip the periods after a filing.
  const earliest = lastEnd === null ? booksOpenFrom(account) : earliestBooksOpenDay(account);
  return next && next.end < earliest ? periodAround(earliest, registrations) : next;
};

/** The next period of a state to close, as `followingPeriod`. */
export const nextPeriod = async (
  account: Account,
  state: string,
  chain: Chain | null,
  filings: Pick<FilingReads, 'oldestOpenMonths'>,
): Promise<Period | null> => {
  const months = chain?.last ? [] : await filings.oldestOpenMonths(account.id, state);
  return followingPeriod(account, state, chain?.last?.period_end ?? null, oldestOf(months));
};

/** The jurisdiction codes of the states where an account is registered, or was. */
export const registeredStates = (registrations: Registrations): readonly string[] => [
  ...new Set(listOf(registrations).flatMap(({ state }) => stateJurisdiction(state) ?? [])),
];

/**
 * The instant from which the schedule closes a period: the start of a day, after the account's days to review. `null` for a
 * period after the registration's end.
 */
export const closesAt = (account: Account, state: string, { start, end }: Period): string | null => {
  const until = registeredUntil(registrationsIn(state, account.settings.registrations));
  if (until !== null && start > until) return null;
  const { review_days, time_zone } = account.settings;
  return startOfDay(addDays(end, 1 + review_days), time_zone);
};

/** Whether a period with this last day is over at an instant in milliseconds, by the day in the account's time zone. */
export const isOver = (end: string, nowMs: number, { settings }: Account): boolean =>
  end < taxDateAt(nowMs, settings.time_zone).slice(0, 10);
