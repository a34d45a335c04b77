import { buildExpiry } from './commit.ts';
import type { DraftIndex, ExpiredDraft, Ledger } from './ports.ts';
import { isExpired } from './transaction.ts';

/** The result of a sweep: drafts voided and skipped, and whether it reached the end of all shards without leaving an expired draft. */
export type Swept = { readonly voided: number; readonly skipped: number; readonly complete: boolean };

type SweepPorts = {
  readonly ledger: Pick<Ledger, 'find' | 'commit'>;
  readonly drafts: DraftIndex;
  readonly now: () => number;
  /** The longest time of one batch, in milliseconds. No batch begins with less time left. */
  readonly batchMsMax: number;
  /** The milliseconds that the sweep has left. */
  readonly remainingMs: () => number;
  /** Reports a draft that could not be voided, or a shard that could not be read. The next run retries it. */
  readonly onFailure: (error: unknown) => void;
};

const batchSize = 25;

/**
 * Void expired drafts: all shards of the sparse index in parallel, until none is left or the time is nearly used up.
 * Reads apply the deadline without it. The next run continues an interrupted one.
 */
export const sweepDrafts = async (ports: SweepPorts): Promise<Swept> => {
  const shards = await Promise.all(Array.from({ length: ports.drafts.shards }, (_, shard) => sweepShard(shard, ports)));
  return sumSwept(shards);
};

const sumSwept = (parts: readonly Swept[]): Swept => ({
  voided: parts.reduce((sum, { voided }) => sum + voided, 0),
  skipped: parts.reduce((sum, { skipped }) => sum + skipped, 0),
  complete: parts.every(({ complete }) => complete),
});

const sweepShard = async (shard: number, ports: SweepPorts): Promise<Swept> => {
  let swept: Swept = { voided: 0, skipped: 0, complete: true };
  let after: ExpiredDraft | null = null;
  do {
    if (ports.remainingMs() <= ports.batchMsMax) return { ...swept, complete: false };
    const batch = await nextBatch(shard, after, ports);
    if (batch === null) return { ...swept, complete: false };
    swept = sumSwept([swept, batch.swept]);
    // Continue after the last draft, voided or not: a failing draft must not block the others.
    after = batch.next;
  } while (after !== null);
  return swept;
};

type Batch = { readonly swept: Swept; readonly next: ExpiredDraft | null };

/** `null` where the shard cannot be read. The other shards continue. */
const nextBatch = async (shard: number, after: ExpiredDraft | null, ports: SweepPorts): Promise<Batch | null> => {
  try {
    const { drafts, next } = await ports.drafts.expired(shard, ports.now(), batchSize, after);
    const outcomes = await Promise.allSettled(drafts.map((draft) => voidDraft(draft, ports)));
    const failures = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    for (const { reason } of failures) ports.onFailure(reason);
    const voided = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length;
    return { swept: { voided, skipped: outcomes.length - voided, complete: failures.length === 0 }, next };
  } catch (error) {
    ports.onFailure(error);
    return null;
  }
};

/** Whether this run voided the draft; `false` where it is no expired draft any more (the index may be behind). */
const voidDraft = async ({ account, id }: ExpiredDraft, { ledger, now }: SweepPorts): Promise<boolean> => {
  const nowMs = now();
  const stored = await ledger.find(account, id);
  if (!stored || !isExpired(stored.transaction, nowMs)) return false;
  const committed = await ledger.commit(buildExpiry(stored, account, nowMs));
  // A concurrent sweep already voided the draft, and counts it.
  if (committed.kind === 'committed') return !committed.isRepeat;
  // A concurrent change. Unless it voided the draft, the draft remains and the run is incomplete.
  const again = await ledger.find(account, id);
  if (again && isExpired(again.transaction, nowMs))
    throw new Error(`An expired draft was not voided: ${committed.kind}.`);
  return false;
};
