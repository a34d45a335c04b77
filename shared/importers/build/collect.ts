import type { OwnRules } from '../../catalog/release.ts';
import type { Evidence } from '../../catalog/release-values.ts';
import type { City, Entry, LocalSet, LocationFlags, Span } from '../entry.ts';
import { assertFits, limits } from '../limits.ts';
import { Tally } from '../summary.ts';
import { indexFrom, zipsOfState } from '../zips.ts';
import { Registry } from './registry.ts';
import { dayNumber, noFrom, noTo, orderOf, type Piece } from './resolve.ts';
import { SpanSpillFile } from './spill.ts';
import { StreetRows } from './street-rows.ts';
import { StreetSets } from './street-sets.ts';

/** An empty collection of a state's entries: spans go to files in the folder, everything else is in memory. */
export const newCollection = (folder: string, state: string, evidence: Evidence) => {
  const zips = zipsOfState(state).map(Number);
  return {
    tally: new Tally(),
    registry: new Registry(evidence),
    sets: new SpanSets(),
    spill: new SpanSpillFile(folder, 'spans'),
    streets: new StreetSets(),
    streetRows: new StreetRows(folder),
    /** `complete_from` of the release. */
    completeFrom: null as string | null,
    /** The pieces of each city. */
    cities: new Map<string, Piece[]>(),
    own: undefined as OwnRules | undefined,
    /** The ZIPs of the state, sorted, and their first three digits. */
    zips,
    zip3s: [...new Set(zips.map((zip) => Math.floor(zip / 100)))],
  };
};
export type Collection = ReturnType<typeof newCollection>;

const zip3Unit = 1_000_000;

const times = (collection: Collection, entry: Span | City) => ({
  from: dayNumber(entry.from, noFrom),
  to: dayNumber(entry.to, noTo),
  set: collection.sets.numberOf(entry),
});

const addStreets = (collection: Collection, span: Span): void => {
  const { zips, streets, streetRows } = collection;
  const [first, last] = [Number(span.low.slice(0, 5)), Number(span.high.slice(0, 5))];
  const found = times(collection, span);
  for (let index = indexFrom(zips, first); index < zips.length && (zips[index] as number) <= last; index += 1) {
    streets.add(zips[index] as number, found);
    streetRows.add(zips[index] as number, found, span.street);
  }
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
    case 'complete_from':
      collection.completeFrom = entry.day;
      break;
    case 'own':
      collection.own = entry.own;
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

/** The meaning of a span: the jurisdictions of its addresses, and which addresses it covers. */
export type SpanMeaning = { readonly locals: LocalSet; readonly flags: LocationFlags };

const noFlags: LocationFlags = {};

/** Numbers each distinct meaning: there are far fewer meanings than spans, and a number takes four bytes. */
export class SpanSets {
  private readonly numbers = new Map<string, number>();
  private readonly meanings: SpanMeaning[] = [];
  // An importer passes the same objects again for rows with the same jurisdictions.
  private readonly seen = new WeakMap<LocalSet, WeakMap<LocationFlags, number>>();

  /** The number of an entry's meaning. The order of its jurisdictions does not matter. */
  numberOf({ locals, flags = noFlags }: Pick<Span | City, 'locals' | 'flags'>): number {
    const ofLocals = this.seen.get(locals) ?? new WeakMap<LocationFlags, number>();
    const seen = ofLocals.get(flags);
    if (seen !== undefined) return seen;
    const sorted = locals.toSorted();
    const text = JSON.stringify([sorted, flags]);
    const number = this.numbers.get(text) ?? this.meanings.length;
    if (number === this.meanings.length) {
      this.numbers.set(text, number);
      this.meanings.push({ locals: sorted, flags });
      assertFits(this.meanings.length, limits.jurisdictionSets, 'different lists of jurisdictions');
    }
    this.seen.set(locals, ofLocals.set(flags, number));
    return number;
  }

  meaning(number: number): SpanMeaning {
    return this.meanings[number] as SpanMeaning;
  }
}
