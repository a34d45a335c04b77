import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../base/assert.ts';
import { retryWhileStale } from '../base/contention.ts';
import { mapResult, type Result } from '../base/result.ts';
import type { SavedResponse } from '../ledger/ports.ts';
import { type FilingSequence, nextTime, type StoredFiling } from './filing.ts';
import { type Decision, type FilingCall, repeatDecision, sumCounts, summedUp } from './filing-response.ts';
import type { Period } from './periods.ts';
import type { FilingCommit, FilingPorts, Phase, ShardProgress } from './ports.ts';
import { planStep } from './steps.ts';
import { noTotals } from './totals.ts';
import { toExceptionSums, toFilingSummary, toReviewSums } from './totals-response.ts';

const noEntries = { moved: 0, marked: 0, reopened: 0 };

/** A filing, before its entries move. */
export const newFiling = (
  filing: Pick<StoredFiling, 'account' | 'id' | 'state' | 'previous' | 'asked_by'>,
  { start, end, frequency }: Period,
  nowMs: number,
): StoredFiling => ({
  ...filing,
  period_start: start,
  period_end: end,
  frequency,
  status: 'closing',
  isUnfinished: true,
  confirmation_number: null,
  corrections: [],
  summary: [],
  exceptions: null,
  review: null,
  entries: noEntries,
  filed_by: null,
  created_at: new Date(nowMs).toISOString(),
  closed_at: null,
  filed_at: null,
  canceled_at: null,
  version: 1,
});

/**
 * Returns the shards of a new filing. A shard without entries of the period is finished, because later entries count as
 * late.
 */
const newShards = (shards: number, isEmpty: (shard: number) => boolean): ShardProgress[] =>
  Array.from({ length: shards }, (_, shard) => ({
    shard,
    phase: 'move',
    isDone: isEmpty(shard),
    entries: noEntries,
    cursor: null,
    totals: noTotals,
    parts: [],
    version: 1,
  }));

type Begun = { readonly shards: readonly ShardProgress[]; readonly chain: FilingSequence };

/**
 * Returns a new filing of a period with its shards, the state's chain after it, and the commit that starts it,
 * conditional on the version of the chain (`before`) that was read.
 */
export const beginFiling = (
  owner: Pick<StoredFiling, 'account' | 'state' | 'asked_by'>,
  period: Period,
  before: FilingSequence | null,
  { filings, newId, now }: FilingPorts,
  isEmpty: (shard: number) => boolean = () => false,
): Begun & { readonly filing: StoredFiling; readonly commit: FilingCommit } => {
  const { account, state } = owner;
  const nowMs = now();
  const filing = newFiling({ ...owner, id: newId(nowMs), previous: before?.last ?? null }, period, nowMs);
  const shards = newShards(filings.shards, isEmpty);
  const last = { period_end: period.end, filing: filing.id };
  const chain = { account, state, last, isBusy: true, isHeld: false, version: (before?.version ?? 0) + 1 };
  const commit: FilingCommit = {
    filing,
    nowMs,
    head: { before: null, after: filing },
    chain: { before, after: chain },
    progress: shards.map((after) => ({ before: null, after })),
    // The schedule removes the due entry of a canceled period. A new entry causes it to process the state again.
    due: before?.isHeld ? { remove: null, put: { account, subject: state, at: filing.created_at } } : null,
  };
  return { filing, shards, chain, commit };
};

const currentPhase = ({ status }: StoredFiling): Phase =>
  status === 'marking' ? 'mark' : status === 'canceled' ? 'reopen' : 'move';

