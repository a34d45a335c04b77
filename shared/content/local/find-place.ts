/**
 * Finds the local taxes of an address without a boundary file: by the counties of its ZIP and the name of its city.
 *
 * 1. The ZIP gives the candidate counties; a county that the address names narrows them. Without a ZIP, the city's name
 *    gives them.
 * 2. The city's name is looked up among the places of the candidate counties.
 * 3. If a candidate county has the city, only such counties stay, each with the city's rate there; otherwise the
 *    remainders of all candidates. Without a city, the ZIP's main postal place stands for it.
 *
 * The first candidate is meant; candidates with other rates make the address ambiguous.
 */
import { closest } from '../../vocabulary/closest.ts';
import type { TaxAddress } from '../location/address.ts';
import { cityName } from '../location/city-name.ts';
import type { CityReading } from '../location/local-choice.ts';
import type { Area, LocalTable, ZipEntry } from './local-table.ts';
import { plainName } from './place-names.ts';

/** A county that the address may lie in, with the area that taxes it there; `null` where no rate is established. */
export type Candidate = { readonly county: string | null; readonly area: Area | null };

export type FoundPlace = {
  /** What of the address decided. */
  readonly level: 'city' | 'zip5' | 'county' | 'state';
  /** The one that is meant comes first. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
  readonly city: CityReading;
  /** The nearest known name of a city that is not known. */
  readonly suggestion: string | null;
  /** Whether the county that the address names is none of its ZIP's. */
  readonly contradictsCounty: boolean;
};

const nothing: Candidate = { county: null, area: null };

type Counties = {
  readonly zip: ZipEntry | undefined;
  readonly counties: readonly string[];
  readonly contradictsCounty: boolean;
};

const countiesOf = (table: LocalTable, { zip5, county, city }: TaxAddress): Counties => {
  const zip = zip5 === null ? undefined : table.zip(zip5);
  const named = county === null ? null : table.countyNamed(county);
  if (zip) {
    if (named === null)
      return { zip, counties: municipalityFirst(table, zip.counties, city), contradictsCounty: false };
    const isInZip = zip.counties.includes(named);
    return { zip, counties: isInZip ? [named] : zip.counties, contradictsCounty: !isInZip };
  }
  if (named !== null) return { zip, counties: [named], contradictsCounty: false };
  if (city === null) return { zip, counties: [], contradictsCounty: false };
  const withPlace = new Set(
    table
      .placesNamed(city, null)
      .map((area) => area.county)
      .filter((code) => code !== ''),
  );
  const postal = table.postalCounties(city);
  // The postal service knows which county of a city is its main one.
  const counties = withPlace.size > 0 ? [...withPlace].toSorted((a, b) => rank(postal, a) - rank(postal, b)) : postal;
  return { zip, counties, contradictsCounty: false };
};

const rank = (order: readonly string[], county: string): number => {
  const position = order.indexOf(county);
  return position < 0 ? order.length : position;
};

const remaindersOf = (table: LocalTable, counties: readonly string[]): Candidate[] =>
  counties.map((county) => ({ county, area: table.remainder(county) }));

const isPostalName = (zip: ZipEntry | undefined, city: string): boolean =>
  zip?.places.some((place) => plainName(cityName(place) ?? '') === plainName(city)) === true;

/** The nearest of names that people may have meant; the closer to the ZIP, the earlier they are asked. */
const suggestionFor = (table: LocalTable, { zip }: Counties, city: string): string | null => {
  const nearest = (names: ReadonlyMap<string, string>) => names.get(closest(city, names.keys()) ?? '') || null;
  const ofZip = new Map((zip?.places ?? []).map((name) => [cityName(name) ?? '', name]));
  return nearest(ofZip) ?? nearest(table.placeNames());
};

type Read = Pick<FoundPlace, 'city' | 'suggestion'> & { readonly candidates: readonly Candidate[] };

/** Candidates of a city that its counties have no place for. */
const untaxedName = (table: LocalTable, found: Counties, city: string): Read => {
  const { zip, counties } = found;
  const own = remaindersOf(table, counties);
  if (isPostalName(zip, city)) return { city: 'postal', candidates: own, suggestion: null };
  const postal = table.postalCounties(city);
  if (postal.some((county) => counties.includes(county))) return { city: 'postal', candidates: own, suggestion: null };
  const elsewhere = table.placesNamed(city, null).filter(({ taxes }) => taxes !== null);
  // Where ZIP and city contradict each other, both are candidates, and so is the ZIP's own place.
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

// Where most of a ZIP lies in a county that does not have the city, most of its addresses are outside the city.
const mainRemainder = (table: LocalTable, { zip, counties }: Counties, taxed: readonly Candidate[]): Candidate[] => {
  const main = counties[0] ?? '';
  return zip === undefined || taxed.some(({ county }) => county === main) ? [] : remaindersOf(table, [main]);
};

// A municipality of Puerto Rico is a county there, and mail is addressed to it as to a city.
const municipalityFirst = (table: LocalTable, counties: readonly string[], city: string | null): readonly string[] => {
  const own = table.hasPlaces || city === null ? null : table.countyNamed(city);
  return own === null || !counties.includes(own) ? counties : [own, ...counties.filter((county) => county !== own)];
};

const readCity = (table: LocalTable, found: Counties, city: string): Read => {
  const { counties } = found;
  const taxed = candidatesNamed(table, counties, city);
  if (taxed.length > 0)
    return { city: 'taxed', candidates: [...taxed, ...mainRemainder(table, found, taxed)], suggestion: null };
  if (table.placesNamed(city, counties).length > 0)
    return { city: 'missing', candidates: remaindersOf(table, counties), suggestion: null };
  return untaxedName(table, found, city);
};

/** Find the areas that may tax an address of the table's state. Pure; the tax day is the caller's. */
export const findPlace = (table: LocalTable, address: TaxAddress): FoundPlace => {
  const found = countiesOf(table, address);
  const { zip, counties, contradictsCounty } = found;
  const implied = address.county === null || contradictsCounty ? zip?.places[0] : undefined;
  const name = address.city ?? (implied === undefined ? null : cityName(implied));
  const read: Read =
    name === null
      ? { city: 'none', candidates: remaindersOf(table, counties), suggestion: null }
      : readCity(table, found, name);
  const [first = nothing, ...others] = read.candidates;
  const isPlace = (first.area?.place ?? '') !== '';
  const ofCity = address.city === null ? 'zip5' : 'city';
  const level = first.area === null ? 'state' : isPlace && read.city === 'taxed' ? ofCity : 'county';
  return {
    level,
    candidates: [first, ...others],
    city: address.city === null && read.city !== 'missing' ? 'none' : read.city,
    suggestion: read.suggestion,
    contradictsCounty,
  };
};
