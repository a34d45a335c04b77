import { closest } from '../../vocabulary/closest.ts';
import type { TaxAddress } from '../location/address.ts';
import type { ByPlace } from '../location/local-choice.ts';
import type { Area, LocalTable, ZipEntry, ZipName } from './local-table.ts';
import { cityName, placeKey, plainCityName, plainName } from './place-names.ts';

// The areas that may tax an address, each weighted by residents, for the rule below.

/** An area that may contain an address. */
export type Candidate = {
  /** The three-digit county code; `''` if the county is not known. */
  readonly county: string;
  /** The area whose rate applies; `null` if no rate is established. */
  readonly area: Area | null;
  /** The place, if its rate is not established and `area` is the remainder of its county. */
  readonly missing: string | null;
  /** The postal names of the ZIP that refer to the place. */
  readonly names: readonly ZipName[];
  /** Number of residents, on a scale that is comparable only within one address. 0: possible, but never preferred. */
  readonly weight: number;
};

/** Counties with their percentages of the residents. */
type Shares = ZipEntry['counties'];

/** Returns whether a candidate is outside the places of its county. */
const isRemainder = ({ missing, area }: Candidate): boolean => missing === null && !area?.place;

const candidateIn = (table: LocalTable, county: string, area: Area): Candidate => ({
  county,
  area: area.taxes ? area : table.remainder(county),
  missing: area.taxes ? null : area.place,
  names: [],
  weight: 0,
});

/** Returns the remainder of a county, outside its places. */
const remainderCandidate = (table: LocalTable, county: string, weight = 0): Candidate => ({
  county,
  area: table.remainder(county),
  missing: null,
  names: [],
  weight,
});

/** Returns all areas of a county, its remainder first. Their numbers of residents are unknown. */
const areasOfCounty = (table: LocalTable, county: string): readonly Candidate[] => {
  const places = table.areasIn(county).filter(({ place }) => place !== '');
  return [remainderCandidate(table, county), ...places.map((area) => candidateIn(table, county, area))];
};

/**
 * Returns the areas with a city's name in these counties, or in the whole state. A place without a county could be in
 * any of the counties.
 */
const areasNamed = (table: LocalTable, city: string, counties: readonly string[] | null): readonly Candidate[] =>
  table
    .placesNamed(city, counties)
    .flatMap((area) =>
      (area.county ? [area.county] : (counties ?? [''])).map((county) => candidateIn(table, county, area)),
    );

/** Returns the areas of a postal name in these counties, by its first spelling that matches a place there. */
const areasSpelled = (table: LocalTable, { spellings }: ZipName, counties: readonly string[]): readonly Candidate[] => {
  for (const name of spellings) {
    const areas = areasNamed(table, cityName(name) ?? '', counties);
    if (areas.length > 0) return areas;
  }
  return [];
};

const isSame = (a: Candidate, b: Candidate): boolean =>
  a.area === b.area && a.county === b.county && a.missing === b.missing;

/** Returns the candidates that are also in `others`. */
const among = (candidates: readonly Candidate[], others: readonly Candidate[]): readonly Candidate[] =>
  candidates.filter((one) => others.some((other) => isSame(one, other)));

