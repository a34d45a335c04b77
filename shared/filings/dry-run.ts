import type { Account } from '../accounts/account.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import type { LiabilityEntry } from '../ledger/entries/entry.ts';
import { exceptionAnswer, rowAnswer } from './answer.ts';
import { monthOfEnd, type Period } from './periods.ts';
import type { FilingPorts } from './ports.ts';
import { invalidTotalsCursor, tooManyEntries } from './problems.ts';
import type { Filing } from './response.ts';
import { inOrder, noTotals, type Totals, totalsOfAll, withEntries } from './totals.ts';
import { answeredExceptions, answeredReview, answeredSummary } from './totals-answer.ts';
import { keyAfter, pageOfTotals, totalsMax } from './totals-parts.ts';
import { newFiling } from './work-on.ts';

// DynamoDB ends a page at 1 MB.
const pageEntries = 1000;
// Time reserved for the response, in milliseconds.
const answerMs = 2000;
// A dry run returns only the first exceptions and reviews. A closed filing has pages of all of them.
const exceptionsMax = 100;

type Ports = Pick<FilingPorts, 'filings' | 'now' | 'remainingMs'>;

type Preview = {
  readonly account: Account;
  readonly state: string;
  readonly period: Period;
  /** The first month to sum, `YYYY-MM`; `null` if the period takes every older entry. */
  readonly firstMonth: string | null;
  /** The cursor of a page of totals; absent for the first page. */
  readonly totalsCursor: string | null;
};

/**
 * Calculates the totals of closing a period after all earlier open periods: its open entries, and late entries that no
 * earlier open period takes, with a page of totals and the first exceptions. Stores nothing, and keeps only one page of
 * entries and totals per shard in memory. A cursor is valid for a dry run of the same period, which sums everything
 * again.
 *
 * Refused with `validation_too_many_entries` if the time runs out, and `validation_invalid_cursor`.
 */
export const dryRun = async (
  { account, state, period, firstMonth, totalsCursor }: Preview,
  askedBy: string,
  ports: Ports,
): Promise<Result<Filing>> => {
  const list = { account, of: { state, period_end: period.end } };
  const after = keyAfter(totalsCursor, list);
  if (after === null) return refuse(invalidTotalsCursor(true));
  const shards = Array.from({ length: ports.filings.shards }, (_, shard) => ({ account: account.id, state, shard }));
  const sums = await Promise.all(
    shards.map((shard) => shardTotals(shard, { first: firstMonth, last: monthOfEnd(period.end) }, after, ports)),
  );
  const known = sums.filter((sum) => sum !== null);
  if (known.length < sums.length) return refuse(tooManyEntries);
  const totals = firstTotals(totalsOfAll(known.map((sum) => sum.totals)), after);
  const first = (list: 'exceptions' | 'review') =>
    known
      .flatMap((sum) => sum[list])
      .sort(byPlace)
      .slice(0, exceptionsMax)
      .map(exceptionAnswer);
  const moved = known.reduce((sum, { count }) => sum + count, 0);
  const nowMs = ports.now();
  const filing = newFiling({ account: account.id, id: '', state, previous: null, asked_by: askedBy }, period, nowMs);
  const previewed = { ...filing, status: 'dry_run' as const, summary: answeredSummary(totals) };
  return accept({
    ...rowAnswer(previewed, { moved, marked: 0, reopened: 0 }, account, nowMs),
    id: null,
    ...pageOfTotals(inOrder(totals.jurisdictions), list),
    exceptions: { ...answeredExceptions(totals), transactions: first('exceptions') },
    review: { ...answeredReview(totals), transactions: first('review') },
    progress: { entries_moved: moved, entries_marked: 0, entries_reopened: 0, complete: true },
    created_at: null,
  });
};

type ShardSum = {
  readonly totals: Totals;
  readonly count: number;
  /** The first entries with exceptions. */
  readonly exceptions: readonly LiabilityEntry[];
  /** The first entries to review. */
  readonly review: readonly LiabilityEntry[];
};

const entryKey = ({ month, transactionId, currency }: LiabilityEntry) => `${month} ${transactionId} ${currency}`;
const byPlace = (a: LiabilityEntry, b: LiabilityEntry) => (entryKey(a) < entryKey(b) ? -1 : 1);

/**
 * Returns the totals of the first jurisdictions after a key. Merging this result over all shards gives the first
 * jurisdictions overall.
 */
const firstTotals = (totals: Totals, after: string): Totals => ({
  ...totals,
  jurisdictions: new Map(
    inOrder(totals.jurisdictions)
      .filter(([key]) => key > after)
      .slice(0, totalsMax() + 1),
  ),
});

/** Returns the totals of the jurisdictions after a key, or `null` if the time runs out. */
const shardTotals = async (
  shard: Parameters<Ports['filings']['openEntries']>[0],
  months: { readonly first: string | null; readonly last: string },
  key: string,
  { filings, remainingMs }: Ports,
): Promise<ShardSum | null> => {
  let totals = noTotals;
  let count = 0;
  const exceptions: LiabilityEntry[] = [];
  const review: LiabilityEntry[] = [];
  let after: LiabilityEntry | null = null;
  do {
    if (remainingMs() <= answerMs) return null;
    const page = await filings.openEntries(shard, months.last, pageEntries, after, months.first);
    totals = firstTotals(withEntries(totals, page.entries), key);
    count += page.entries.length;
    for (const entry of page.entries) {
      if (entry.exceptions?.length && exceptions.length < exceptionsMax) exceptions.push(entry);
      if (entry.review?.length && review.length < exceptionsMax) review.push(entry);
    }
    after = page.next;
  } while (after !== null);
  return { totals, count, exceptions, review };
};
