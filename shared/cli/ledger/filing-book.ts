import type { EntryPlace, StoredFiling } from '../../filings/ledger.ts';
import { filingReads } from '../../store/filings/filing-reads.ts';
import type { OpenEntry } from '../../transactions/entries/entry.ts';

const pageSize = 100;

/** Every page of a list, in order. */
export const pagesOf = async function* <Cursor, Page extends { readonly next: Cursor | null }>(
  read: (after: Cursor | null) => Promise<Page>,
): AsyncGenerator<Page> {
  let after: Cursor | null = null;
  do {
    const page: Page = await read(after);
    yield page;
    after = page.next;
  } while (after !== null);
};

/** Read an account's filings without their entries: a few hundred in a decade. `refresh` reads them again. */
export const filingBook = async (account: string) => {
  const read = async () => {
    const pages = pagesOf((after: string | null) => filingReads.page(account, after, pageSize));
    return (await Array.fromAsync(pages, ({ rows }) => rows)).flat();
  };
  let filings: readonly StoredFiling[] = await read();
  const refresh = async () => {
    filings = await read();
  };
  return { all: () => filings, refresh };
};
export type FilingBook = Awaited<ReturnType<typeof filingBook>>;

/** The entries in one shard of a filing, in pages of at most `limit`. */
export const filedEntryPages = async function* (
  place: { readonly account: string; readonly id: string; readonly shard: number },
  limit: number,
): AsyncGenerator<readonly OpenEntry[]> {
  for await (const { entries } of pagesOf((after: EntryPlace | null) => filingReads.filedEntries(place, limit, after)))
    yield entries;
};
