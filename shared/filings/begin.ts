import type { Idempotency, SavedResponse } from '../ledger/ports.ts';
import type { FilingCommit, FilingSequence, ShardProgress, StoredFiling } from './ledger.ts';
import type { Period } from './periods.ts';
import { noTotals } from './totals.ts';

/** A new filing, before its entries move. */
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
  summary: [],
  exceptions: null,
  entries: { moved: 0, marked: 0, reopened: 0 },
  filed_by: null,
  created_at: new Date(nowMs).toISOString(),
  closed_at: null,
  filed_at: null,
  canceled_at: null,
  version: 1,
});

/** The shards of a new filing. A shard that was read without an entry of the period is done: later entries are late. */
export const newShards = (shards: number, isEmpty: (shard: number) => boolean = () => false): ShardProgress[] =>
  Array.from({ length: shards }, (_, shard) => ({
    shard,
    phase: 'move',
    isDone: isEmpty(shard),
    entries: { moved: 0, marked: 0, reopened: 0 },
    cursor: null,
    totals: noTotals,
    parts: [],
    version: 1,
  }));

/** A commit with only the given changes. */
export const filingCommit = (
  { account, id, state }: Pick<StoredFiling, 'account' | 'id' | 'state'>,
  nowMs: number,
  changes: Partial<FilingCommit>,
): FilingCommit => ({
  account,
  filing: { id, state },
  nowMs,
  idempotency: null,
  head: null,
  chain: null,
  period: null,
  progress: [],
  parts: [],
  work: null,
  due: null,
  take: [],
  giveBack: [],
  heads: [],
  ...changes,
});

/** The commit that begins a filing, on the condition that the chain still has the version that was read. */
export const filingCommitToBegin = (
  filing: StoredFiling,
  shards: readonly ShardProgress[],
  chain: FilingSequence | null,
  idempotency: (Idempotency & { readonly answer: SavedResponse }) | null,
): FilingCommit =>
  filingCommit(filing, Date.parse(filing.created_at), {
    idempotency,
    head: { before: null, after: filing },
    chain: {
      before: chain,
      after: {
        account: filing.account,
        state: filing.state,
        last: { period_end: filing.period_end, filing: filing.id },
        isBusy: true,
        isHeld: false,
        version: (chain?.version ?? 0) + 1,
      },
    },
    period: { put: filing.period_end },
    progress: shards.map((after) => ({ before: null, after })),
    work: 'put',
    // The schedule removes the due entry of a canceled period. A new entry makes it process the state again.
    due: chain?.isHeld
      ? { remove: null, put: { account: filing.account, state: filing.state, at: filing.created_at } }
      : null,
  });
