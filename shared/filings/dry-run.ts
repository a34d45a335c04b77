import type { Account } from '../accounts/account.ts';
import { accept, type Result, refuse } from '../result.ts';
import type { OpenEntry } from '../transactions/open-entries.ts';
import { rowAnswer } from './answer.ts';
import { newFiling } from './begin.ts';
import { lastMonthOf, type Period } from './periods.ts';
import type { FilingPorts } from './ports.ts';
import { tooManyEntries } from './problems.ts';
import type { Filing } from './response.ts';
import { answeredSummary, answeredTotals, noTotals, type Totals, totalsOfAll, withEntries } from './totals.ts';

// DynamoDB ends a page at 1 MB.
const pageEntries = 1000;
// The time that the answer takes.
const answerMs = 2000;

type Ports = Pick<FilingPorts, 'filings' | 'now' | 'remainingMs'>;

/** The totals that closing a period would give. Stores nothing, and holds one page of each shard at a time. */
export const dryRun = async (
  account: Account,
  state: string,
  period: Period,
  askedBy: string,
  ports: Ports,
): Promise<Result<Filing>> => {
  const shards = Array.from({ length: ports.filings.shards }, (_, shard) => ({ account: account.id, state, shard }));
  const sums = await Promise.all(shards.map((shard) => shardTotals(shard, lastMonthOf(period.end), ports)));
  const known = sums.filter((sum) => sum !== null);
  if (known.length < sums.length) return refuse(tooManyEntries);
  const totals = totalsOfAll(known.map((sum) => sum.totals));
  const moved = known.reduce((sum, { count }) => sum + count, 0);
  const filing = newFiling(
    { account: account.id, id: '', state, previous: null, asked_by: askedBy },
    period,
    ports.now(),
  );
  return accept({
    ...rowAnswer(filing, { moved, marked: 0, reopened: 0 }),
    id: null,
    status: 'dry_run',
    totals: answeredTotals(totals),
    summary: answeredSummary(totals),
    progress: { entries_moved: moved, entries_marked: 0, entries_reopened: 0, complete: true },
    created_at: null,
  });
};

/** `null` where the time is up. */
const shardTotals = async (
  shard: Parameters<Ports['filings']['openEntries']>[0],
  lastMonth: string,
  { filings, remainingMs }: Ports,
): Promise<{ readonly totals: Totals; readonly count: number } | null> => {
  let totals = noTotals;
  let count = 0;
  let after: OpenEntry | null = null;
  do {
    if (remainingMs() <= answerMs) return null;
    const page = await filings.openEntries(shard, lastMonth, pageEntries, after);
    totals = withEntries(totals, page.entries);
    count += page.entries.length;
    after = page.next;
  } while (after !== null);
  return { totals, count };
};
