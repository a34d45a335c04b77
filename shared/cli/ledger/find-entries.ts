import { keysMax } from '../../store/client/reads.ts';
import { filedEntryKey, type ItemKey, openEntryKey } from '../../store/keys.ts';
import { type Item, itemsAt } from '../../store/ledger/ledger-walk.ts';
import type { OpenEntry } from '../../transactions/open-entries.ts';
import type { Found } from './checks/entries.ts';
import type { FilingBook } from './filing-book.ts';

const placeOf = ({ pk, sk }: ItemKey) => `${pk} ${sk}`;

const allItemsAt = async (keys: readonly ItemKey[]): Promise<ReadonlyMap<string, Item>> => {
  const found = new Map<string, Item>();
  for (let start = 0; start < keys.length; start += keysMax)
    for (const [place, item] of await itemsAt(keys.slice(start, start + keysMax))) found.set(place, item);
  return found;
};

/**
 * Where the entries of a transaction are. What is not open is looked for in every filing of its state that can have it; that
 * what is open is in none, the walk over the filings sees.
 */
export const findEntries = async (
  account: string,
  expected: readonly OpenEntry[],
  book: FilingBook,
): Promise<ReadonlyMap<OpenEntry, readonly Found[]>> => {
  const open = await allItemsAt(expected.map((entry) => openEntryKey(account, entry)));
  const places = expected.flatMap((entry) =>
    open.has(placeOf(openEntryKey(account, entry)))
      ? []
      : book.taking(entry.state, entry.month).map((filing) => ({ entry, filing })),
  );
  const keyOf = ({ entry, filing }: (typeof places)[number]) => filedEntryKey(account, filing.id, entry);
  const filed = await allItemsAt(places.map(keyOf));
  const found = new Map<OpenEntry, readonly Found[]>();
  for (const entry of expected) {
    const item = open.get(placeOf(openEntryKey(account, entry)));
    const inFilings = places.flatMap((place) => {
      const there = place.entry === entry ? filed.get(placeOf(keyOf(place))) : undefined;
      return there ? [{ item: there, filing: place.filing }] : [];
    });
    found.set(entry, item ? [{ item, filing: null }] : inFilings);
  }
  return found;
};
