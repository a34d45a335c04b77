import { expiryOf } from './expiry.ts';
import type { DraftIndex, ExpiredDraft, Ledger } from './ledger.ts';
import { isExpired } from './lifecycle.ts';

/** What a sweep did: how many drafts it voided, how many it passed over, and whether it saw the end of all. */
export type Swept = { readonly voided: number; readonly skipped: number; readonly complete: boolean };

export type SweepPorts = {
  readonly ledger: Pick<Ledger, 'find' | 'commit'>;
  readonly drafts: DraftIndex;
  readonly now: () => number;
  /** Milliseconds that are left for the sweep. */
  readonly remainingMs: () => number;
  /** Hears of a draft that could not be voided: it must not keep the others from it, and comes again with the next run. */
  readonly onFailure: (error: unknown) => void;
};

const batch = 25;
// What one batch may take at the worst: no new one is begun with less.
const reserveMs = 10_000;

/**
 * Void the drafts whose deadline has passed (interface decisions 4): all shards of the sparse index in parallel, until
 * nothing is left or the time is nearly up. The deadline holds without it; a run that stops is finished by the next.
 */
export const sweepDrafts = async (ports: SweepPorts): Promise<Swept> => {
  const shards = await Promise.all(Array.from({ length: ports.drafts.shards }, (_, shard) => sweepShard(shard, ports)));
  return {
    voided: shards.reduce((sum, { voided }) => sum + voided, 0),
    skipped: shards.reduce((sum, { skipped }) => sum + skipped, 0),
    complete: shards.every(({ complete }) => complete),
  };
};

const sweepShard = async (shard: number, ports: SweepPorts): Promise<Swept> => {
  let voided = 0;
  let skipped = 0;
  let failed = 0;
  while (ports.remainingMs() > reserveMs) {
    const drafts = await ports.drafts.expired(shard, ports.now(), batch);
    const outcomes = await Promise.allSettled(drafts.map((draft) => voidDraft(draft, ports)));
    const now = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length;
    const failures = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    for (const { reason } of failures) ports.onFailure(reason);
    failed += failures.length;
    voided += now;
    skipped += outcomes.length - now;
    // An index that lags shows drafts that are void already: the next run sees it caught up.
    if (drafts.length < batch || now === 0) return { voided, skipped, complete: failed === 0 };
  }
  return { voided, skipped, complete: false };
};

const voidDraft = async ({ account, id }: ExpiredDraft, { ledger, now }: SweepPorts): Promise<boolean> => {
  const nowMs = now();
  const stored = await ledger.find(account, id);
  if (!stored || !isExpired(stored.transaction, nowMs)) return false;
  const { kind } = await ledger.commit(expiryOf(stored, account, nowMs));
  return kind === 'committed';
};
