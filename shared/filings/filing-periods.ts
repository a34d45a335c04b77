import * as z from 'zod/mini';
import type { Account } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { state as stateField } from '../content/location/state-field.ts';
import { described } from '../described.ts';
import { filingTermsOf } from './filing-calendar.ts';
import type { Chain } from './ledger.ts';
import type { FilingPeriod, FilingPeriodList } from './period-response.ts';
import {
  closesAt,
  followingPeriod,
  isOver,
  nextPeriod,
  type Period,
  registeredStates,
  registeredUntil,
  registrationsIn,
} from './periods.ts';
import type { FilingReadPorts } from './ports.ts';

export const FilingPeriodsQuery = z.object({
  state: described(z.optional(stateField), 'Only this state: its two-letter code, its jurisdiction code or its name.'),
});

/** More open periods of one state than anybody files at once. The newest are left out. */
const periodsMax = 24;

const answered = (account: Account, state: string, period: Period, isHeld: boolean, nowMs: number): FilingPeriod => ({
  object: 'filing_period',
  state,
  period_start: period.start,
  period_end: period.end,
  frequency: period.frequency,
  is_over: isOver(period.end, nowMs, account),
  closes_at: isHeld ? null : closesAt(account, state, period),
  due_date: filingTermsOf(state, period.frequency, period.end).due_date,
});

/** The periods from the next to close that begin by `last`. */
const periodsUntil = (first: Period | null, last: string, after: (end: string) => Period | null): Period[] => {
  const periods: Period[] = [];
  for (let next = first; next && next.start <= last && periods.length < periodsMax; next = after(next.end))
    periods.push(next);
  return periods;
};

type Ports = {
  readonly filings: Pick<FilingReadPorts['filings'], 'chains' | 'oldestOpenMonths'>;
  readonly now: () => number;
};

/**
 * The periods of each registered state from the one after its last filing up to the running one, or the end of the registration (interface decisions 8);
 * `only` is a jurisdiction code, `null` all states. An account without a list of registrations has none.
 */
export const filingPeriods = async (
  account: Account,
  only: string | null,
  { filings, now }: Ports,
): Promise<FilingPeriodList> => {
  const { settings } = account;
  const states = registeredStates(settings.registrations).filter((state) => only === null || state === only);
  const chains = new Map<string, Chain>();
  if (states.length > 0) for (const chain of await filings.chains(account.id, states)) chains.set(chain.state, chain);
  const nowMs = now();
  const today = taxDateAt(nowMs, settings.time_zone).slice(0, 10);
  const rows = await Promise.all(
    states.toSorted().map(async (state) => {
      const chain = chains.get(state) ?? null;
      const first = await nextPeriod(account, state, chain, filings);
      const until = registeredUntil(registrationsIn(state, settings.registrations)) ?? today;
      const last = until < today ? until : today;
      const periods = periodsUntil(first, last, (end) => followingPeriod(account, state, end, null));
      return periods.map((period) => answered(account, state, period, chain?.isHeld === true, nowMs));
    }),
  );
  return { object: 'list', url: '/filing-periods', has_more: false, data: rows.flat() };
};
