/**
 * Finds the local taxes of an address without a boundary file: by the counties of its ZIP and the name of its city.
 *
 * 1. The ZIP gives the candidate counties, main first. A county in the address that is one of them replaces them.
 *    Without a ZIP, the county in the address is the only one, or else the counties that have the city.
 * 2. The city's name is looked up among the places of the candidate counties. Without a city, the main postal place of
 *    the ZIP is looked up instead, unless a county narrowed the ZIP.
 * 3. If candidate counties have a rate for the city, the candidates are the city's areas in them; otherwise they are the
 *    remainders of all candidate counties.
 *
 * Levy charges the first candidate. Further candidates with another rate only make the address ambiguous. They are:
 * - the remainder of the ZIP's main county, where only other counties of the ZIP have the city (`mainRemainder`);
 * - the ZIP's own postal place and the areas with the city's name in other counties, where no candidate county has the
 *   city (`untaxedName`);
 * - the city, or else the remainder, in a county of the address that is none of the ZIP's (`inNamedCounty`).
 */
import { closest } from '../../vocabulary/closest.ts';
import type { TaxAddress } from '../location/address.ts';
import { cityName } from '../location/city-name.ts';
import type { ByPlace } from '../location/local-choice.ts';
import type { Area, LocalTable, ZipEntry } from './local-table.ts';
import { joinedName, plainName } from './place-names.ts';

/** A county that the address may lie in, with the area that taxes it there; `null` where no rate is established. */
export type Candidate = { readonly county: string | null; readonly area: Area | null };

export type FoundPlace = Omit<ByPlace, 'area' | 'established'> & {
  /** The part of the address that decided. */
  readonly level: 'city' | 'zip5' | 'county' | 'state';
  /** The first one is charged. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
};

const nothing: Candidate = { county: null, area: null };

type Counties = {
  readonly zip: ZipEntry | undefined;
  readonly counties: readonly string[];
  /** The county in the address, if the state has it. */
  readonly named: string | null;
};

const countiesOf = (table: LocalTable, { zip5, county, city }: TaxAddress): Counties => {
  const zip = zip5 === null ? undefined : table.zip(zip5);
  const named = county === null ? null : table.countyNamed(county);
  if (named !== null && (!zip || zip.counties.includes(named))) return { zip, counties: [named], named };
  if (zip) return { zip, counties: municipalityFirst(table, zip.counties, city), named };
  return { zip, counties: city === null ? [] : countiesOfCity(table, city), named };
};

const countiesOfCity = (table: LocalTable, city: string): readonly string[] => {
  const withPlace = new Set(table.placesNamed(city, null).flatMap(({ county }) => county || []));
  const postal = table.postalCounties(city);
  // The county with most ZIPs of a city is its main one.
  return withPlace.size > 0 ? [...withPlace].toSorted((a, b) => rank(postal, a) - rank(postal, b)) : postal;
};

const rank = (order: readonly string[], county: string): number => {
  const position = order.indexOf(county);
  return position < 0 ? order.length : position;
};

const remaindersOf = (table: LocalTable, counties: readonly string[]): Candidate[] =>
  counties.map((county) => ({ county, area: table.remainder(county) }));

const isPostalName = (zip: ZipEntry | undefined, city: string): boolean =>
  zip?.places.some((place) => joinedPlain(cityName(place) ?? '') === joinedPlain(city)) === true;

const joinedPlain = (name: string): string => joinedName(plainName(name));

/** The nearest known name: of the ZIP's postal places if one is near enough, otherwise of the state's places. */
const suggestionFor = (table: LocalTable, { zip }: Counties, city: string): string | null => {
  const plain = plainName(city);
  const words = plain.split(' ');
  // A name without one of the words is another place: North Little Rock is not Little Rock.
  const shorter = new Set(words.map((_, position) => words.toSpliced(position, 1).join(' ')));
  const nearest = (names: ReadonlyMap<string, string>) => {
    const candidates = names.keys().filter((name) => !shorter.has(name));
    return names.get(closest(plain, candidates) ?? '') || null;
  };
  const ofZip = new Map((zip?.places ?? []).map((name) => [plainName(cityName(name) ?? ''), name]));
  return nearest(ofZip) ?? nearest(table.placeNames());
};

type Read = Pick<FoundPlace, 'city' | 'suggestion'> & { readonly candidates: readonly Candidate[] };

