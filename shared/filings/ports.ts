import type { Account } from '../accounts/account.ts';
import type { Ledger } from '../transactions/ledger.ts';
import type { Ports } from '../transactions/ports.ts';
import type { FilingStatus } from './filing.ts';
import type { FilingLedger, FilingReads } from './ledger.ts';

/** POST /filings as the use case takes it: `state` is a jurisdiction code (`US-MI`), `period_end` a day. */
export type FilingAsked = { readonly state: string; readonly period_end: string; readonly dry_run: boolean };

/** POST /filings/{id} as the use case takes it. */
export type FilingChange = {
  readonly id: string;
  readonly status: FilingStatus;
  readonly confirmation_number: string | null;
};

export type FilingPage = {
  readonly expand: 'entries' | null;
  readonly limit: number;
  readonly starting_after: string | null;
};

export type FilingFilters = {
  readonly status?: FilingStatus | undefined;
  /** `US-MI` */
  readonly state?: string | undefined;
  readonly period_end?: string | undefined;
};

export type FilingListAsked = FilingFilters & { readonly limit: number; readonly starting_after: string | null };

/** What reading filings needs: `filingReadPorts` of shared/store/filings/filing-read-ports.ts. */
export type FilingReadPorts = { readonly filings: FilingReads };

/** What changing filings needs: `filingPorts(remainingMs)` of shared/store/filings/filing-ports.ts. */
export type FilingPorts = { readonly filings: FilingLedger } & Pick<
  Ports,
  'now' | 'storedSize' | 'attemptsMax' | 'throwContention'
> & {
    readonly ledger: Pick<Ledger, 'findSome' | 'findReplay' | 'saveAnswer'>;
    readonly newId: (timeMs: number) => string;
    /** Milliseconds that are left for the invocation. */
    readonly remainingMs: () => number;
    /** How long a request works on what it has begun before it answers, in milliseconds. */
    readonly atOnceMs: number;
    /** What one step may take at the worst, in milliseconds: none is begun with less. */
    readonly stepMsMax: number;
    /** The most entries that one step takes. */
    readonly stepEntriesMax: number;
    /** Hears of what went wrong after the answer was decided, or of one filing of many: the schedule comes by again. */
    readonly onFailure: (error: unknown) => void;
  };

/** What the schedule needs beside, the accounts page by page: `closePorts(remainingMs)` of shared/store/filings/filing-ports.ts. */
export type ClosePorts = FilingPorts & {
  readonly accountIds: (
    after: string | null,
  ) => Promise<{ readonly ids: readonly string[]; readonly next: string | null }>;
  readonly findAccount: (id: string) => Promise<Account | undefined>;
};

/** What the schedule did: filings begun, turns of work, filings finished. Complete where it saw everything and left nothing over. */
export type Closed = {
  readonly created: number;
  readonly worked: number;
  readonly finished: number;
  readonly complete: boolean;
  readonly failed: number;
};
