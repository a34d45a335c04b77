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

import { closest } from '../../vocabulary/closest.ts';
import type { TaxAddress } from '../location/address.ts';
import { cityName } from '../location/city-name.ts';
import type { ByPlace } from '../location/local-choice.ts';
import {
  among,
  areasNamed,
  areasOfCounty,
  areasOfZip,
  areasSpelled,
  byResidents,
  type Candidate,
  distinct,
  remainderCandidate,
  unlikely,
} from './candidates.ts';
import type { LocalTable, ZipEntry } from './local-table.ts';
import { placeKey, plainName } from './place-names.ts';

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
export const nearestName = (table: LocalTable, zip: ZipEntry | undefined, city: string): string | null => {
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
