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
  const tally = { voided: 0, skipped: 0, complete: true };
  await Promise.all(Array.from({ length: ports.drafts.shards }, (_, shard) => sweepShard(shard, ports, tally)));
  return tally;
};

type Tally = { -readonly [Name in keyof Swept]: Swept[Name] };

/** A failing draft does not block the others, and a shard that cannot be read does not block the other shards. */
const sweepShard = async (shard: number, ports: SweepPorts, tally: Tally): Promise<void> => {
  const fail = (error: unknown) => {
    ports.onFailure(error);
    tally.complete = false;
  };
  const sweepDraft = async (draft: ExpiredDraft) => {
    const isVoided = await voidDraft(draft, ports).catch(fail);
    tally[isVoided ? 'voided' : 'skipped'] += 1;
  };
  try {
    let after: ExpiredDraft | null = null;
    do {
      if (ports.remainingMs() <= ports.batchMsMax) {
        tally.complete = false;
        return;
      }
      const { rows, next } = await ports.drafts.expired(shard, ports.now(), batchSize, after);
      await Promise.all(rows.map(sweepDraft));
      after = next;
    } while (after !== null);
  } catch (error) {
    fail(error);
  }
};

/** Voids a draft. Returns `false` if it is no longer an expired draft, because the index can lag. */
const voidDraft = async ({ account, id }: ExpiredDraft, { ledger, now }: SweepPorts): Promise<boolean> => {
  const nowMs = now();
  const stored = await ledger.find(account, id);
  if (!stored || !isExpired(stored.transaction, nowMs)) return false;
  const committed = await ledger.commit(buildExpiry(stored, account, nowMs));
  // After a repeat, the draft is not counted: a concurrent sweep or an earlier attempt already voided it.
  if (committed.kind === 'committed') return !committed.isRepeat;
  // A concurrent request changed the draft. If the draft is still expired, the run is incomplete.
  const again = await ledger.find(account, id);
  if (again && isExpired(again.transaction, nowMs))
    throw new Error(`The expired draft was not voided: ${committed.kind}.`);
  return false;
};
