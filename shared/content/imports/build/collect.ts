import type { City, Entry, Span } from '../entry.ts';
import { assertFits, limits } from '../limits.ts';
import type { Tally } from '../summary.ts';
import { indexFrom } from '../zips.ts';
import { dayNumber, noFrom, noTo, orderOf, type Piece } from './piece.ts';
import type { Registry } from './registry.ts';
import type { SpanSets } from './span-sets.ts';
import type { Spill } from './spill.ts';
import type { StreetSets } from './street-sets.ts';

/** Collected entries: spans in files, everything else in memory. */
export type Collection = {
  readonly tally: Tally;
  readonly registry: Registry;
  readonly sets: SpanSets;
  readonly spill: Spill;
  readonly streets: StreetSets;
  /** The pieces of each city. */
  readonly cities: Map<string, Piece[]>;
  /** The ZIPs of the state, sorted, and their first three digits. */
  readonly zips: readonly number[];
  readonly zip3s: readonly number[];
};

const zip3Unit = 1_000_000;

const times = (collection: Collection, entry: Span | City) => ({
  from: dayNumber(entry.from, noFrom),
  to: dayNumber(entry.to, noTo),
  set: collection.sets.numberOf(entry),
});

const addStreets = (collection: Collection, span: Span): void => {
  const { zips, streets } = collection;
  const [first, last] = [Number(span.low.slice(0, 5)), Number(span.high.slice(0, 5))];
  const found = times(collection, span);
  for (let index = indexFrom(zips, first); index < zips.length && (zips[index] as number) <= last; index += 1)
    streets.add(zips[index] as number, found);
};

const spillSpan = (collection: Collection, span: Span): void => {
  const [low, high] = [Number(span.low), Number(span.high)];
  const piece = { ...times(collection, span), order: orderOf(span.rank ?? 0, high - low) };
  for (const zip3 of collection.zip3s) {
    const first = zip3 * zip3Unit;
    const last = first + zip3Unit - 1;
    if (last < low || high < first) continue;
    collection.spill.put(zip3, { ...piece, low: Math.max(low, first), high: Math.min(high, last) });
  }
};

/** Add an entry to the collection. */
export const collect = (collection: Collection, entry: Entry): void => {
  collection.tally.count(entry);
  switch (entry.kind) {
    case 'jurisdiction':
    case 'rate':
      collection.registry.add(entry);
      break;
    case 'span':
      if (entry.flags?.of_streets) addStreets(collection, entry);
      else spillSpan(collection, entry);
      break;
    case 'city': {
      const pieces = collection.cities.get(entry.city) ?? [];
      assertFits(pieces.length, limits.rowsOfCity, `rows of ${entry.city}`);
      assertFits(collection.cities.size, limits.cities, 'cities');
      pieces.push({ ...times(collection, entry), low: 0, high: 0, order: 0 });
      collection.cities.set(entry.city, pieces);
    }
  }
};
