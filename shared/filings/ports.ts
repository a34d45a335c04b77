import * as z from 'zod/mini';
import type { DeepReadonly } from '../base/json.ts';
import type { HeadChange } from '../ledger/audit.ts';
import type { LiabilityEntry } from '../ledger/entries/entry.ts';
import type { Page } from '../ledger/page-limit.ts';
import type { AccountReads, Commit, Ledger, Ports, Replay, SweepPositions } from '../ledger/ports.ts';
import type { StoredTransaction } from '../ledger/transaction.ts';
import { FilingHead, type FilingSequence, type StoredFiling, type StoredReminder } from './filing.ts';
import { Totals } from './totals.ts';

const phases = ['move', 'mark', 'reopen'] as const;
export type Phase = (typeof phases)[number];

/** The position of an entry within its shard. Entries with exceptions come first, then entries to review. */
const EntryPlace = z.object({
  transactionId: z.string(),
  currency: z.string(),
  exceptions: z.optional(z.array(z.unknown())),
  review: z.optional(z.array(z.unknown())),
});
export type EntryPlace = DeepReadonly<z.output<typeof EntryPlace>>;

/** The progress of one shard of a filing. */
export const ShardProgress = z.object({
  shard: z.int(),
  phase: z.enum(phases),
  /** Whether the current phase is finished in this shard. A new phase resets it to `false`. */
  isDone: z.boolean(),
  entries: FilingHead.shape.entries,
  /** The last entry that was marked. */
  cursor: z.nullable(EntryPlace),
  /** The totals of the shard. They contain no jurisdictions if these are stored in parts. */
  totals: Totals,
  /** The first key of each part of the jurisdictions, in order; empty while `totals` has them. */
  parts: z.array(z.string()),
  version: z.int(),
});
export type ShardProgress = DeepReadonly<z.output<typeof ShardProgress>>;

/**
 * A part of a shard's totals, which contains the jurisdictions from its key up to the first key of the next part.
 */
export const TotalsPart = z.object({ shard: z.int(), from: z.string(), sums: Totals.shape.jurisdictions });
export type TotalsPart = DeepReadonly<z.output<typeof TotalsPart>>;
export type PartPlace = Omit<TotalsPart, 'sums'>;

/**
 * A list of entries that need attention: `review` also returns the entries with exceptions, whether or not they need
 * review.
 */
export type EntryList = 'exceptions' | 'review';

/** The position of an entry, for a cursor. */
export const toEntryPlace = ({ transactionId, currency, exceptions, review }: LiabilityEntry): EntryPlace => ({
  transactionId,
  currency,
  ...(exceptions ? { exceptions: exceptions.map(({ reason }) => reason) } : review && { review: review.slice(0, 1) }),
});

/** An entry of the due index: the instant from which the schedule processes a state or continues an unfinished filing. */
export type DueEntry = {
  readonly account: string;
  /** The code of the state, or the id of the filing. */
  readonly subject: string;
  /** ISO timestamp with milliseconds, so entries sort chronologically. */
  readonly at: string;
  /** A new random value with every write. Conditional deletes use it, so they never remove a rewritten entry. */
  readonly token: string;
};

export type DuePlace = Omit<DueEntry, 'token'>;

/**
 * The due index: at least one entry for each state that the schedule closes, at its closing day or earlier, and one for
 * each unfinished filing. Entries of states can be stale, so the schedule checks the account and the chain.
 */
export type DueIndex = {
  readonly shards: number;
  /** Returns at most `limit` entries of a shard up to a timestamp, in order. */
  readonly page: (shard: number, upTo: string, limit: number, after: DueEntry | null) => Promise<readonly DueEntry[]>;
  /** Moves an entry to a later time, or removes it. Changes nothing if the entry was rewritten or removed. */
  readonly move: (entry: DueEntry, to: string | null) => Promise<void>;
  readonly sweep: SweepPositions;
};

/** A changed item. The write is conditional on the version that was read; `null` if the item is new. */
type Change<Value> = { readonly before: Value | null; readonly after: Value };

/** Writes that happen atomically. */
export type FilingCommit = {
  readonly filing: Pick<StoredFiling, 'account' | 'id' | 'state'>;
  /** The service's time in milliseconds. */
  readonly nowMs: number;
  readonly idempotency?: Commit['idempotency'];
  readonly head?: Change<StoredFiling>;
  readonly chain?: Change<FilingSequence> | null;
  readonly progress?: readonly Change<ShardProgress>[];
  /** Parts of totals that a step changed. The condition on their shard's progress covers them. */
  readonly parts?: readonly TotalsPart[];
  /** The account's `settings_changed_at` as read, a condition of the commit; absent without a condition. */
  readonly settingsAsOf?: string | null;
  /** The entry of the due index that the schedule took, and the one to write. */
  readonly due?: { readonly remove: DueEntry | null; readonly put: DuePlace | null } | null;
  /** Open entries to move into the filing. */
  readonly take?: readonly LiabilityEntry[];
  /** Entries of the filing to reopen. */
  readonly giveBack?: readonly LiabilityEntry[];
  readonly heads?: readonly HeadChange[];
};

