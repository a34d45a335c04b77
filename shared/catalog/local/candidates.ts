/** The areas that may tax an address, with the residents of each, for the rule in `find-place.ts`. */
import { cityName } from '../location/city-name.ts';
import type { Area, LocalTable, ZipEntry, ZipName } from './local-table.ts';

/** An area that an address may lie in. */
export type Candidate = {
  /** Three digits; `''` if the county is not known. */
  readonly county: string;
  /** The area whose rate applies; `null` where no rate is established. */
  readonly area: Area | null;
  /** The place, if its own rate is not established and `area` is the rest of its county. */
  readonly missing: string | null;
  /** The names of the ZIP that have the place. */
  readonly names: readonly ZipName[];
  /** Its residents, on a scale of their own for each address. 0: possible, and never more likely than another. */
  readonly weight: number;
};

/** Counties with their percent of the residents. */
type Shares = ZipEntry['counties'];

const candidateIn = (table: LocalTable, county: string, area: Area, weight: number): Candidate =>
  area.taxes === null
    ? { county, area: table.remainder(county), missing: area.place, names: [], weight }
    : { county, area, missing: null, names: [], weight };

/** A county outside its places. */
export const remainderCandidate = (table: LocalTable, county: string, weight = 0): Candidate => ({
  county,
  area: table.remainder(county),
  missing: null,
  names: [],
  weight,
});

/** All areas of a county, the rest outside its places first. How many residents they have is not known. */
export const areasOfCounty = (table: LocalTable, county: string): readonly Candidate[] => {
  const places = table.areasIn(county).filter(({ place }) => place !== '');
  return [remainderCandidate(table, county), ...places.map((area) => candidateIn(table, county, area, 0))];
};

/** The areas with a city's name in these counties, or in all of the state. */
export const areasNamed = (table: LocalTable, city: string, counties: readonly string[] | null): readonly Candidate[] =>
  table.placesNamed(city, counties).map((area) => candidateIn(table, area.county || (counties?.[0] ?? ''), area, 0));

/** The areas of a name in these counties, by the first of its spellings that is a place there. */
export const areasSpelled = (
  table: LocalTable,
  { spellings }: ZipName,
  counties: readonly string[],
): readonly Candidate[] => {
  for (const name of spellings) {
    const areas = areasNamed(table, cityName(name) ?? '', counties);
    if (areas.length > 0) return areas;
  }
  return [];
};

const isSame = (a: Candidate, b: Candidate): boolean =>
  a.area === b.area && a.county === b.county && a.missing === b.missing;

/** The candidates that are among others. */
export const among = (candidates: readonly Candidate[], others: readonly Candidate[]): readonly Candidate[] =>
  candidates.filter((one) => others.some((other) => isSame(one, other)));

/** Each candidate once, with the sum of its weights. */
export const distinct = (candidates: readonly Candidate[]): readonly Candidate[] => {
  if (candidates.length < 2) return candidates;
  const found = new Map<string, Candidate>();
  for (const one of candidates) {
    const key = `${one.county} ${one.area?.offset} ${one.missing}`;
    const known = found.get(key);
    const merged = known && { ...known, names: [...known.names, ...one.names], weight: known.weight + one.weight };
    found.set(key, merged ?? one);
  }
  return [...found.values()];
};

/** Candidates that are possible, but not where the address most likely is. */
export const unlikely = (candidates: readonly Candidate[]): readonly Candidate[] =>
  candidates.map((one) => ({ ...one, weight: 0 }));

/** The places of a name, without residents. */
const placeCandidates = (table: LocalTable, name: ZipName, counties: readonly string[]): readonly Candidate[] =>
  areasSpelled(table, name, counties).map((area) => ({ ...area, names: [name] }));

// A county of which the places leave less is all theirs: percents are rounded.
const percentMin = 0.5;

/**
 * The areas of a ZIP with their percent of its residents: the places of its names, and the rest of each county.
 *
 * A place has its share of the residents in the counties where it has a row. The preferred name without a share has
 * what other places leave there. A name without a share may mean a place in any county of the ZIP.
 */
export const areasOfZip = (
  table: LocalTable,
  { names }: Pick<ZipEntry, 'names'>,
  shares: Shares,
  allCounties: readonly string[],
): readonly Candidate[] => {
  const counties = shares.map(([county]) => county);
  const left = new Map(shares);
  const percentOf = (county: string): number => shares[counties.indexOf(county)]?.[1] ?? 0;
  const claim = (name: ZipName): readonly Candidate[] => {
    const areas = areasSpelled(table, name, counties);
    const whole = areas.reduce((sum, { county }) => sum + percentOf(county), 0);
    const own = [name];
    return areas.map((area) => {
      const free = left.get(area.county) ?? 0;
      const weight = name.share === null ? free : Math.min(free, (name.share * percentOf(area.county)) / whole);
      left.set(area.county, free - weight);
      return { ...area, names: own, weight };
    });
  };
  const [preferred] = names;
  const others = names.filter((name) => name !== preferred && name.share !== null);
  const places = [...others.flatMap(claim), ...(preferred ? claim(preferred) : [])];
  const rests = shares.flatMap(([county]) => {
    const weight = left.get(county) ?? 0;
    return weight >= percentMin ? [remainderCandidate(table, county, weight)] : [];
  });
  const unclaimed = names
    .filter(({ share }) => share === null)
    .flatMap((name) => placeCandidates(table, name, allCounties));
  return distinct([...places, ...rests, ...unclaimed]);
};

const rateKey = ({ area, missing }: Candidate): string => missing ?? String(area?.units);

/** The candidates with the rate of most residents first, and among them the area of most residents. */
export const byResidents = (candidates: readonly Candidate[]): readonly Candidate[] => {
  if (candidates.length < 2) return candidates;
  const totals = new Map<string, number>();
  for (const one of candidates) totals.set(rateKey(one), (totals.get(rateKey(one)) ?? 0) + one.weight);
  const totalOf = (one: Candidate) => totals.get(rateKey(one)) ?? 0;
  return candidates.toSorted((a, b) => totalOf(b) - totalOf(a) || b.weight - a.weight);
};
