import type { HeadChange, Commit as LedgerCommit, Replay } from '../transactions/ledger.ts';
import type { OpenEntry } from '../transactions/open-entries.ts';
import type { FilingStatus, FilingSummary, Frequency } from './filing.ts';
import type { Period } from './periods.ts';
import type { Totals } from './totals.ts';

/** What the filings need of the store: the port that shared/store implements on DynamoDB. */

/** A filing without its entries. */
export type StoredFiling = {
  readonly account: string;
  readonly id: string;
  readonly state: string;
  /** First and last day, `YYYY-MM-DD`; always those of months. */
  readonly period_start: string;
  readonly period_end: string;
  readonly frequency: Frequency;
  readonly status: FilingStatus;
  /** Whether its entries are still being moved, marked or moved back. */
  readonly isUnfinished: boolean;
  readonly confirmation_number: string | null;
  /** As it was when the filing was closed. */
  readonly summary: readonly FilingSummary[];
  readonly entries: Counts;
  readonly asked_by: string;
  /** Who asked for marking, for the audit entries of what is marked. */
  readonly filed_by: string | null;
  readonly created_at: string;
  readonly closed_at: string | null;
  readonly filed_at: string | null;
  readonly canceled_at: string | null;
  /** What the chain goes back to when the filing is canceled. */
  readonly previous: ChainEnd | null;
  readonly version: number;
};

/** How many entries were moved in, marked as filed, and moved back. */
export type Counts = { readonly moved: number; readonly marked: number; readonly reopened: number };

export type ChainEnd = { readonly period_end: string; readonly filing: string };

/** The periods of a state so far: the one point at which all that closes or cancels them meets. */
export type Chain = {
  readonly account: string;
  readonly state: string;
  /** The newest filing that is not canceled, or is still giving its entries back. */
  readonly last: ChainEnd | null;
  /** The period that the first filing had, where it was canceled: without a last one, the state begins with it again. */
  readonly begins: Period | null;
  /** Whether that filing is still taking entries or giving them back: until then there is no other. */
  readonly isBusy: boolean;
  /** Whether the next period was canceled: the schedule leaves it to whoever canceled it. */
  readonly isHeld: boolean;
  readonly version: number;
};

export const phases = ['move', 'mark', 'reopen'] as const;
export type Phase = (typeof phases)[number];

/** How far one shard of a filing is. */
export type ShardProgress = {
  readonly shard: number;
  readonly phase: Phase;
  /** Whether the phase has come to its end here: nothing of the shard moves after that. */
  readonly isDone: boolean;
  readonly entries: Counts;
  /** The last entry that was marked. */
  readonly cursor: EntryPlace | null;
  readonly totals: Totals;
  readonly version: number;
};

/** Where an entry is within its shard. */
export type EntryPlace = { readonly transactionId: string; readonly currency: string };

type Change<Value> = { readonly before: Value | null; readonly after: Value | null };

/** Everything that must become true together. What has a version is written on the condition of the one before. */
export type FilingCommit = {
  readonly account: string;
  readonly filing: { readonly id: string; readonly state: string };
  /** The service's time in milliseconds. */
  readonly nowMs: number;
  readonly idempotency: LedgerCommit['idempotency'];
  readonly head: (Change<StoredFiling> & { readonly after: StoredFiling }) | null;
  readonly chain: (Change<Chain> & { readonly after: Chain }) | null;
  /** The period's end, by which a repeated request finds the filing. */
  readonly period: { readonly put: string } | { readonly remove: string } | null;
  readonly progress: readonly { readonly before: ShardProgress | null; readonly after: ShardProgress }[];
  /** Whether the schedule has to come by. */
  readonly work: 'put' | 'remove' | null;
  /** Open entries that go into the filing. */
  readonly take: readonly OpenEntry[];
  /** Entries of the filing that are open again. */
  readonly giveBack: readonly OpenEntry[];
  readonly heads: readonly HeadChange[];
};

export type FilingCommitted =
  | { readonly kind: 'committed' }
  | Replay
  /** Something is no longer as it was read: read again. */
  | { readonly kind: 'stale' };

/** How far a look through the entries came; `null` at the end of the shard. */
export type EntryRows = { readonly entries: readonly OpenEntry[]; readonly next: OpenEntry | null };

/** What reads the filings. */
export type FilingReads = {
  readonly shards: number;
  readonly find: (account: string, id: string) => Promise<StoredFiling | undefined>;
  /** The account's filings, newest first. */
  readonly page: (
    account: string,
    after: string | null,
    limit: number,
  ) => Promise<{ readonly rows: readonly StoredFiling[]; readonly next: string | null }>;
  /** Those of the states that have one. */
  readonly chains: (account: string, states: readonly string[]) => Promise<readonly Chain[]>;
  /** The filing, not canceled, that has this period. */
  readonly filingOfPeriod: (account: string, state: string, periodEnd: string) => Promise<string | undefined>;
  /** All shards, by their number. */
  readonly progress: (account: string, id: string) => Promise<readonly ShardProgress[]>;
  /** Open entries of a shard up to a month, oldest month first: at most `limit`, or 1 MB. */
  readonly openEntries: (
    place: { readonly account: string; readonly state: string; readonly shard: number },
    lastMonth: string,
    limit: number,
    after: OpenEntry | null,
  ) => Promise<EntryRows>;
  /** The oldest month that has open entries, `YYYY-MM`. */
  readonly oldestOpenMonth: (account: string, state: string) => Promise<string | null>;
  /** Entries of a filing's shard by transaction: at most `limit`, or 1 MB. */
  readonly filedEntries: (
    place: { readonly account: string; readonly id: string; readonly shard: number },
    limit: number,
    after: EntryPlace | null,
  ) => Promise<EntryRows>;
  /** Filings of all accounts that are unfinished. */
  readonly unfinished: (
    after: FilingName | null,
    limit: number,
  ) => Promise<{ readonly filings: readonly FilingName[]; readonly next: FilingName | null }>;
};

export type FilingLedger = FilingReads & { readonly commit: (commit: FilingCommit) => Promise<FilingCommitted> };

export type FilingName = { readonly account: string; readonly id: string };
