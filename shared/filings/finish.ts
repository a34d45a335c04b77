import { countsOf, totalsOf } from './answer.ts';
import { filingCommit } from './begin.ts';
import type { Chain, FilingCommit, ShardProgress, StoredFiling } from './ledger.ts';
import type { Period } from './periods.ts';
import type { FilingPorts } from './ports.ts';
import { answeredSummary } from './totals.ts';

/** The commit that ends a phase once all shards are done. It also removes the work item of the schedule. */
export const finish = async (
  filing: StoredFiling,
  shards: readonly ShardProgress[],
  { filings, now }: Pick<FilingPorts, 'filings' | 'now'>,
): Promise<void> => {
  const nowMs = now();
  const [chain = null] = filing.status === 'marking' ? [] : await filings.chains(filing.account, [filing.state]);
  // A stale commit means that a concurrent worker finished the filing: nothing else changes an unfinished one.
  await filings.commit(filingCommit(filing, nowMs, { work: 'remove', ...endOf(filing, shards, chain, nowMs) }));
};

const endOf = (
  before: StoredFiling,
  shards: readonly ShardProgress[],
  chain: Chain | null,
  nowMs: number,
): Partial<FilingCommit> => {
  const at = new Date(nowMs).toISOString();
  const after = { ...before, isUnfinished: false, entries: countsOf(shards), version: before.version + 1 };
  if (before.status === 'marking') return { head: { before, after: { ...after, status: 'filed', filed_at: at } } };
  if (chain === null) throw new Error('An unfinished filing is in no chain.');
  const free = { ...chain, isBusy: false, version: chain.version + 1 };
  if (before.status === 'closing') {
    const summary = answeredSummary(totalsOf(shards));
    return {
      head: { before, after: { ...after, status: 'closed', closed_at: at, summary } },
      chain: { before: chain, after: free },
    };
  }
  // The next period is this one again. The schedule does not close it, because a client canceled it.
  return {
    head: { before, after },
    chain: { before: chain, after: { ...free, last: before.previous, begins: beginsAgain(before), isHeld: true } },
    period: { remove: before.period_end },
  };
};

// Late entries since then have earlier months, and must not move the first period's start.
const beginsAgain = ({ previous, period_start, period_end, frequency }: StoredFiling): Period | null =>
  previous === null ? { start: period_start, end: period_end, frequency } : null;
