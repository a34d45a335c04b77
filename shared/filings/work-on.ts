import { setTimeout as sleep } from 'node:timers/promises';
import { finish } from './finish.ts';
import type { Phase, ShardProgress, StoredFiling } from './ledger.ts';
import type { FilingPorts } from './ports.ts';
import { planStep } from './steps.ts';

const phaseOf = ({ status }: StoredFiling): Phase =>
  status === 'marking' ? 'mark' : status === 'canceled' ? 'reopen' : 'move';

/**
 * Move, mark or move back the entries of an unfinished filing, all shards side by side, until it is finished or only so
 * many milliseconds are left. Answers whether it is finished.
 *
 * It may be stopped anywhere, and two may work on one filing: who comes second at a step reads again.
 */
export const workOn = async (filing: StoredFiling, ports: FilingPorts, leaveMs: number): Promise<boolean> => {
  if (!filing.isUnfinished) return true;
  const phase = phaseOf(filing);
  const shards = await ports.filings.progress(filing.account, filing.id);
  const outcomes = await Promise.allSettled(
    shards.map((progress) => workOnShard(filing, progress, phase, ports, leaveMs)),
  );
  // One shard that fails keeps no other from going on, but it is no less a failure.
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
  // Another phase is another's work: this one has been finished meanwhile.
  while (progress.phase === phase && !progress.isDone) {
    if (ports.remainingMs() <= leaveMs) break;
    const { commit, after } = await planStep[phase](filing, progress, limit, ports);
    const isCommitted = (await ports.filings.commit(commit)).kind === 'committed';
    progress = isCommitted ? after : await readAgain(filing, progress, ports);
    // What is being changed all the time is taken by smaller bites.
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
  if (!progress) throw new Error('A shard of a filing is gone.');
  return progress;
};

// How long a request waits for a step that hangs, and what its answer takes.
const patienceMs = 1000;
const answerMs = 2000;

/** Work for a moment on what a request began. Whatever becomes of that, the request is done and the schedule comes by. */
export const processInline = async (filing: StoredFiling, ports: FilingPorts): Promise<void> => {
  const remainingMs = ports.remainingMs();
  const budgetMs = Math.min(ports.atOnceMs, remainingMs - answerMs - patienceMs);
  if (budgetMs <= 0) return;
  const patience = new AbortController();
  const work = workOn(filing, ports, remainingMs - budgetMs).catch(ports.onFailure);
  // A step that is left behind does no harm, whenever it goes on: it is written on the condition of what it has read.
  await Promise.race([work, sleep(budgetMs + patienceMs, null, { signal: patience.signal }).catch(() => null)]);
  patience.abort();
};
