import type { Dated, Evidence, Location, Release } from '../release.ts';

/** Local jurisdictions that tax a place together. The key does not depend on the order of the codes. */
export type LocalSet = {
  readonly key: string;
  readonly codes: readonly string[];
  /** The five-digit code of their county, if the content has it. */
  readonly county?: string | null;
  /** Whether the jurisdictions are not established. */
  readonly isUnknown?: true;
};

/** A location: its days, and the sets that an address in it may have. */
export type Area = Dated & {
  readonly sets: readonly LocalSet[];
  readonly evidence: Evidence;
  /** Whether its limits are unknown: it has the name of a city and no ZIPs. */
  readonly isByName: boolean;
  /** The city that it is limited to in its ZIPs; `null` for all addresses. */
  readonly withinCity: string | null;
  /** Whether a city that is known only by its name takes precedence; with `withinCity`, whether that is such a city. */
  readonly yieldsToCity: boolean;
  /** Whether borders cross its ZIPs, and the taxes beyond them are unknown. */
  readonly crossesBorders: boolean;
  /** Whether the source has only the state's rate here, so that local taxes may be missing. */
  readonly lacksLocals: boolean;
  /** Whether its sets are of some street addresses, and it is unknown of which. */
  readonly isOfStreets: boolean;
};

/** The nine-digit ZIPs of an area, both ends inclusive. */
export type Span = { readonly low: number; readonly high: number; readonly area: Area };

export type LocationIndex = {
  readonly spans: readonly Span[];
  readonly byCity: ReadonlyMap<string, readonly Area[]>;
  /** The codes of which the release lists ZIPs. */
  readonly codesWithZips: ReadonlySet<string>;
};

/** The set of a location's codes. */
export const localSetOf = (codes: readonly string[]): LocalSet => ({
  key: [...new Set(codes)].sort().join(' '),
  codes,
});

// Five digits mean all ZIP+4 codes of the ZIP.
const spansOf = ({ zips }: Location, area: Area): Span[] =>
  zips.map(([low, high]) => ({ low: Number(low.padEnd(9, '0')), high: Number(high.padEnd(9, '9')), area }));

const areaOf = (location: Location): Area => ({
  from: location.from,
  to: location.to,
  sets: location.alternatives.map(localSetOf),
  evidence: location,
  isByName: location.zips.length === 0,
  withinCity: location.within_city ?? null,
  yieldsToCity: location.yields_to_city === true,
  crossesBorders: location.crosses_borders === true,
  lacksLocals: location.lacks_locals === true,
  isOfStreets: location.of_streets === true,
});

const index = ({ locations }: Release): LocationIndex => {
  const spans: Span[] = [];
  const byCity = new Map<string, Area[]>();
  const codesWithZips = new Set<string>();
  for (const location of locations) {
    const area = areaOf(location);
    for (const span of spansOf(location, area)) spans.push(span);
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
export const locationIndex = (release: Release): LocationIndex => {
  const known = indexes.get(release);
  if (known) return known;
  const made = index(release);
  indexes.set(release, made);
  return made;
};
