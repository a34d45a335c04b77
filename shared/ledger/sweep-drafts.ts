import { buildExpiry } from './commit.ts';
import type { DraftIndex, ExpiredDraft, Ledger } from './ports.ts';
import { isExpired } from './transaction.ts';

/**
 * The result of a sweep: the drafts voided and skipped, and whether it reached the end of all shards with no expired
 * draft left.
 */
export type Swept = { readonly voided: number; readonly skipped: number; readonly complete: boolean };

type SweepPorts = {
  readonly ledger: Pick<Ledger, 'find' | 'commit'>;
  readonly drafts: DraftIndex;
  readonly now: () => number;
  /** The time reserved for one batch, in milliseconds. No batch starts with less time left. */
  readonly batchMsMax: number;
  /** Returns the milliseconds left for the sweep. */
  readonly remainingMs: () => number;
  /** Reports a draft that could not be voided or a shard that could not be read. The next run retries it. */
  readonly onFailure: (error: unknown) => void;
};

const batchSize = 25;

/**
 * Voids expired drafts from all shards of the sparse index in parallel, until none is left or time runs out. Reads
 * apply the deadline even before the sweep. The next run continues an interrupted sweep.
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

/** Returns `null` if the shard cannot be read. The other shards continue. */
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

/** Whether this run voided the draft; `false` if it is no longer an expired draft, because the index can lag. */
const voidDraft = async ({ account, id }: ExpiredDraft, { ledger, now }: SweepPorts): Promise<boolean> => {
  const nowMs = now();
  const stored = await ledger.find(account, id);
  if (!stored || !isExpired(stored.transaction, nowMs)) return false;
  const committed = await ledger.commit(buildExpiry(stored, account, nowMs));
  // A concurrent sweep already voided the draft and counts it.
  if (committed.kind === 'committed') return !committed.isRepeat;
  // A concurrent change. Unless it voided the draft, the draft remains and the run is incomplete.
  const again = await ledger.find(account, id);
  if (again && isExpired(again.transaction, nowMs))
    throw new Error(`The expired draft was not voided: ${committed.kind}.`);
  return false;
};