/** Candidates of a city that its counties have no place for. */
const untaxedName = (table: LocalTable, found: Counties, city: string): Read => {
  const { zip, counties } = found;
  const own = remaindersOf(table, counties);
  if (isPostalName(zip, city)) return { city: 'postal', candidates: own, suggestion: null };
  // Its index takes long to build, so the ZIP's names come first.
  const postal = table.postalCounties(city);
  if (postal.some((county) => counties.includes(county))) return { city: 'postal', candidates: own, suggestion: null };
  const elsewhere = table.placesNamed(city, null).filter(({ taxes }) => taxes !== null);
  // The ZIP or the city is wrong: the candidates are the areas of both, and of the ZIP's own postal place.
  const ofZip = zip?.places[0] === undefined ? [] : candidatesNamed(table, counties, cityName(zip.places[0]) ?? '');
  const others = [
    ...elsewhere.map((area) => ({ county: area.county, area })),
    ...remaindersOf(table, elsewhere.length > 0 ? [] : postal),
  ];
  if (others.length > 0) return { city: 'elsewhere', candidates: [...own, ...ofZip, ...others], suggestion: null };
  return { city: 'unknown', candidates: [...own, ...ofZip], suggestion: suggestionFor(table, found, city) };
};

/** The areas of a name that have a rate, in the order of the counties. */
const candidatesNamed = (table: LocalTable, counties: readonly string[], city: string): Candidate[] =>
  table
    .placesNamed(city, counties)
    .filter(({ taxes }) => taxes !== null)
    .toSorted((a, b) => rank(counties, a.county) - rank(counties, b.county))
    .map((area) => ({ county: area.county, area }));

// Most of the ZIP may lie outside the city where its main county has no area of the city.
const mainRemainder = (table: LocalTable, { zip, counties }: Counties, taxed: readonly Candidate[]): Candidate[] => {
  const main = counties[0] ?? '';
  return zip === undefined || taxed.some(({ county }) => county === main) ? [] : remaindersOf(table, [main]);
};

/** Whether an area has a tax of the city itself, or a combined rate that may include one. */
const hasCityTax = (area: Area | null): boolean =>
  area?.taxes?.some(({ type, kind }) => type === 'city' || kind === 'combined') === true;

/**
 * The candidates of a city that has a rate. A row may split a county by districts and name no tax of the city: Dublin,
 * Ohio, has rows for two counties only, because one rate applies to all of Franklin County. Then the main county of the
 * ZIP comes first where the rate is the same.
 */
const taxedCandidates = (table: LocalTable, found: Counties, taxed: readonly Candidate[]): readonly Candidate[] => {
  const main = mainRemainder(table, found, taxed);
  const [first = nothing] = taxed;
  const isMainFirst = main[0]?.area?.units === first.area?.units && !hasCityTax(first.area);
  return isMainFirst ? [...main, ...taxed] : [...taxed, ...main];
};

// A municipality of Puerto Rico is a county there, and mail is addressed to it as to a city.
const municipalityFirst = (table: LocalTable, counties: readonly string[], city: string | null): readonly string[] => {
  const own = table.hasPlaces || city === null ? null : table.countyNamed(city);
  return own === null || !counties.includes(own) ? counties : [own, ...counties.filter((county) => county !== own)];
};

const readCity = (table: LocalTable, found: Counties, city: string): Read => {
  const { counties } = found;
  const taxed = candidatesNamed(table, counties, city);
  if (taxed.length > 0) return { city: 'taxed', candidates: taxedCandidates(table, found, taxed), suggestion: null };
  if (table.placesNamed(city, counties).length > 0)
    return { city: 'missing', candidates: remaindersOf(table, counties), suggestion: null };
  return untaxedName(table, found, city);
};

/** The city, or else the remainder, in a county of the address that is none of the ZIP's. */
const inNamedCounty = (table: LocalTable, county: string, city: string | null): readonly Candidate[] => {
  const taxed = city === null ? [] : candidatesNamed(table, [county], city);
  return taxed.length > 0 ? taxed : remaindersOf(table, [county]);
};

/** Find the areas that may tax an address of the table's state. The caller checks the tax day. */
export const findPlace = (table: LocalTable, address: TaxAddress): FoundPlace => {
  const found = countiesOf(table, address);
  const { zip, counties, named } = found;
  const contradicted = named === null || counties.includes(named) ? null : named;
  const implied = zip?.places[0];
  const name = address.city ?? (implied === undefined ? null : cityName(implied));
  const read: Read =
    name === null
      ? { city: 'none', candidates: remaindersOf(table, counties), suggestion: null }
      : readCity(table, found, name);
  const [first = nothing, ...others] = [
    ...read.candidates,
    ...(contradicted === null ? [] : inNamedCounty(table, contradicted, address.city)),
  ];
  const isPlace = (first.area?.place ?? '') !== '';
  const ofCity = address.city === null ? 'zip5' : 'city';
  const level = first.area === null ? 'state' : isPlace && read.city === 'taxed' ? ofCity : 'county';
  return {
    level,
    candidates: [first, ...others],
    city: address.city === null && read.city !== 'missing' ? 'none' : read.city,
    suggestion: read.suggestion,
    contradictsCounty: contradicted !== null,
    zipCounties: zip?.counties.length ?? null,
    unknownCounty:
      address.county === null || named !== null ? null : { suggestion: table.nearestCounty(address.county) },
  };
};
