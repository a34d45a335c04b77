import type { Account } from '../accounts/account.ts';
import { tooEarlyProblem } from '../accounts/books-open.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { assert } from '../base/assert.ts';
import { addDays } from '../base/calendar.ts';
import type { Problem } from '../base/problem.ts';
import { accept, mapResult, type Result, refuse } from '../base/result.ts';

import type { Caller, Idempotency, ReplayableResponse } from '../ledger/ports.ts';
import { changeReply, type Decided, decidedBy, filingReply, unchanged } from './answer.ts';
import { dryRun } from './dry-run.ts';
import type { FilingSequence } from './filing.ts';

import {
  adjacentPeriodEnds,
  findPeriod,
  isOver,
  nextPeriod,
  type Period,
  periodAround,
  registrationsIn,
} from './periods.ts';
import type { FilingPorts } from './ports.ts';
import {
  beforeNext,
  closeFirst,
  inProgress,
  invalidTotalsCursor,
  noPeriodEnd,
  periodInFuture,
  periodNotOver,
} from './problems.ts';
import type { FilingRequest } from './request.ts';
import { decideAndProcess, filingCommitToBegin, newFiling, newShards } from './work-on.ts';

/**
 * Closes a state's period; `state` is a jurisdiction code. All open entries up to its end move into the filing. A
 * period that already has a filing returns it.
 *
 * Refused with `validation_date_out_of_range` or `validation_invalid_format` at /period_end,
 * `conflict_period_not_over`, `conflict_filing_in_progress`, `conflict_period_order`. A dry run takes any period up to
 * the running one, in any order, and is also refused with `validation_too_many_entries`.
 */
export const createFiling = (
  request: FilingRequest,
  idempotency: Idempotency | null,
  caller: Caller,
  ports: FilingPorts,
): Promise<Result<ReplayableResponse>> =>
  decideAndProcess(idempotency, caller, ports, (nowMs) => createOnce(request, idempotency, caller, ports, nowMs));

const createOnce = async (
  request: FilingRequest,
  idempotency: Idempotency | null,
  caller: Caller,
  ports: FilingPorts,
  nowMs: number,
): Promise<Result<Decided> | 'stale'> => {
  const { account } = caller;
  const { filings } = ports;
  const { state } = request;
  // The order matters: the second read finds a filing that began after the first one.
  const [chain = null] = await filings.chains(account.id, [state]);
  const existing = await filings.filingOfPeriod(account.id, state, request.period_end);
  if (existing !== undefined) return answerExisting(existing, request, idempotency, account, ports);
  const { period: next } = await nextPeriod(account, state, chain, filings);
  const period = periodToClose(request, account, chain, next, nowMs);
  if ('code' in period) return refuse(period);
  if (!request.dry_run) return begin(state, period, chain, idempotency, caller, ports);
  // Entries of earlier months move into an earlier period if one is open or about to be.
  const isNext = !chain?.isBusy && (next === null || period.start <= next.start);
  const firstMonth = isNext ? null : period.start.slice(0, 7);
  const totalsCursor = request.totals_starting_after ?? null;
  return mapResult(
    await dryRun({ account, state, period, firstMonth, totalsCursor }, caller.credential, ports),
    (filing) => ({ answered: { answer: filingReply(filing), isReplayed: false }, filing: null }),
  );
};

const begin = async (
  state: string,
  period: Period,
  chain: FilingSequence | null,
  idempotency: Idempotency | null,
  { account, credential }: Caller,
  { filings, now, newId }: FilingPorts,
): Promise<Result<Decided> | 'stale'> => {
  const nowMs = now();
  const filing = newFiling(
    { account: account.id, id: newId(nowMs), state, previous: chain?.last ?? null, asked_by: credential },
    period,
    nowMs,
  );
  const shards = newShards(filings.shards);
  const answer = await changeReply(filing, shards, account, { filings, now }, true);
  const committed = await filings.commit(
    filingCommitToBegin(filing, shards, chain, idempotency && { ...idempotency, answer }),
  );
  return decidedBy(committed, answer, filing);
};

/**
 * Returns the existing filing of the period. Records the idempotency key, except for a dry run, which stores nothing.
 */
const answerExisting = async (
  id: string,
  { state, dry_run, totals_starting_after }: FilingRequest,
  idempotency: Idempotency | null,
  account: Account,
  ports: FilingPorts,
): Promise<Result<Decided> | 'stale'> => {
  const filing = await ports.filings.find(account.id, id);
  assert(filing !== undefined, 'A period refers to a missing filing.');
  // The period was closed after the previous page.
  if (totals_starting_after != null) return refuse(invalidTotalsCursor(true));
  if (filing.status === 'canceled') return filing.isUnfinished ? refuse(inProgress(state, id)) : 'stale';
  const answer = await changeReply(filing, await ports.filings.progress(account.id, id), account, ports);
  if (dry_run) return accept({ answered: { answer, isReplayed: false }, filing: null });
  return unchanged(filing, answer, idempotency, ports);
};

/**
 * Returns the period to close or the refusal, checked in this order: fields, time, filings in progress, period order.
 */
const periodToClose = (
  { state, period_end, dry_run }: FilingRequest,
  account: Account,
  chain: FilingSequence | null,
  next: Period | null,
  nowMs: number,
): Period | Problem => {
  const registrations = registrationsIn(state, account.settings.registrations);
  const tooEarly = next?.end === period_end ? null : tooEarlyProblem('/period_end', period_end, account);
  if (tooEarly) return tooEarly;
  const running = findPeriod(taxDateAt(nowMs, account.settings.time_zone).slice(0, 10), next, registrations);
  if (period_end > addDays(running.end, 400)) {
    // Stepping through the periods to a distant date would take long. Calendar periods apply to it, and none of them is
    // over.
    const far = periodAround(period_end, registrations);
    if (far.end !== period_end) return noPeriodEnd(state, adjacentPeriodEnds(period_end, null, registrations));
    return dry_run ? periodInFuture(state, far, running.end) : periodNotOver(state, period_end);
  }
  const period = findPeriod(period_end, next, registrations);
  if (period.end !== period_end) return noPeriodEnd(state, adjacentPeriodEnds(period_end, next, registrations));
  if (dry_run) return period.start <= running.end ? period : periodInFuture(state, period, running.end);
  if (!isOver(period_end, nowMs, account)) return periodNotOver(state, period_end);
  if (chain?.last && chain.isBusy) return inProgress(state, chain.last.filing);
  if (next === null) return periodAround(period_end, registrations);
  if (next.end === period_end) return next;
  if (period_end > next.end) return closeFirst(state, next.end);
  // A month between two registrations, which the next period skips.
  if (chain?.last && period.start > chain.last.period_end) return period;
  return beforeNext(state, period_end, chain?.last?.period_end, next.end);
};
