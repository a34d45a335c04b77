import { closest } from '../../vocabulary/closest.ts';
import type { TaxAddress } from '../location/address.ts';
import type { ByPlace } from '../location/local-choice.ts';
import type { Area, LocalTable, ZipEntry, ZipName } from './local-table.ts';
import { cityName, placeKey, plainName } from './place-names.ts';

// The areas that may tax an address, with the residents of each, for the rule in `find-place.ts`.

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
const remainderCandidate = (table: LocalTable, county: string, weight = 0): Candidate => ({
  county,
  area: table.remainder(county),
  missing: null,
  names: [],
  weight,
});

/** All areas of a county, the rest outside its places first. How many residents they have is not known. */
const areasOfCounty = (table: LocalTable, county: string): readonly Candidate[] => {
  const places = table.areasIn(county).filter(({ place }) => place !== '');
  return [remainderCandidate(table, county), ...places.map((area) => candidateIn(table, county, area, 0))];
};

/** The areas with a city's name in these counties, or in all of the state. */
const areasNamed = (table: LocalTable, city: string, counties: readonly string[] | null): readonly Candidate[] =>
  table.placesNamed(city, counties).map((area) => candidateIn(table, area.county || (counties?.[0] ?? ''), area, 0));

/** The areas of a name in these counties, by the first of its spellings that is a place there. */
const areasSpelled = (table: LocalTable, { spellings }: ZipName, counties: readonly string[]): readonly Candidate[] => {
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
const unlikely = (candidates: readonly Candidate[]): readonly Candidate[] =>
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
const areasOfZip = (
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

/**
 * The rule that finds the local taxes of an address by its ZIP, city and county. An import that has the ZIP+4, the
 * street or the ZIP goes before it (`place.ts`).
 *
 * The candidates are the areas that the address may lie in. The rate of most residents is charged. The address is ambiguous
 * if candidates have different rates, and its coverage is partial if the rate of a candidate is not established. Less
 * information leaves more candidates, so it never improves an answer.
 *
 * | City | Candidates |
 * |---|---|
 * | a name of the ZIP beside the preferred one, with residents in its place | that place; without a rate of its own, the rest of the counties |
 * | the preferred name of the ZIP, or one without residents in its place | all areas of the ZIP |
 * | a place in a county of the ZIP that is the name of no ZIP | that place, which is charged, and all areas of the ZIP |
 * | a name of other ZIPs or counties, which contradicts the ZIP | all areas of the ZIP, and those of the name, which are not charged |
 * | not known, or none | all areas of the ZIP |
 *
 * - All areas of a ZIP are the places of its names and the rest of each county, as far as they have residents. The place of
 *   a name without residents of its own is possible, and not more likely: an office or a mailbox may be there.
 * - A county keeps only its candidates. One that is not of the ZIP contradicts it: its areas are possible, and not charged.
 * - Without a ZIP, the candidates are those of all ZIPs with the name. If none has it, they are the place, which is
 *   charged, and its county.
 * - Without ZIP and city, they are all areas of the county. The rest outside its places is charged.
 */

export type FoundPlace = Pick<
  ByPlace,
  'city' | 'suggestion' | 'contradictsCounty' | 'unknownCounty' | 'zipCounties'
> & {
  /** The first one is charged. None: the address does not name a known place. */
  readonly candidates: readonly Candidate[];
  /** Whether the city in the address names the area that is charged. */
  readonly isNamed: boolean;
};

type Read = Pick<FoundPlace, 'city' | 'candidates'> & {
  /** The areas that the city names there. */
  readonly own: readonly Candidate[];
};

const inhabited = ({ counties }: ZipEntry): ZipEntry['counties'] => counties.filter(([, percent]) => percent > 0);

/** All areas of a ZIP, or those in a county. They are computed for the whole ZIP, because its shares are of the whole. */
const listCandidates = (table: LocalTable, zip: ZipEntry, county: string | null): readonly Candidate[] => {
  const shares = inhabited(zip);
  if (county !== null && !shares.some(([code]) => code === county))
    return areasOfZip(table, zip, [[county, 100]], [county]);
  const counties = zip.counties.map(([code]) => code);
  const all = areasOfZip(table, zip, shares, counties);
  return county === null ? all : all.filter((one) => one.county === county);
};

/** The name of a ZIP that a city is: by its spelling, or by the area that it means. */
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
    // A name without residents of its own may mean the place of another one.
    const areas = claimed.length > 0 ? claimed : areasSpelled(table, name, counties);
    const own = claimed.length > 0 ? claimed : among(all, areas);
    const there = areas.length > 0 ? own : all.filter(({ missing, area }) => missing === null && !area?.place);
    const isPlace = name !== zip.names[0] && name.share !== null && there.length > 0;
    return isPlace ? { city: 'place', candidates: byResidents(there), own } : { city: 'postal', candidates: all, own };
  }
  const own = areasNamed(table, city, counties);
  if (own.length > 0 && table.zipsNamed(city).length === 0)
    return { city: 'place', candidates: distinct([...own, ...all]), own };
  const elsewhere = anywhere(table, city);
  return elsewhere.length > 0
    ? { city: 'elsewhere', candidates: distinct([...all, ...elsewhere]), own: [] }
    : { city: 'unknown', candidates: all, own: [] };
};

/** The areas of a city anywhere in the state; for a name without a place, the areas of its ZIPs. */
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

/** Find the areas that may tax an address of the table's state. The caller checks the tax day. */
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

/** The known name that a mistyped city most likely means: of the ZIP if one is near enough, otherwise of the state's places. */
const nearestName = (table: LocalTable, zip: ZipEntry | undefined, city: string): string | null => {
  const plain = plainName(city);
  const words = plain.split(' ');
  // A name without one of the words is another place: North Little Rock is not Little Rock.
  const shorter = new Set(words.map((_, position) => words.toSpliced(position, 1).join(' ')));
  const nearest = (names: ReadonlyMap<string, string>) =>
    names.get(
      closest(
        plain,
        names.keys().filter((name) => !shorter.has(name)),
      ) ?? '',
    ) || null;
  const ofZip = new Map(zip?.names.map(({ spellings: [name = ''] }) => [plainName(cityName(name) ?? ''), name]));
  return nearest(ofZip) ?? nearest(table.placeNames());
};
