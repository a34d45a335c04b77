import type { StoredFiling } from '../../filings/ledger.ts';
import { filingReads } from '../../store/filings/filing-reads.ts';

const pageSize = 100;

/** An account's filings by state, without their entries: a few hundred in a decade. */
export type FilingBook = {
  readonly all: () => readonly StoredFiling[];
  /** Those that an entry of this state and month can be in. */
  readonly taking: (state: string, month: string) => readonly StoredFiling[];
  /** Read them anew: there may be others meanwhile. */
  readonly refresh: () => Promise<void>;
};

/** Read the filings of an account. */
export const filingBook = async (account: string): Promise<FilingBook> => {
  let filings: readonly StoredFiling[] = [];
  const refresh = async () => {
    const read: StoredFiling[] = [];
    let after: string | null = null;
    do {
      const { rows, next } = await filingReads.page(account, after, pageSize);
      read.push(...rows);
      after = next;
    } while (after !== null);
    filings = read;
  };
  await refresh();
  return {
    all: () => filings,
    taking: (state, month) =>
      filings.filter((filing) => filing.state === state && filing.period_end.slice(0, 7) >= month),
    refresh,
  };
};
