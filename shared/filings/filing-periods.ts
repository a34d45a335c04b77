import * as z from 'zod/mini';
import type { Account } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { dayAfter } from '../base/calendar.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../base/cursor.ts';
import { described } from '../base/described.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import { invalidCursor, listResponse, pageLimit, readPageLimit, startingAfter } from '../ledger/page-limit.ts';
import { stateJurisdictions } from '../vocabulary/jurisdiction.ts';
import { state as stateField } from '../vocabulary/state-field.ts';
import type { FilingSequence } from './filing.ts';
import { dueStatus, findFilingTerms } from './filing-calendar.ts';
import {
  closesAt,
  findOldest,
  followingPeriod,
  isByOpenEntries,
  isOver,
  isRegisteredIn,
  isReturnDue,
  monthOfEnd,
  nextPeriod,
  type Period,
  registeredStates,
  registeredUntil,
  registrationsIn,
} from './periods.ts';
import type { FilingReadPorts } from './ports.ts';
import type { FilingPeriod, FilingPeriodList } from './response.ts';

export const FilingPeriodsQuery = z.object({
  state: described(z.optional(stateField), 'Only this state: its two-letter code, its jurisdiction code or its name.'),
  limit: pageLimit(),
  starting_after: startingAfter,
});
export type FilingPeriodsQuery = z.infer<typeof FilingPeriodsQuery>;

const toFilingPeriod = (
  account: Account,
  state: string,
  period: Period,
  isHeld: boolean,
  nowMs: number,
): FilingPeriod => {
  const { due_date } = findFilingTerms(state, period.frequency, period.end);
  const place = { state, period_start: period.start, period_end: period.end };
  const isDue = isReturnDue(account, place, []);
  return {
    object: 'filing_period',
    ...place,
    frequency: period.frequency,
    is_registered: isRegisteredIn(period, registrationsIn(state, account.settings.registrations)),
    is_over: isOver(period.end, nowMs, account),
    closes_at: isHeld ? null : closesAt(account, state, period),
    due_date,
    ...dueStatus(isDue ? due_date : null, taxDateAt(nowMs, account.settings.time_zone).slice(0, 10)),
  };
};

type Ports = {
  readonly filings: Pick<FilingReadPorts['filings'], 'chains' | 'oldestOpenMonths'>;
  readonly now: () => number;
};

/**
 * Returns the periods from the next one to close that begin by `last`. Between two registrations, these are the months
 * with open entries.
 */
const periodsUntil = async (
  first: Period | null,
  last: string,
  [account, state, filings]: readonly [Account, string, Ports['filings']],
): Promise<Period[]> => {
  const periods: Period[] = [];
  for (let next = first; next && next.start <= last; ) {
    periods.push(next);
    const { end } = next;
    const isRead = end < last && isByOpenEntries(account, state, end);
    const months = isRead ? await filings.oldestOpenMonths(account.id, state, dayAfter(end).slice(0, 7)) : [];
    next = followingPeriod(account, state, end, findOldest(months));
  }
  return periods;
};

/** Returns all periods without a filing by state, oldest first. */
export const openPeriods = async (
  account: Account,
  states: readonly string[],
  { filings, now }: Ports,
): Promise<FilingPeriod[]> => {
  if (states.length === 0) return [];
  const { registrations, time_zone } = account.settings;
  const chains = new Map<string, FilingSequence>();
  for (const chain of await filings.chains(account.id, states)) chains.set(chain.state, chain);
  const nowMs = now();
  const today = taxDateAt(nowMs, time_zone).slice(0, 10);
  const rows = await Promise.all(
    states.toSorted().map(async (state) => {
      const chain = chains.get(state) ?? null;
      const { period: first, oldestOpenMonth } = await nextPeriod(account, state, chain, filings);
      const until = registeredUntil(registrationsIn(state, registrations)) ?? today;
      const last = until < today ? until : today;
      if (first && first.start > until) {
        const hasEntries = oldestOpenMonth !== null && oldestOpenMonth <= monthOfEnd(first.end);
        return hasEntries && first.start <= today ? [toFilingPeriod(account, state, first, true, nowMs)] : [];
      }
      const periods = await periodsUntil(first, last, [account, state, filings]);
      return periods.map((period) => toFilingPeriod(account, state, period, chain?.isHeld === true, nowMs));
    }),
  );
  return rows.flat();
};

const periodPosition = ({ state, period_end }: FilingPeriod): string => `${state} ${period_end}`;

/**
 * Returns the states whose periods can be open: registered states, and states with filings, because their registration
 * may have been removed. Reading the open entries of all states would take 496 queries.
 */
const listStates = async (account: Account, only: string | null, { filings }: Ports): Promise<readonly string[]> => {
  const { registrations } = account.settings;
  if (registrations === null || registrations === 'all') return [];
  if (only !== null) return [only];
  const chains = await filings.chains(account.id, stateJurisdictions);
  return [...new Set([...registeredStates(registrations), ...chains.map(({ state }) => state)])];
};

/**
 * Lists the periods of each registered state, from the period after its last filing up to the current one or the end of
 * the registration. For a state without a registration, or after its end, lists only the first period with sales or
 * credits. The schedule does not close that period.
 *
 * `only` is a jurisdiction code. If it is `null`, lists the registered states and the states with filings. The list is
 * empty if the account has no list of registrations.
 *
 * Refused with `validation_invalid_cursor`: a cursor of another account or another `state`.
 */
export const filingPeriods = async (
  account: Account,
  only: string | null,
  query: FilingPeriodsQuery,
  ports: Ports,
): Promise<Result<FilingPeriodList>> => {
  const scope: CursorScope = { list: 'filing-periods', secret: account.cursor_secret, filters: { state: only } };
  const after = query.starting_after === undefined ? '' : decodeCursor(query.starting_after, scope);
  if (after === null) return refuse(invalidCursor);
  const states = await listStates(account, only, ports);
  const rows = (await openPeriods(account, states, ports)).filter((row) => periodPosition(row) > after);
  const data = rows.slice(0, readPageLimit(query));
  const last = rows.length > data.length ? data.at(-1) : undefined;
  return accept(listResponse('/filing-periods', data, last && encodeCursor(periodPosition(last), scope)));
};
