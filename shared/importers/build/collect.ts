import { assert } from '../../base/assert.ts';
import { getOrAdd } from '../../base/collections.ts';
import { shareDays } from '../../catalog/effective.ts';
import type { OwnRules } from '../../catalog/release.ts';
import type { Evidence, Jurisdiction, Rate } from '../../catalog/release-values.ts';
import type { City, Entry, LocalSet, LocationFlags, Span } from '../importer.ts';
import { assertFits, limits } from '../limits.ts';
import { Tally } from '../summary.ts';
import { indexFrom, zipsOfState } from '../zips.ts';
import { dayNumber, getSortKey, noFrom, noTo, type Piece } from './resolve.ts';
import { newSpanSpill } from './spill.ts';
import { StreetRows } from './street-rows.ts';

const levels = ['state', 'county', 'city', 'district'] as const;

const byLevel = (a: Jurisdiction, b: Jurisdiction): number =>
  levels.indexOf(a.type) - levels.indexOf(b.type) || (a.code < b.code ? -1 : 1);

// Neighbouring ZIPs share their jurisdictions, so a small cache is enough.
const knownMax = 256;

type Tax = { readonly jurisdiction: Jurisdiction; readonly rates: Rate[] };

/** Stores every jurisdiction and rate in memory: there are only thousands of them, but millions of spans. */
export class Registry {
  private readonly taxes = new Map<string, Tax>();
  private readonly known = new Map<string, string>();
  /** Codes that a part refers to. */
  readonly used = new Set<string>();
  private readonly evidence: Evidence;
  private rateCount = 0;

  constructor(evidence: Evidence) {
    this.evidence = evidence;
  }

  add({ jurisdiction, rates }: Extract<Entry, { kind: 'tax' }>): void {
    const { code } = jurisdiction;
    const known = getOrAdd(this.taxes, code, (): Tax => ({ jurisdiction, rates: [] }));
    for (const rate of rates) {
      // Otherwise the order of the entries would decide between two rates.
      const other = known.rates.find((one) => one.rate !== rate.rate && shareDays(one, rate));
      assert(other === undefined, `the importer yields two rates of ${code} for one day`);
      known.rates.push({ jurisdiction: code, ...rate, ...this.evidence });
    }
    this.rateCount += rates.length;
    assertFits(this.taxes.size, limits.jurisdictions, 'jurisdictions');
    assertFits(known.rates.length, limits.ratesOfJurisdiction, `rates of ${code}`);
    assertFits(this.rateCount, limits.rates, 'rates');
  }

  /** Returns the rates of a jurisdiction, sorted by first day. */
  listRates(code: string): readonly Rate[] {
    return (this.taxes.get(code)?.rates ?? []).toSorted((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1));
  }

  /**
   * Returns the fields `jurisdictions` and `rates` of a part whose locations refer to the codes, as JSON, with the
   * rates of all days.
   */
  listFields(codes: Iterable<string>): string {
    const sorted = [...new Set(codes)].toSorted();
    return getOrAdd(this.known, sorted.join(), () => {
      if (this.known.size >= knownMax) this.known.clear();
      for (const code of sorted) this.used.add(code);
      const jurisdictions = sorted.map((code) => this.jurisdiction(code)).toSorted(byLevel);
      const rates = jurisdictions.flatMap(({ code }) => this.listRates(code));
      return `"jurisdictions":${JSON.stringify(jurisdictions)},"rates":${JSON.stringify(rates)}`;
    });
  }

  private jurisdiction(code: string): Jurisdiction {
    const found = this.taxes.get(code);
    assert(found !== undefined, `the importer yields no tax entry for ${code}`);
    return found.jurisdiction;
  }
}

/**
 * Returns an empty collection for a state's entries. Spans go to files in the folder; everything else stays in memory.
 */
export const newCollection = (folder: string, state: string, evidence: Evidence) => {
  const zips = zipsOfState(state).map(Number);
  return {
    tally: new Tally(),
    registry: new Registry(evidence),
    sets: new SpanSets(),
    spill: newSpanSpill(folder, 'spans'),
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
  set: collection.sets.getNumber(entry),
});

const addStreets = (collection: Collection, span: Span): void => {
  const { zips, streetRows } = collection;
  const [first, last] = [Number(span.low.slice(0, 5)), Number(span.high.slice(0, 5))];
  const found = times(collection, span);
  for (const zip of zips.slice(indexFrom(zips, first), indexFrom(zips, last + 1)))
    streetRows.add(zip, found, span.street);
};

const spillSpan = (collection: Collection, span: Span): void => {
  const [low, high] = [Number(span.low), Number(span.high)];
  const piece = { ...times(collection, span), order: getSortKey(span.rank ?? 0, high - low) };
  for (const zip3 of collection.zip3s) {
    const first = zip3 * zip3Unit;
    const last = first + zip3Unit - 1;
    if (last < low || high < first) continue;
    collection.spill.put(zip3, { ...piece, low: Math.max(low, first), high: Math.min(high, last) });
  }
};

/** Adds an entry to the collection. */
export const collect = (collection: Collection, entry: Entry): void => {
  collection.tally.count(entry);
  if (entry.kind === 'tax') collection.registry.add(entry);
  else if (entry.kind === 'complete_from') collection.completeFrom = entry.day;
  else if (entry.kind === 'own') collection.own = entry.own;
  else if (entry.kind === 'span') (entry.flags?.of_streets ? addStreets : spillSpan)(collection, entry);
  else if (entry.kind === 'city') {
    const pieces = getOrAdd(collection.cities, entry.city, () => []);
    assertFits(pieces.length, limits.rowsOfCity, `rows of ${entry.city}`);
    assertFits(collection.cities.size, limits.cities, 'cities');
    pieces.push({ ...times(collection, entry), low: 0, high: 0, order: 0 });
  }
};

/** The meaning of a span: the jurisdictions of its addresses, and which addresses it covers. */
export type SpanMeaning = { readonly locals: LocalSet; readonly flags: LocationFlags };

const noFlags: LocationFlags = {};

/** Numbers each distinct meaning: there are far fewer meanings than spans, and a number takes four bytes. */
class SpanSets {
  private readonly numbers = new Map<string, number>();
  private readonly meanings: SpanMeaning[] = [];
  // An importer passes the same objects again for rows with the same jurisdictions.
  private readonly seen = new WeakMap<LocalSet, WeakMap<LocationFlags, number>>();

  /** Returns the number of an entry's meaning. The order of its jurisdictions does not matter. */
  getNumber({ locals, flags = noFlags }: Pick<Span | City, 'locals' | 'flags'>): number {
    const ofLocals = getOrAdd(this.seen, locals, () => new WeakMap<LocationFlags, number>());
    return getOrAdd(ofLocals, flags, () => {
      const sorted = locals.toSorted();
      return getOrAdd(this.numbers, JSON.stringify([sorted, flags]), () => {
        const count = this.meanings.push({ locals: sorted, flags });
        assertFits(count, limits.jurisdictionSets, 'different lists of jurisdictions');
        return count - 1;
      });
    });
  }

  meaning(number: number): SpanMeaning {
    return this.meanings[number] as SpanMeaning;
  }
}
