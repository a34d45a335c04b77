import { setTimeout as sleep } from 'node:timers/promises';
import { finish } from './finish.ts';
import type { Phase, ShardProgress, StoredFiling } from './ledger.ts';
import type { FilingPorts } from './ports.ts';
import { planStep } from './steps.ts';

const phaseOf = ({ status }: StoredFiling): Phase =>
  status === 'marking' ? 'mark' : status === 'canceled' ? 'reopen' : 'move';

/**
 * Move, mark or move back the entries of an unfinished filing, all shards concurrently, until it is finished or the time
 * is up. Returns whether it is finished.
 *
 * May be interrupted anywhere. Two workers may work on one filing: the second at a step reads again.
 */
export const workOn = async (filing: StoredFiling, ports: FilingPorts, leaveMs: number): Promise<boolean> => {
  if (!filing.isUnfinished) return true;
  const phase = phaseOf(filing);
  const shards = await ports.filings.progress(filing.account, filing.id);
  const outcomes = await Promise.allSettled(
    shards.map((progress) => workOnShard(filing, progress, phase, ports, leaveMs)),
  );
  // The other shards continue; then the failure is thrown.
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  const after = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (!after.every((progress) => progress.phase === phase && progress.isDone)) return false;
  await finish(filing, after, ports);
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
    const { commit, after } = await planStep[phase](filing, progress, limit, ports);
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
  const progress = (await filings.progress(account, id)).find((one) => one.shard === shard);
  if (!progress) throw new Error('A shard of a filing is missing.');
  return progress;
};

// The time that a request waits for a slow step, and the time that its answer takes.
const patienceMs = 1000;
const answerMs = 2000;

/** Work for a short time on the filing that a request began. The request succeeds in any case; the schedule continues the work. */
export const processInline = async (filing: StoredFiling, ports: FilingPorts): Promise<void> => {
  const remainingMs = ports.remainingMs();
  const budgetMs = Math.min(ports.atOnceMs, remainingMs - answerMs - patienceMs);
  if (budgetMs <= 0) return;
  const patience = new AbortController();
  const work = workOn(filing, ports, remainingMs - budgetMs).catch(ports.onFailure);
  // An abandoned step does no harm if it completes later: its write is conditional on what it read.
  await Promise.race([work, sleep(budgetMs + patienceMs, null, { signal: patience.signal }).catch(() => null)]);
  patience.abort();
};