/** Merges equal candidates and sums their weights. */
const distinct = (candidates: readonly Candidate[]): readonly Candidate[] => {
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

/** Sets the weights to 0: the candidates are possible, but not likely. */
const unlikely = (candidates: readonly Candidate[]): readonly Candidate[] =>
  candidates.map((one) => ({ ...one, weight: 0 }));

/** Returns the places of a postal name, with weight 0. */
const placeCandidates = (table: LocalTable, name: ZipName, counties: readonly string[]): readonly Candidate[] =>
  areasSpelled(table, name, counties).map((area) => ({ ...area, names: [name] }));

// If the places leave a smaller percentage of a county than this, they count as all of it, because percentages are
// rounded.
const percentMin = 0.5;

/**
 * Returns the areas of a ZIP with their percentages of its residents: the places of its names, and the remainder of
 * each county.
 *
 * A place gets its share of the residents in the counties where it has a row. A place without a row is outside the
 * places of the ZIP, so its share belongs to the remainder of each county. A preferred name without a share gets the
 * remaining residents there. Any other name without a share may refer to a place in any county of the ZIP.
 */
const areasOfZip = (
  table: LocalTable,
  { names }: Pick<ZipEntry, 'names'>,
  shares: Shares,
  allCounties: readonly string[],
): readonly Candidate[] => {
  const counties = shares.map(([county]) => county);
  const left = new Map(shares);
  const getPercent = (county: string): number => shares[counties.indexOf(county)]?.[1] ?? 0;
  const claim = (name: ZipName): readonly Candidate[] => {
    const spelled = areasSpelled(table, name, counties);
    const isOutside = spelled.length === 0 && name.share !== null;
    const areas = isOutside ? counties.map((county) => remainderCandidate(table, county)) : spelled;
    const whole = areas.reduce((sum, { county }) => sum + getPercent(county), 0);
    const own = [name];
    return areas.map((area) => {
      const free = left.get(area.county) ?? 0;
      const weight = name.share === null ? free : Math.min(free, (name.share * getPercent(area.county)) / whole);
      left.set(area.county, free - weight);
      return { ...area, names: own, weight };
    });
  };
  const [preferred] = names;
  const others = names.filter((name) => name !== preferred && name.share !== null);
  const claimed = [...others.flatMap(claim), ...(preferred ? claim(preferred) : [])];
  // On a tie, places precede remainders.
  const places = [...claimed.filter((one) => !isRemainder(one)), ...claimed.filter(isRemainder)];
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

/** Sorts candidates by the number of residents with the same rate, then by the area's number of residents. */
const byResidents = (candidates: readonly Candidate[]): readonly Candidate[] => {
  if (candidates.length < 2) return candidates;
  const totals = new Map<string, number>();
  for (const one of candidates) totals.set(rateKey(one), (totals.get(rateKey(one)) ?? 0) + one.weight);
  const getTotal = (one: Candidate) => totals.get(rateKey(one)) ?? 0;
  return candidates.toSorted((a, b) => getTotal(b) - getTotal(a) || b.weight - a.weight);
};

/**
 * The rule that finds the local taxes of an address by its ZIP, city and county. An import with the ZIP+4, the street
 * or the ZIP takes precedence (`place.ts`).
 *
 * The candidates are the areas that may contain the address. The rate that applies to most residents is charged. The
 * address is ambiguous if candidates have different rates, and its coverage is partial if the rate of a candidate is
 * not established. If candidates have the same rate but tax a product differently, its line has a warning. Less
 * information leaves more candidates, so it never makes a result more certain.
 *
 * | City | Candidates |
 * |---|---|
 * | a name of the ZIP other than the preferred name, with residents in its place | that place; if the tables have no row for it, the remainders of the counties |
 * | the preferred name of the ZIP, or a name without residents in its place | all areas of the ZIP |
 * | a place in a county of the ZIP that is not a postal name of any ZIP | that place, which is charged, and all areas of the ZIP |
 * | a name of other ZIPs or counties, which contradicts the ZIP | all areas of the ZIP, and the areas of the name, which are not charged |
 * | unknown, or not sent | all areas of the ZIP |
 *
 * - "All areas of the ZIP" are the inhabited places of its names and the inhabited remainder of each county. The place
 *   of a name without residents is possible, but not likely: an office or a mailbox could be there.
 * - A county in the address limits the candidates to that county. A county outside the ZIP contradicts it: its areas
 *   are possible, but not charged.
 * - Without a ZIP, the candidates are the areas of all ZIPs with that name. If no ZIP has the name, they are the place,
 *   which is charged, and its county.
 * - Without a ZIP and a city, the candidates are all areas of the county. The county's remainder is charged.
 */

export type FoundPlace = Pick<
  ByPlace,
  'city' | 'suggestion' | 'contradictsCounty' | 'unknownCounty' | 'zipCounties'
> & {
  /** The first candidate is charged. Empty if the address does not name a known place. */
  readonly candidates: readonly Candidate[];
  /** Whether the city in the address refers to the area that is charged. */
  readonly isNamed: boolean;
};

type Read = Pick<FoundPlace, 'city' | 'candidates'> & {
  /** The candidates that the city refers to. */
  readonly own: readonly Candidate[];
};

const inhabited = ({ counties }: ZipEntry): ZipEntry['counties'] => counties.filter(([, percent]) => percent > 0);

/**
 * Returns all areas of a ZIP, or only those in one county. Shares are computed for the whole ZIP, because they are
 * percentages of the whole.
 */
const listCandidates = (table: LocalTable, zip: ZipEntry, county: string | null): readonly Candidate[] => {
  const shares = inhabited(zip);
  if (county !== null && !shares.some(([code]) => code === county))
    return areasOfZip(table, zip, [[county, 100]], [county]);
  const counties = zip.counties.map(([code]) => code);
  const all = areasOfZip(table, zip, shares, counties);
  return county === null ? all : all.filter((one) => one.county === county);
};

/** Finds the postal name of a ZIP that a city matches, by spelling or by the area it refers to. */
const nameIn = (table: LocalTable, { names }: ZipEntry, city: string, counties: readonly string[]) => {
  const key = placeKey(city);
  const spelled = names.find(({ spellings }) => spellings.some((name) => placeKey(name) === key));
  const own = spelled ? [] : areasNamed(table, city, counties);
  return own.length > 0 ? names.find((name) => among(areasSpelled(table, name, counties), own).length > 0) : spelled;
};

const inZip = (table: LocalTable, zip: ZipEntry, city: string | null, county: string | null): Read => {
  const all = byResidents(listCandidates(table, zip, county));
  if (city === null) return { city: 'none', candidates: all, own: [] };
  const counties = county === null ? zip.counties.map(([code]) => code) : [county];
  const name = nameIn(table, zip, city, counties);
  if (name) {
    const claimed = all.filter(({ names }) => names.includes(name));
    // A name without residents may refer to the place of another name.
    const areas = claimed.length > 0 ? claimed : areasSpelled(table, name, counties);
    const own = claimed.length > 0 ? claimed : among(all, areas);
    const isPlace = name !== zip.names[0] && name.share !== null && own.length > 0;
    return isPlace ? { city: 'place', candidates: byResidents(own), own } : { city: 'postal', candidates: all, own };
  }
  const own = areasNamed(table, city, counties);
  if (own.length > 0 && table.zipsNamed(city).length === 0)
    return { city: 'place', candidates: distinct([...own, ...all]), own };
  const elsewhere = anywhere(table, city);
  return elsewhere.length > 0
    ? { city: 'elsewhere', candidates: distinct([...all, ...elsewhere]), own: [] }
    : { city: 'unknown', candidates: all, own: [] };
};

/** Returns the areas of a city anywhere in the state; for a postal name that is not a place, the areas of its ZIPs. */
const anywhere = (table: LocalTable, city: string): readonly Candidate[] => {
  const places = areasNamed(table, city, null);
  return unlikely(places.length > 0 ? places : withoutZip(table, city, null).candidates);
};

const withoutZip = (table: LocalTable, city: string | null, county: string | null): Read => {
  const ofCounty = county === null ? [] : areasOfCounty(table, county);
  if (city === null) return { city: 'none', candidates: ofCounty, own: [] };
  const zips = table.zipsNamed(city).flatMap((zip5) => table.zip(zip5) ?? []);
  const own = areasNamed(table, city, county === null ? null : [county]);
  const ofZips = zips
    .filter(({ counties }) => county === null || counties.some(([code]) => code === county))
    .flatMap((zip) =>
      inZip(table, zip, city, county).candidates.map((one) => ({ ...one, weight: one.weight * zip.residents })),
    );
  const around = zips.length > 0 ? [] : own.flatMap((place) => areasOfCounty(table, place.county));
  const candidates = byResidents(distinct([...ofZips, ...own, ...around]));
  if (candidates.length > 0) return { city: 'postal', candidates, own };
  const elsewhere = county === null ? [] : anywhere(table, city);
  return elsewhere.length > 0
    ? { city: 'elsewhere', candidates: distinct([...ofCounty, ...elsewhere]), own }
    : { city: 'unknown', candidates: ofCounty, own };
};

/** Finds the areas that may tax an address in the table's state. The caller checks the tax day. */
export const findPlace = (
  table: LocalTable,
  { zip5, city, county }: Pick<TaxAddress, 'zip5' | 'city' | 'county'>,
): FoundPlace => {
  const zip = zip5 === null ? undefined : table.zip(zip5);
  const named = county === null ? null : table.countyNamed(county);
  const contradicted = zip && !zip.counties.some(([code]) => code === named) ? named : null;
  const read = zip ? inZip(table, zip, city, contradicted === null ? named : null) : withoutZip(table, city, named);
  const others =
    contradicted === null
      ? []
      : unlikely([
          remainderCandidate(table, contradicted),
          ...(city === null ? [] : areasNamed(table, city, [contradicted])),
        ]);
  const candidates = others.length > 0 ? distinct([...read.candidates, ...others]) : read.candidates;
  const [first] = candidates;
  return {
    city: read.city,
    candidates,
    isNamed: first !== undefined && among([first], read.own).length > 0,
    suggestion: read.city === 'unknown' && city !== null ? nearestName(table, zip, city) : null,
    contradictsCounty: contradicted !== null,
    unknownCounty: county === null || named !== null ? null : { suggestion: table.nearestCounty(county) },
    zipCounties: zip ? inhabited(zip).length : null,
  };
};

/**
 * Suggests the known name that a mistyped city most likely means: a name of the ZIP if one is close enough, otherwise a
 * place in the state.
 */
const nearestName = (table: LocalTable, zip: ZipEntry | undefined, city: string): string | null => {
  const plain = plainName(city);
  const words = plain.split(' ');
  // Dropping a word gives a different place: North Little Rock is not Little Rock.
  const shorter = new Set(words.map((_, position) => words.toSpliced(position, 1).join(' ')));
  const nearest = (names: ReadonlyMap<string, string>) =>
    names.get(
      closest(
        plain,
        names.keys().filter((name) => !shorter.has(name)),
      ) ?? '',
    ) || null;
  const ofZip = new Map(zip?.names.map(({ spellings: [name = ''] }) => [plainCityName(name), name]));
  return nearest(ofZip) ?? nearest(table.placeNames());
};
