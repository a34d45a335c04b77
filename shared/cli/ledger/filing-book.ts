import { pagesOf } from '../../base/collections.ts';
import type { EntryPlace } from '../../filings/ports.ts';
import type { LiabilityEntry } from '../../ledger/entries/entry.ts';
import { allFilings } from '../../store/filings/entry-places.ts';
import { filingReads } from '../../store/filings/filing-reads.ts';

/** Read an account's filings. `refresh` reads them again. */
export const filingBook = async (account: string) => {
  let filings = await allFilings(account);
  const refresh = async () => {
    filings = await allFilings(account);
  };
  return { all: () => filings, refresh };
};
export type FilingBook = Awaited<ReturnType<typeof filingBook>>;

/** The entries in one shard of a filing, in pages of at most `limit`. */
export const filedEntryPages = async function* (
  place: { readonly account: string; readonly id: string; readonly shard: number },
  limit: number,
): AsyncGenerator<readonly LiabilityEntry[]> {
  for await (const { entries } of pagesOf((after: EntryPlace | null) => filingReads.filedEntries(place, limit, after)))
    yield entries;
};
