import type { Account } from '../accounts/account.ts';
import { dayOf } from '../calendar.ts';
import type { Problem } from '../problem.ts';
import type { Chain, FilingReads } from './ledger.ts';
import {
  endsAround,
  firstPeriod,
  type Period,
  periodAfter,
  periodAgain,
  periodAround,
  registrationsIn,
} from './periods.ts';
import { closeFirst, inProgress, noPeriodEnd, periodNotOver } from './problems.ts';

/** The next period of a state to close; `null` where the state has no filing and no entry, so that any may be first. */
export const nextPeriod = async (
  { id, created_at, settings }: Account,
  state: string,
  chain: Chain | null,
  filings: Pick<FilingReads, 'oldestOpenMonth'>,
): Promise<Period | null> => {
  const registrations = registrationsIn(state, settings.registrations);
  if (chain?.last) return periodAfter(chain.last.period_end, registrations);
  if (chain?.begins) return periodAgain(chain.begins, registrations);
  const oldestOpenMonth = await filings.oldestOpenMonth(id, state);
  return firstPeriod({ oldestOpenMonth, createdAt: created_at }, registrations);
};

/** Whether a period is over at an instant in milliseconds, by the UTC day. */
export const isOver = ({ end }: Pick<Period, 'end'>, nowMs: number): boolean => end < dayOf(nowMs);

type RequestedPeriod = { readonly state: string; readonly period_end: string };

/** The period to close, or the refusal: first of fields, then of time, of filings in progress, and of order. */
export const periodToClose = (
  { state, period_end }: RequestedPeriod,
  { settings }: Account,
  chain: Chain | null,
  next: Period | null,
  nowMs: number,
): Period | Problem => {
  const registrations = registrationsIn(state, settings.registrations);
  const ends = endsAround(period_end, next, registrations);
  if (ends.after !== period_end) return noPeriodEnd(state, ends);
  if (!isOver({ end: period_end }, nowMs)) return periodNotOver(state, period_end);
  if (chain?.last && chain.isBusy) return inProgress(state, chain.last.filing);
  if (next === null) return periodAround(period_end, registrations);
  return next.end === period_end ? next : closeFirst(state, next.end);
};