/**
 * Moves, marks or moves back the entries of an unfinished filing, all shards concurrently, until it is finished or the
 * time runs out. Returns whether it is finished.
 *
 * The work can be interrupted at any point. Several workers can process one filing: a worker whose write is stale reads
 * again. `begun` is the state that the caller wrote when it started the filing, which saves a read.
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
  const work = shards.map((progress) => workOnShard(filing, progress, phase, ports, leaveMs));
  // If a shard fails, the other shards continue; then the failure is thrown.
  await Promise.allSettled(work);
  const after = await Promise.all(work);
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
    limit = step.limit ?? limit;
    const isCommitted = (await ports.filings.commit(step.commit)).kind === 'committed';
    progress = isCommitted ? step.after : await readAgain(filing, progress, ports);
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

/** Ends a phase when all shards are done. */
const finish = async (
  filing: StoredFiling,
  shards: readonly ShardProgress[],
  known: FilingSequence | undefined,
  { filings, now }: FilingPorts,
): Promise<void> => {
  const nowMs = now();
  const read = async () => (filing.status === 'marking' ? [] : await filings.chains(filing.account, [filing.state]));
  const [chain = null] = known ? [known] : await read();
  // A stale commit means that a concurrent worker finished the filing, or that its confirmation number was corrected.
  // In the second case, the schedule finishes the filing.
  await filings.commit({ filing, nowMs, ...endPhase(filing, shards, chain, nowMs) });
};

const endPhase = (
  before: StoredFiling,
  shards: readonly ShardProgress[],
  chain: FilingSequence | null,
  nowMs: number,
): Pick<FilingCommit, 'head' | 'chain'> => {
  const at = nextTime(before, nowMs);
  const after = { ...before, isUnfinished: false, entries: sumCounts(shards), version: before.version + 1 };
  if (before.status === 'marking') return { head: { before, after: { ...after, status: 'filed', filed_at: at } } };
  assert(chain !== null, 'An unfinished filing is not in a filing sequence.');
  const free = { ...chain, isBusy: false, version: chain.version + 1 };
  if (before.status === 'closing') {
    const totals = summedUp(shards);
    const { by_code: _, ...review } = toReviewSums(totals);
    const closed = { summary: toFilingSummary(totals), exceptions: toExceptionSums(totals), review };
    return {
      head: { before, after: { ...after, status: 'closed', closed_at: at, ...closed } },
      chain: { before: chain, after: free },
    };
  }
  // This period is the next to close again. The schedule does not close it, because a client canceled it.
  return {
    head: { before, after },
    chain: { before: chain, after: { ...free, last: before.previous, isHeld: true } },
  };
};

// The time limit for work on a filing within a request.
const inlineMs = 3000;
// The time that a request waits for a slow step, and the time reserved for its response.
const graceMs = 1000;
const responseMs = 2000;

/**
 * Works for a short time on the filing that a request started. The request succeeds in any case; the schedule continues
 * the work.
 */
const processInline = async (filing: StoredFiling, ports: FilingPorts): Promise<void> => {
  const remainingMs = ports.remainingMs();
  const budgetMs = Math.min(inlineMs, remainingMs - responseMs - graceMs);
  if (budgetMs <= 0) return;
  const timer = new AbortController();
  const work = workOn(filing, ports, remainingMs - budgetMs).catch(ports.onFailure);
  // An abandoned step does no harm if it completes later, because its write is conditional on the state that it read.
  await Promise.race([work, sleep(budgetMs + graceMs, null, { signal: timer.signal }).catch(() => null)]);
  timer.abort();
};

/**
 * Handles a request that is not a replay, then works for a short time on the filing that it started. Retries while
 * concurrent writes make it stale.
 */
export const decideAndProcess = async (
  { idempotency, caller: { account }, ports }: FilingCall,
  decide: (nowMs: number) => Promise<Decision>,
): Promise<Result<SavedResponse>> => {
  const decided = await retryWhileStale(async () => {
    const nowMs = ports.now();
    const replay = idempotency && (await ports.ledger.findReplay(account.id, idempotency, nowMs));
    return replay ? repeatDecision(replay) : decide(nowMs);
  }, ports.remainingMs);
  if (decided.ok && decided.value.filing) await processInline(decided.value.filing, ports);
  return mapResult(decided, ({ response }) => response);
};
