import type { LiabilityEntry } from '../ledger/entries/entry.ts';
import type { HeadChange, Commit as LedgerCommit, Replay, SweepPosition } from '../ledger/ports.ts';
import type { ExceptionSums, FilingStatus, FilingSummary, Frequency } from './filing.ts';
import type { Totals } from './totals.ts';

/** The storage ports of filings, which shared/store implements on DynamoDB. */

/** A filing without its entries. */
export type StoredFiling = {
  readonly account: string;
  readonly id: string;
  readonly state: string;
  /** First and last day, `YYYY-MM-DD`; always the first and last day of a month. */
  readonly period_start: string;
  readonly period_end: string;
  readonly frequency: Frequency;
  readonly status: FilingStatus;
  /** Whether its entries are still being moved, marked or moved back. */
  readonly isUnfinished: boolean;
  readonly confirmation_number: string | null;
  /** The value when the filing was closed. */
  readonly summary: readonly FilingSummary[];
  /** The values when the filing was closed; `null` before. */
  readonly exceptions: ExceptionSums | null;
  readonly entries: Counts;
  readonly asked_by: string;
  /** The credential that requested `filed`, for the audit entries of the marked transactions. */
  readonly filed_by: string | null;
  readonly created_at: string;
  readonly closed_at: string | null;
  readonly filed_at: string | null;
  readonly canceled_at: string | null;
  /** The chain's end before this filing, for a cancellation. */
  readonly previous: ChainEnd | null;
  readonly version: number;
};

/** The number of entries that were moved in, marked as filed, and moved back. */
export type Counts = { readonly moved: number; readonly marked: number; readonly reopened: number };

type ChainEnd = { readonly period_end: string; readonly filing: string };

/** The closed periods of a state. Every closing and cancellation writes this item on a condition. */
export type FilingSequence = {
  readonly account: string;
  readonly state: string;
  /** The newest filing that is not canceled, or whose cancellation is in progress. */
  readonly last: ChainEnd | null;
  /** Whether the last filing is still moving entries. No other filing begins before its end. */
  readonly isBusy: boolean;
  /** Whether a client canceled the next period. The schedule then does not close it. */
  readonly isHeld: boolean;
  readonly version: number;
};

export const phases = ['move', 'mark', 'reopen'] as const;
export type Phase = (typeof phases)[number];

/** The progress of one shard of a filing. */
export type ShardProgress = {
  readonly shard: number;
  readonly phase: Phase;
  /** Whether the phase is finished in this shard. No entry of the shard moves after that. */
  readonly isDone: boolean;
  readonly entries: Counts;
  /** The last entry that was marked. */
  readonly cursor: EntryPlace | null;
  /** Without jurisdictions if they are in parts. */
  readonly totals: Totals;
  /** The first key of each part of the jurisdictions, in order; empty while `totals` has them. */
  readonly parts: readonly string[];
  readonly version: number;
};

/** The place of a part of a shard's totals: it has the jurisdictions from this key up to the first key of the next part. */
export type PartPlace = { readonly shard: number; readonly from: string };

export type TotalsPart = PartPlace & { readonly sums: Totals['jurisdictions'] };

/** The position of an entry within its shard. Entries with exceptions come first. */
export type EntryPlace = Pick<LiabilityEntry, 'transactionId' | 'currency'> & {
  readonly exceptions?: readonly unknown[] | undefined;
};

/** The position of an entry, for a cursor. */
export const toEntryPlace = ({ transactionId, currency, exceptions }: LiabilityEntry): EntryPlace => ({
  transactionId,
  currency,
  ...(exceptions && { exceptions: exceptions.map(({ reason }) => reason) }),
});

/** An entry of the due index: the instant from which the schedule processes this state of the account. */
export type DueEntry = {
  readonly account: string;
  readonly state: string;
  /** ISO instant with milliseconds, so that entries sort by it. */
  readonly at: string;
  /**
   * A new random value with every write. Conditional deletes use it, so that they never remove an entry that was
   * written again.
   */
  readonly token: string;
};

export type DuePlace = Omit<DueEntry, 'token'>;

/**
 * The due index: at least one entry for each state that the schedule closes, at its closing day or earlier. Entries can
 * be stale: the schedule decides by the account and the chain.
 */
