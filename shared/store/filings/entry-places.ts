import { readPages } from '../../base/collections.ts';
import type { StoredFiling } from '../../filings/filing.ts';
import type { EntryPlace } from '../../filings/ports.ts';
import type { LiabilityEntry } from '../../ledger/entries/entry.ts';
import { filedEntryKey, type Item, itemPlace, openEntryKey } from '../keys.ts';
import { itemsAt } from '../ledger/ledger-walk.ts';
import { filingReads } from './filing-reads.ts';

/** The item of a liability entry: open (`filing` is `null`), or in a filing. */
export type FoundEntry = { readonly item: Item; readonly filing: StoredFiling | null };

/** Returns an account's filings without their entries: a few hundred per decade. */
export const allFilings = async (account: string): Promise<readonly StoredFiling[]> => {
  const pages = readPages((after: string | null) => filingReads.page(account, after, 100));
  return (await Array.fromAsync(pages, ({ rows }) => rows)).flat();
};

/** Yields the entries in one shard of a filing, in pages of at most `limit`. */
export const filedEntryPages = async function* (
  place: { readonly account: string; readonly id: string; readonly shard: number },
  limit: number,
): AsyncGenerator<readonly LiabilityEntry[]> {
  for await (const { rows } of readPages((after: EntryPlace | null) => filingReads.filedEntries(place, limit, after)))
    yield rows;
};

/** Returns the filings that can contain an entry of this state and month. */
const filingsWith = (filings: readonly StoredFiling[], { state, month }: Pick<LiabilityEntry, 'state' | 'month'>) =>
  filings.filter((filing) => filing.state === state && filing.period_end.slice(0, 7) >= month);

/**
 * Finds the items of a transaction's entries, strongly consistent. An entry that is not open can be in any filing of
 * its state for its month or a later month. It is in several filings only if the data is corrupted.
 */
export const findEntries = async (
  account: string,
  expected: readonly LiabilityEntry[],
  filings: readonly StoredFiling[],
): Promise<readonly { readonly entry: LiabilityEntry; readonly found: readonly FoundEntry[] }[]> => {
  const open = await itemsAt(expected.map((entry) => openEntryKey(account, entry)));
  const places = expected.map((entry) => {
    const item = open.get(itemPlace(openEntryKey(account, entry)));
    const possible = item ? [] : filingsWith(filings, entry);
    return {
      entry,
      item,
      filed: possible.map((filing) => ({ filing, key: filedEntryKey(account, filing.id, entry) })),
    };
  });
  const filed = await itemsAt(places.flatMap((place) => place.filed.map(({ key }) => key)));
  return places.map((place) => {
    if (place.item) return { entry: place.entry, found: [{ item: place.item, filing: null }] };
    const found = place.filed.flatMap(({ filing, key }) => {
      const item = filed.get(itemPlace(key));
      return item ? [{ item, filing }] : [];
    });
    return { entry: place.entry, found };
  });
};
