import { type Account, tooEarlyProblem } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { addDays } from '../base/calendar.ts';
import { accept, mapResult, type Problem, type Result, refuse } from '../base/result.ts';
import type { LiabilityEntry } from '../ledger/entries/entry.ts';
import { pageBytesMax } from '../ledger/page-limit.ts';
import type { SavedResponse } from '../ledger/ports.ts';
import type { FilingSequence, StoredFiling } from './filing.ts';
import {
  changeResponse,
  commitChange,
  type Decision,
  type FilingCall,
  filingResponse,
  toFilingException,
  toFilingRow,
  unchanged,
} from './filing-response.ts';
import {
  adjacentPeriodEnds,
  findPeriod,
  isOver,
  monthOfEnd,
  nextPeriod,
  type Period,
  periodAround,
  registrationsIn,
} from './periods.ts';
import type { FilingPorts } from './ports.ts';
import * as problems from './problems.ts';
import { findFilingOfPeriod, readFiling } from './read-filings.ts';
import type { FilingRequest } from './request.ts';
import type { FilingWithTotals } from './response.ts';
import { inOrder, noTotals, type Totals, totalsOfAll, withEntries } from './totals.ts';
import { keyAfter, pageOfTotals, totalsMax } from './totals-parts.ts';
import { toExceptionSums, toFilingSummary, toReviewSums } from './totals-response.ts';
import { beginFiling, decideAndProcess, newFiling } from './work-on.ts';

/**
 * Closes a state's period; `state` is a jurisdiction code. All open entries up to its end move into the filing. A
 * period that already has a filing returns it.
 *
 * Refused with `validation_date_out_of_range` or `validation_invalid_format` at /period_end,
 * `conflict_period_not_over`, `conflict_filing_in_progress`, `conflict_period_order`. A dry run accepts any period up to the current one, in any order, and is also refused with `validation_too_many_entries`.
 */
export const createFiling = (request: FilingRequest, call: FilingCall): Promise<Result<SavedResponse>> =>
  decideAndProcess(call, (nowMs) => createOnce(request, call, nowMs));

/** Returns the dry run of a period, or its filing if it is already closed, with all totals. Refused like `createFiling`. */
export const readDryRun = async (
  { state, period_end }: Pick<FilingRequest, 'state' | 'period_end'>,
  call: FilingCall,
): Promise<Result<FilingWithTotals>> => {
  const request = { state, period_end, dry_run: true };
  const created = await decideAndProcess({ ...call, idempotency: null }, (nowMs) =>
    createOnce(request, call, nowMs, Number.POSITIVE_INFINITY),
  );
  const filing = mapResult(created, ({ body }): FilingWithTotals => JSON.parse(body));
  return filing.ok && filing.value.id !== null ? readFiling(filing.value.id, call.caller.account, call.ports) : filing;
};

/** Decides a request from one read of the data. `totalsBytes` limits the totals of a dry run. */
const createOnce = async (
  request: FilingRequest,
  call: FilingCall,
  nowMs: number,
  totalsBytes = pageBytesMax,
): Promise<Decision> => {
  const { account, credential } = call.caller;
  const { filings } = call.ports;
  const { state } = request;
  const [chain = null] = await filings.chains(account.id, [state]);
  const existing = await findFilingOfPeriod(account.id, chain, request.period_end, filings);
  if (existing) return returnExisting(existing, request, call);
  const { period: next } = await nextPeriod(account, state, chain, filings);
  const period = periodToClose(request, account, chain, next, nowMs);
  if ('code' in period) return refuse(period);
  if (!request.dry_run) {
    const begun = beginFiling({ account: account.id, state, asked_by: credential }, period, chain, call.ports);
    return commitChange({ ...begun, isNew: true }, call);
  }
  // If an earlier period is still to be closed, entries of earlier months belong to that period.
  const isNext = !chain?.isBusy && (next === null || period.start <= next.start);
  const firstMonth = isNext ? null : period.start.slice(0, 7);
  const totalsCursor = request.totals_starting_after ?? null;
  return mapResult(
    await dryRun({ account, state, period, firstMonth, totalsCursor, totalsBytes }, credential, call.ports),
    (filing) => ({ response: filingResponse(filing), filing: null }),
  );
};

/**
 * Returns the existing filing of the period. Records the idempotency key, except for a dry run, which stores nothing.
 */
const returnExisting = async (
  filing: StoredFiling,
  { state, dry_run, totals_starting_after }: FilingRequest,
  call: FilingCall,
): Promise<Decision> => {
  const { id } = filing;
  const { account } = call.caller;
  const { filings } = call.ports;
  // The period was closed after the previous page.
  if (totals_starting_after != null) return refuse(problems.invalidTotalsCursor(true));
  if (filing.status === 'canceled') return filing.isUnfinished ? refuse(problems.inProgress(state, id)) : 'stale';
  const response = await changeResponse(filing, await filings.progress(account.id, id), account, call.ports);
  if (dry_run) return accept({ response, filing: null });
  return unchanged(filing, response, call);
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
    // Stepping through the periods to a distant date would take long. Use calendar periods, which are not over.
    const far = periodAround(period_end, registrations);
    if (far.end !== period_end) return problems.noPeriodEnd(state, adjacentPeriodEnds(period_end, null, registrations));
    return dry_run ? problems.periodInFuture(state, far, running.end) : problems.periodNotOver(state, period_end);
  }
  const period = findPeriod(period_end, next, registrations);
  if (period.end !== period_end)
    return problems.noPeriodEnd(state, adjacentPeriodEnds(period_end, next, registrations));
  if (dry_run) return period.start <= running.end ? period : problems.periodInFuture(state, period, running.end);
  if (!isOver(period_end, nowMs, account)) return problems.periodNotOver(state, period_end);
  if (chain?.last && chain.isBusy) return problems.inProgress(state, chain.last.filing);
  if (next === null) return periodAround(period_end, registrations);
  if (next.end === period_end) return next;
  if (period_end > next.end) return problems.closeFirst(state, next.end);
  // A month between two registrations, which the next period skips.
  if (chain?.last && period.start > chain.last.period_end) return period;
  return problems.beforeNext(state, period_end, chain?.last?.period_end, next.end);
};