export type DueIndex = {
  readonly shards: number;
  /** Entries of a shard up to an instant, in order, at most `limit`. */
  readonly page: (shard: number, upTo: string, limit: number, after: DueEntry | null) => Promise<readonly DueEntry[]>;
  /** Move an entry to a later instant, or remove it. Changes nothing if the entry was written again or is gone. */
  readonly move: (entry: DueEntry, to: string | null) => Promise<void>;
  /** Creates the account's missing due entries and returns how many. */
  readonly addMissing: (places: readonly DuePlace[]) => Promise<number>;
  readonly sweep: () => Promise<SweepPosition | null>;
  /** Move the sweep from the position that was read. `false` if another run moved it. */
  readonly moveSweep: (before: SweepPosition | null, after: SweepPosition) => Promise<boolean>;
};

type Change<Value> = { readonly before: Value | null; readonly after: Value | null };

/** Writes that happen atomically. An item with a version is written on the condition of the version that was read. */
export type FilingCommit = {
  readonly account: string;
  readonly filing: { readonly id: string; readonly state: string };
  /** The service's time in milliseconds. */
  readonly nowMs: number;
  readonly idempotency: LedgerCommit['idempotency'];
  readonly head: (Change<StoredFiling> & { readonly after: StoredFiling }) | null;
  readonly chain: (Change<FilingSequence> & { readonly after: FilingSequence }) | null;
  /** The period's last day, by which a repeated request finds the filing. */
  readonly period: { readonly put: string } | { readonly remove: string } | null;
  readonly progress: readonly { readonly before: ShardProgress | null; readonly after: ShardProgress }[];
  /** Parts of totals that a step changed. The condition on their shard's progress covers them. */
  readonly parts: readonly TotalsPart[];
  /** The account's `settings_changed_at` as read, a condition of the commit; absent without a condition. */
  readonly settingsAsOf?: string | null | undefined;
  /** Whether to add or remove the work item of the schedule. */
  readonly work: 'put' | 'remove' | null;
  /** The entry of the due index that the schedule took, and the one to write. */
  readonly due: { readonly remove: DueEntry | null; readonly put: DuePlace | null } | null;
  /** Open entries to move into the filing. */
  readonly take: readonly LiabilityEntry[];
  /** Entries of the filing to reopen. */
  readonly giveBack: readonly LiabilityEntry[];
  readonly heads: readonly HeadChange[];
};

export type FilingCommitted =
  | { readonly kind: 'committed' }
  | Replay
  /** An item changed since it was read. Read again and retry. */
  | { readonly kind: 'stale' };

/** A page of entries; `next` is `null` at the end of the shard. */
export type EntryRows = { readonly entries: readonly LiabilityEntry[]; readonly next: LiabilityEntry | null };

/** The reads of filings. */
export type FilingReads = {
  readonly shards: number;
  readonly find: (account: string, id: string) => Promise<StoredFiling | undefined>;
  /** The account's filings, newest first. */
  readonly page: (
    account: string,
    after: string | null,
    limit: number,
  ) => Promise<{ readonly rows: readonly StoredFiling[]; readonly next: string | null }>;
  /** The chains of these states, as far as they exist. */
  readonly chains: (account: string, states: readonly string[]) => Promise<readonly FilingSequence[]>;
  /** The id of the filing of this period that is not canceled. */
  readonly filingOfPeriod: (account: string, state: string, periodEnd: string) => Promise<string | undefined>;
  /** All shards, ordered by number. */
  readonly progress: (account: string, id: string) => Promise<readonly ShardProgress[]>;
  /** At most 100 parts of a filing's totals, in any order. */
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
  ) => Promise<EntryRows>;
  /** The oldest month of each shard that has open entries, `YYYY-MM`; `null` for a shard without. */
  readonly oldestOpenMonths: (account: string, state: string) => Promise<readonly (string | null)[]>;
  /** Entries of a filing's shard: those with exceptions by transaction, then the others; at most `limit`, or 1 MB. */
  readonly filedEntries: (
    place: { readonly account: string; readonly id: string; readonly shard: number },
    limit: number,
    after: EntryPlace | null,
    only?: 'exceptions',
  ) => Promise<EntryRows>;
  /** Unfinished filings of all accounts. */
  readonly unfinished: (
    after: FilingName | null,
    limit: number,
  ) => Promise<{ readonly filings: readonly FilingName[]; readonly next: FilingName | null }>;
};

export type FilingLedger = FilingReads & { readonly commit: (commit: FilingCommit) => Promise<FilingCommitted> };

export type FilingName = { readonly account: string; readonly id: string };
