import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../base/assert.ts';
import { retryWhileStale } from '../base/contention.ts';
import { mapResult, type Result } from '../base/result.ts';
import type { ReplayableResponse } from '../ledger/ports.ts';
import { type Decided, sumCounts, summedUp } from './answer.ts';
import { filingCommit } from './begin.ts';
import type { FilingCommit, FilingSequence, Phase, ShardProgress, StoredFiling } from './ledger.ts';
import type { FilingPorts } from './ports.ts';
import { planStep } from './steps.ts';
import { answeredExceptions, answeredSummary } from './totals-answer.ts';

const currentPhase = ({ status }: StoredFiling): Phase =>
  status === 'marking' ? 'mark' : status === 'canceled' ? 'reopen' : 'move';

type Begun = { readonly shards: readonly ShardProgress[]; readonly chain: FilingSequence };

/**
 * Move, mark or move back the entries of an unfinished filing, all shards concurrently, until it is finished or the
 * time runs out. Returns whether it is finished.
 *
 * It may be interrupted at any point. Several workers may process one filing: a worker whose write is stale reads
 * again. `begun` is what the caller wrote when it began the filing, which saves a read.
 */
export const workOn = async (
  filing: StoredFiling,
  ports: FilingPorts,
  leaveMs: number,
  begun?: Begun,
): Promise<boolean> => {
  if (!filing.isUnfinished) return true;
  const phase = currentPhase(filing);
  const shards = begun?.shards ?? (await ports.filings.progress(filing.account, filing.id));
  const outcomes = await Promise.allSettled(
    shards.map((progress) => workOnShard(filing, progress, phase, ports, leaveMs)),
  );
  // The other shards continue; then the failure is thrown.
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  const after = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (!after.every((progress) => progress.phase === phase && progress.isDone)) return false;
  await finish(filing, after, begun?.chain, ports);
  return true;
};

const workOnShard = async (
  filing: StoredFiling,
  start: ShardProgress,
  phase: Phase,
  ports: FilingPorts,
  leaveMs: number,
): Promise<ShardProgress> => {
  let progress = start;
  let limit = ports.stepEntriesMax;
  // A concurrent worker finished this phase.
  while (progress.phase === phase && !progress.isDone) {
    if (ports.remainingMs() <= leaveMs) break;
    const step = await planStep[phase](filing, progress, limit, ports);
    const { commit, after } = step;
    limit = step.limit ?? limit;
    const isCommitted = (await ports.filings.commit(commit)).kind === 'committed';
    progress = isCommitted ? after : await readAgain(filing, progress, ports);
    // Contention: a smaller step succeeds sooner.
    limit = isCommitted ? Math.min(limit * 2, ports.stepEntriesMax) : Math.ceil(limit / 2);
  }
  return progress;
};

const readAgain = async (
  { account, id }: StoredFiling,
  { shard }: ShardProgress,
  { filings }: FilingPorts,
): Promise<ShardProgress> => {
  const progress = (await filings.progress(account, id)).find((candidate) => candidate.shard === shard);
  assert(progress !== undefined, 'A shard of a filing is missing.');
  return progress;
};

/** The commit that ends a phase once all shards are done. It removes the work item of the schedule. */
const finish = async (
  filing: StoredFiling,
  shards: readonly ShardProgress[],
  known: FilingSequence | undefined,
  { filings, now }: FilingPorts,
): Promise<void> => {
  const nowMs = now();
  const read = async () => (filing.status === 'marking' ? [] : await filings.chains(filing.account, [filing.state]));
  const [chain = null] = known ? [known] : await read();
  // A stale commit means that a concurrent worker finished the filing: nothing else changes an unfinished one.
  await filings.commit(filingCommit(filing, nowMs, { work: 'remove', ...endPhase(filing, shards, chain, nowMs) }));
};

const endPhase = (
  before: StoredFiling,
  shards: readonly ShardProgress[],
  chain: FilingSequence | null,
  nowMs: number,
): Partial<FilingCommit> => {
  const at = new Date(nowMs).toISOString();
  const after = { ...before, isUnfinished: false, entries: sumCounts(shards), version: before.version + 1 };
  if (before.status === 'marking') return { head: { before, after: { ...after, status: 'filed', filed_at: at } } };
  assert(chain !== null, 'An unfinished filing is in no chain.');
  const free = { ...chain, isBusy: false, version: chain.version + 1 };
  if (before.status === 'closing') {
    const totals = summedUp(shards);
    const closed = { summary: answeredSummary(totals), exceptions: answeredExceptions(totals) };
    return {
      head: { before, after: { ...after, status: 'closed', closed_at: at, ...closed } },
      chain: { before: chain, after: free },
    };
  }
  // The next period is this one again. The schedule does not close it, because a client canceled it.
  return {
    head: { before, after },
    chain: { before: chain, after: { ...free, last: before.previous, isHeld: true } },
    period: { remove: before.period_end },
  };
};

// How long a request waits for a slow step, and how long its response takes.
const graceMs = 1000;
const answerMs = 2000;

/**
 * Work for a short time on the filing that a request began. The request succeeds in any case; the schedule continues
 * the work.
 */
const processInline = async (filing: StoredFiling, ports: FilingPorts): Promise<void> => {
  const remainingMs = ports.remainingMs();
  const budgetMs = Math.min(ports.inlineMs, remainingMs - answerMs - graceMs);
  if (budgetMs <= 0) return;
  const timer = new AbortController();
  const work = workOn(filing, ports, remainingMs - budgetMs).catch(ports.onFailure);
  // An abandoned step does no harm if it completes later: its write is conditional on what it read.
  await Promise.race([work, sleep(budgetMs + graceMs, null, { signal: timer.signal }).catch(() => null)]);
  timer.abort();
};

/**
 * Decide a request, then work for a short time on the filing that it began. Retries while concurrent writes make it
 * stale.
 */
export const decideAndProcess = async (
  decide: () => Promise<Result<Decided> | 'stale'>,
  ports: FilingPorts,
): Promise<Result<ReplayableResponse>> => {
  const decided = await retryWhileStale(decide, ports.remainingMs);
  if (decided.ok && decided.value.filing) await processInline(decided.value.filing, ports);
  return mapResult(decided, ({ answered }) => answered);
};
