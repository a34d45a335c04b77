import { getOrAdd } from '../../base/collections.ts';
import type { Approximation } from '../effective.ts';
import type { Location, Release } from '../release.ts';
import type { Published } from '../release-values.ts';

/** Local jurisdictions that tax a place together. The key does not depend on the order of the codes. */
export type LocalSet = {
  readonly key: string;
  readonly codes: readonly string[];
  /** The five-digit code of their county, if the content has it. */
  readonly county?: string | null;
  /** Whether the jurisdictions are not established. */
  readonly isUnknown?: true;
  /** Set where the rates of another day are used on the tax day. */
  readonly approximation?: Approximation | null;
  /** When the rates were published, if a local table has them. */
  readonly published?: Published | null;
};

/** A location with the sets that an address in it may have. Without ZIPs, its limits are unknown: it has the name of a city. */
export type Area = Location & { readonly sets: readonly LocalSet[] };

/** The nine-digit ZIPs of an area, both ends inclusive. */
export type Span = { readonly low: number; readonly high: number; readonly area: Area };

type LocationIndex = {
  readonly spans: readonly Span[];
  readonly byCity: ReadonlyMap<string, readonly Area[]>;
  /** The codes of which the release lists ZIPs. */
  readonly codesWithZips: ReadonlySet<string>;
};

/** The set of a location's codes. */
export const newLocalSet = (codes: readonly string[]): LocalSet => ({
  key: [...new Set(codes)].sort().join(' '),
  codes,
});

// Five digits mean all ZIP+4 codes of the ZIP.
const findSpans = ({ zips }: Location, area: Area): Span[] =>
  zips.map(([low, high]) => ({ low: Number(low.padEnd(9, '0')), high: Number(high.padEnd(9, '9')), area }));

const index = ({ locations }: Release): LocationIndex => {
  const spans: Span[] = [];
  const byCity = new Map<string, Area[]>();
  const codesWithZips = new Set<string>();
  for (const location of locations) {
    const area = { ...location, sets: location.alternatives.map(newLocalSet) };
    for (const span of findSpans(location, area)) spans.push(span);
    if (location.zips.length > 0) for (const code of location.alternatives.flat()) codesWithZips.add(code);
    for (const city of location.cities) {
      const areas = byCity.get(city) ?? [];
      if (areas.push(area) === 1) byCity.set(city, areas);
    }
  }
  return { spans, byCity, codesWithZips };
};

const indexes = new WeakMap<Release, LocationIndex>();

/** The location index of a release, built once because releases are immutable. */
export const locationIndex = (release: Release): LocationIndex => getOrAdd(indexes, release, () => index(release));