// DynamoDB ends a page at 1 MB.
const pageEntries = 1000;
// Time reserved for the response, in milliseconds.
const responseMs = 2000;
// A dry run returns only the first exceptions and reviews. A closed filing has pages of all of them.
const exceptionsMax = 100;

type Ports = Pick<FilingPorts, 'filings' | 'now' | 'remainingMs'>;

type Preview = {
  readonly account: Account;
  readonly state: string;
  readonly period: Period;
  /** The first month to sum, `YYYY-MM`; `null` if the period takes every older entry. */
  readonly firstMonth: string | null;
  /** The cursor of a page of totals; `null` for the first page. */
  readonly totalsCursor: string | null;
  /** The maximum size of a page of totals in bytes. */
  readonly totalsBytes: number;
};

/**
 * Calculates the totals of a period as if all earlier open periods were closed first: its open entries, and late
 * entries that no earlier period takes. Returns a page of totals and the first exceptions. Stores nothing. Keeps only
 * one page of entries and of totals per shard in memory. A cursor is valid for a dry run of the same period, which sums
 * everything again.
 *
 * Refused with `validation_too_many_entries` if the time runs out, and `validation_invalid_cursor`.
 */
export const dryRun = async (
  { account, state, period, firstMonth, totalsCursor, totalsBytes }: Preview,
  askedBy: string,
  ports: Ports,
): Promise<Result<FilingWithTotals>> => {
  const list = { account, owner: { state, period_end: period.end } };
  const after = keyAfter(totalsCursor, list);
  if (after === null) return refuse(problems.invalidTotalsCursor(true));
  const page = { after, count: totalsMax(totalsBytes) };
  const shards = Array.from({ length: ports.filings.shards }, (_, shard) => ({ account: account.id, state, shard }));
  const sums = await Promise.all(
    shards.map((shard) => shardTotals(shard, { first: firstMonth, last: monthOfEnd(period.end) }, page, ports)),
  );
  const known = sums.filter((sum) => sum !== null);
  if (known.length < sums.length) return refuse(problems.tooManyEntries);
  const totals = firstTotals(totalsOfAll(known.map((sum) => sum.totals)), page);
  const first = (list: 'exceptions' | 'review') =>
    known
      .flatMap((sum) => sum[list])
      .sort(byPlace)
      .slice(0, exceptionsMax)
      .map(toFilingException);
  const moved = known.reduce((sum, { count }) => sum + count, 0);
  const nowMs = ports.now();
  const filing = newFiling({ account: account.id, id: '', state, previous: null, asked_by: askedBy }, period, nowMs);
  const previewed = { ...filing, status: 'dry_run' as const, summary: toFilingSummary(totals) };
  return accept({
    ...toFilingRow(previewed, { moved, marked: 0, reopened: 0 }, account, nowMs),
    id: null,
    ...pageOfTotals(inOrder(totals.jurisdictions), list, totalsBytes),
    exceptions: { ...toExceptionSums(totals), transactions: first('exceptions') },
    review: { ...toReviewSums(totals), transactions: first('review') },
    progress: { entries_moved: moved, entries_marked: 0, entries_reopened: 0, complete: true },
    created_at: null,
  });
};

const entryKey = ({ month, transactionId, currency }: LiabilityEntry) => `${month} ${transactionId} ${currency}`;
const byPlace = (a: LiabilityEntry, b: LiabilityEntry) => (entryKey(a) < entryKey(b) ? -1 : 1);

/** The key after which totals begin, and how many are needed at most. */
type TotalsRange = { readonly after: string; readonly count: number };

/**
 * Returns the totals of the first jurisdictions after a key. Merging this result over all shards gives the first
 * jurisdictions overall.
 */
const firstTotals = (totals: Totals, { after, count }: TotalsRange): Totals => ({
  ...totals,
  jurisdictions: new Map(
    inOrder(totals.jurisdictions)
      .filter(([key]) => key > after)
      .slice(0, count + 1),
  ),
});

/**
 * Returns the totals of the jurisdictions after a key, and the first entries with exceptions and to review; `null` if
 * the time runs out.
 */
const shardTotals = async (
  shard: Parameters<Ports['filings']['openEntries']>[0],
  months: { readonly first: string | null; readonly last: string },
  range: TotalsRange,
  { filings, remainingMs }: Ports,
) => {
  let totals = noTotals;
  let count = 0;
  const exceptions: LiabilityEntry[] = [];
  const review: LiabilityEntry[] = [];
  let after: LiabilityEntry | null = null;
  do {
    if (remainingMs() <= responseMs) return null;
    const page = await filings.openEntries(shard, months.last, pageEntries, after, months.first);
    totals = firstTotals(withEntries(totals, page.rows), range);
    count += page.rows.length;
    for (const entry of page.rows) {
      if (entry.exceptions?.length && exceptions.length < exceptionsMax) exceptions.push(entry);
      if (entry.review?.length && review.length < exceptionsMax) review.push(entry);
    }
    after = page.next;
  } while (after !== null);
  return { totals, count, exceptions, review };
};
