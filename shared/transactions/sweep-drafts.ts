import { expiryOf } from './expiry.ts';
import type { DraftIndex, ExpiredDraft, Ledger } from './ledger.ts';
import { isExpired } from './lifecycle.ts';

/** What a sweep did: drafts voided and passed over, and whether it saw the end of all shards and left no expired draft. */
export type Swept = { readonly voided: number; readonly skipped: number; readonly complete: boolean };

export type SweepPorts = {
  readonly ledger: Pick<Ledger, 'find' | 'commit'>;
  readonly drafts: DraftIndex;
  readonly now: () => number;
  /** What one batch may take at the worst, in milliseconds: no new one is begun with less. */
  readonly batchMsMax: number;
  /** Milliseconds that are left for the sweep. */
  readonly remainingMs: () => number;
  /** Hears of a draft that could not be voided, or a shard that could not be read: the next run comes by again. */
  readonly onFailure: (error: unknown) => void;
};

const batchSize = 25;

/**
 * Void the drafts whose deadline has passed (interface decisions 4): all shards of the sparse index in parallel, until
 * nothing is left or the time is nearly up. The deadline holds without it; a run that stops is finished by the next.
 */
export const sweepDrafts = async (ports: SweepPorts): Promise<Swept> => {
  const shards = await Promise.all(Array.from({ length: ports.drafts.shards }, (_, shard) => sweepShard(shard, ports)));
  return sumOf(shards);
};

const sumOf = (parts: readonly Swept[]): Swept => ({
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
    swept = sumOf([swept, batch.swept]);
    // On past what was seen, void or not: drafts that cannot be voided keep none of those behind them from it.
    after = batch.next;
  } while (after !== null);
  return swept;
};

type Batch = { readonly swept: Swept; readonly next: ExpiredDraft | null };

/** `null` where the shard cannot be read, which is the end of it for this run and of no other shard. */
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

/** Whether it was voided here; `false` where it is no expired draft any more, however late the index hears of that. */
const voidDraft = async ({ account, id }: ExpiredDraft, { ledger, now }: SweepPorts): Promise<boolean> => {
  const nowMs = now();
  const stored = await ledger.find(account, id);
  if (!stored || !isExpired(stored.transaction, nowMs)) return false;
  const committed = await ledger.commit(expiryOf(stored, account, nowMs));
  // Whoever writes it writes the same: what another sweep has written is counted there.
  if (committed.kind === 'committed') return !committed.isRepeat;
  // Somebody was faster. Where that was another change than this one, the draft still waits: the run is not complete.
  const again = await ledger.find(account, id);
  if (again && isExpired(again.transaction, nowMs))
    throw new Error(`An expired draft was not voided: ${committed.kind}.`);
  return false;
};