type FilingCommitted =
  | { readonly kind: 'committed' }
  | Replay
  /** An item changed since it was read. Read again and retry. */
  | { readonly kind: 'stale' };

export type FilingName = Pick<StoredFiling, 'account' | 'id'>;

/** The reads of filings. */
export type FilingReads = {
  readonly shards: number;
  readonly find: (account: string, id: string) => Promise<StoredFiling | undefined>;
  /** The account's filings, newest first. */
  readonly page: (account: string, after: string | null, limit: number) => Promise<Page<StoredFiling>>;
  /** Returns the existing chains of these states. */
  readonly chains: (account: string, states: readonly string[]) => Promise<readonly FilingSequence[]>;
  /** All shards, ordered by number. */
  readonly progress: (account: string, id: string) => Promise<readonly ShardProgress[]>;
  /** Parts of a filing's totals, in any order. */
  readonly parts: (account: string, id: string, places: readonly PartPlace[]) => Promise<readonly TotalsPart[]>;
  /**
   * Open entries of a shard up to a month, and from `firstMonth` if there is one, oldest month first: at most `limit`,
   * or 1 MB.
   */
  readonly openEntries: (
    place: { readonly account: string; readonly state: string; readonly shard: number },
    lastMonth: string,
    limit: number,
    after: LiabilityEntry | null,
    firstMonth?: string | null,
  ) => Promise<Page<LiabilityEntry, LiabilityEntry>>;
  /**
   * The oldest month with open entries of each shard, not before `first`, `YYYY-MM`; `null` for a shard without any.
   */
  readonly oldestOpenMonths: (account: string, state: string, first?: string) => Promise<readonly (string | null)[]>;
  /**
   * Entries of a filing's shard: those with exceptions by transaction, those to review, then the others; at most
   * `limit`, or 1 MB.
   */
  readonly filedEntries: (
    place: FilingName & { readonly shard: number },
    limit: number,
    after: EntryPlace | null,
    only?: EntryList,
  ) => Promise<Page<LiabilityEntry, LiabilityEntry>>;
};

/** The ports of reading filings: `filingReadPorts` in shared/store/filings/filing-reads.ts. */
export type FilingReadPorts = { readonly filings: FilingReads; readonly now: () => number };

/** The ports of changing filings: `filingPorts(remainingMs)` in shared/store/filings/filing-ports.ts. */
export type FilingPorts = Pick<Ports, 'now' | 'remainingMs'> & {
  /** Returns the maximum stored size of a transaction in bytes, including its credit counters. */
  readonly storedSize: (stored: StoredTransaction) => number;
  readonly filings: FilingReads & { readonly commit: (commit: FilingCommit) => Promise<FilingCommitted> };
  readonly ledger: Pick<Ledger, 'findSome' | 'findReplay' | 'saveResponse'>;
  readonly newId: (timeMs: number) => string;
  /** The maximum duration of one step in milliseconds. No step starts with less time left. */
  readonly stepMsMax: number;
  /** The maximum number of entries per step. */
  readonly stepEntriesMax: number;
  /** The maximum number of rows of totals per item: sums of jurisdictions, and of their rates. */
  readonly totalsRowsMax: number;
  /** Reports a failure that does not affect the response, or affects one filing of many. The schedule retries it. */
  readonly onFailure: (error: unknown) => void;
};

/** A reminder to store, with the version of its filing; `null` for an open period. */
export type NewReminder = StoredReminder & { readonly version: number | null };

/** The reminders of returns that are not filed: `reminderStore` in shared/store/filings/reminder-store.ts. */
export type ReminderStore = {
  /** Returns the reminders that are not stored yet. Each has a different period. */
  readonly missing: (reminders: readonly NewReminder[]) => Promise<readonly NewReminder[]>;
  /**
   * Stores a reminder. `stale`, and nothing is stored, if it is already stored, if its filing has changed, or if its
   * open period has a filing.
   */
  readonly add: (reminder: NewReminder) => Promise<{ readonly kind: 'committed' | 'stale' }>;
};

/** The additional ports of the schedule: `closePorts(remainingMs)` in shared/store/filings/filing-ports.ts. */
export type ClosePorts = FilingPorts &
  AccountReads & {
    readonly due: DueIndex;
    readonly reminders: ReminderStore;
  };

/**
 * The result of a run of the schedule: filings started, turns of work, filings finished. `complete` if no due work is
 * left.
 */
export type Closed = {
  readonly created: number;
  readonly worked: number;
  readonly finished: number;
  readonly complete: boolean;
  readonly failed: number;
};
