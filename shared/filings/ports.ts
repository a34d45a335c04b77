import type { Account } from '../accounts/account.ts';
import type { ChangePorts, Ledger } from '../ledger/ports.ts';
import type { FilingStatus } from './filing.ts';
import type { DueIndex, FilingLedger, FilingReads } from './ledger.ts';

/** The validated body of POST /filings/{id}. */
export type FilingChange = {
  readonly id: string;
  readonly status: FilingStatus;
  readonly confirmation_number: string | null;
  readonly acknowledge_exceptions: number | null;
};

/** The ports of reading filings: `filingReadPorts` in shared/store/filings/filing-reads.ts. */
export type FilingReadPorts = { readonly filings: FilingReads };

/** The ports of changing filings: `filingPorts(remainingMs)` in shared/store/filings/filing-ports.ts. */
export type FilingPorts = { readonly filings: FilingLedger } & Pick<
  ChangePorts,
  'now' | 'storedSize' | 'remainingMs'
> & {
    readonly ledger: Pick<Ledger, 'findSome' | 'findReplay' | 'saveAnswer'>;
    readonly newId: (timeMs: number) => string;
    /** How long a request works on a filing before it answers, in milliseconds. */
    readonly inlineMs: number;
    /** The longest time of one step, in milliseconds. No step begins with less time left. */
    readonly stepMsMax: number;
    /** The most entries of one step. */
    readonly stepEntriesMax: number;
    /** The most rows of totals in one item: sums of jurisdictions, and of their rates. */
    readonly totalsRowsMax: number;
    /** Reports a failure that does not change the answer, or that concerns one filing of many. The schedule retries it. */
    readonly onFailure: (error: unknown) => void;
  };

/** The additional ports of the schedule: `closePorts(remainingMs)` in shared/store/filings/filing-ports.ts. */
export type ClosePorts = FilingPorts & {
  readonly due: DueIndex;
  /** A page of the register of accounts. */
  readonly accountIds: (
    after: string | null,
  ) => Promise<{ readonly ids: readonly string[]; readonly next: string | null }>;
  /** The accounts of at most 100 ids, as far as they exist. One that is unreadable throws when it is called. */
  readonly findAccounts: (ids: readonly string[]) => Promise<ReadonlyMap<string, () => Account>>;
  /** The first day of all transactions of an account, including transactions that owe nothing; `null` without one. */
  readonly firstTaxDay: (account: string) => Promise<string | null>;
};

/** Whether too little time is left for another step. */
export const isTimeUp = ({ remainingMs, stepMsMax }: FilingPorts): boolean => remainingMs() <= stepMsMax;

/**
 * The result of a run of the schedule: filings started, turns of work, filings finished. `complete` where no due work
 * is left.
 */
export type Closed = {
  readonly created: number;
  readonly worked: number;
  readonly finished: number;
  readonly complete: boolean;
  readonly failed: number;
};
