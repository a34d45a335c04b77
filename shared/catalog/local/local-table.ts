import { assert } from '../../base/assert.ts';
import { getOrAdd, lazy } from '../../base/collections.ts';
import { readText } from '../../packed/unpack.ts';
import { closest } from '../../vocabulary/closest.ts';
import { stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import type { Release } from '../release.ts';
import { type Evidence, type Published, parseUnits } from '../release-values.ts';
import {
  findLine,
  type LocalTax,
  listOffsets,
  type PackedArea,
  type PackedPeriod,
  type PackedRates,
  type PackedZips,
  readArea,
  readOffsets,
  readRates,
  readTax,
} from './packed-table.ts';
import {
  cityName,
  countyKey,
  hasSuffix,
  joinedName,
  nameKey,
  placeKey,
  plainName,
  withoutSuffix,
} from './place-names.ts';

// The local tables of a state, for look-ups by ZIP, county and name. Built once per state and instance.

/** A packed period with its taxes and evidence. */
export type Period = Pick<PackedPeriod, 'from' | 'to'> & {
  /** `null` if the rate is not established. */
  readonly taxes: readonly LocalTax[] | null;
  /** The combined local rate, in units of `10^-rateDecimals`. */
  readonly units: bigint | null;
  readonly evidence: Evidence;
  /** `null` if the source's date is unknown. */
  readonly published: Published | null;
};

/** A name that the postal service uses in a ZIP, with the percentage of residents within the limits of its place. */
export type ZipName = {
  /** The usual spelling first, then other spellings. */
  readonly spellings: readonly string[];
  /** `null`: see `ZipRow`. */
  readonly share: number | null;
};

/**
 * A packed area with its periods, oldest first. `taxes` and `units` come from the newest period. Its offset in the
 * table identifies it.
 */
export type Area = Omit<PackedArea, 'periods'> &
  Pick<Period, 'taxes' | 'units'> & {
    readonly offset: number;
    readonly periods: readonly [Period, ...Period[]];
    /** The place and its aliases, normalized by `cityName` and by `plainName`. */
    readonly names: readonly string[];
    readonly plainNames: readonly string[];
  };

export type ZipEntry = {
  readonly residents: number;
  /**
   * Counties of this state with their percentages of the residents, main county first. `0`: no residents in that
   * county.
   */
  readonly counties: readonly (readonly [county: string, percent: number])[];
  /** The preferred name first. */
  readonly names: readonly ZipName[];
};

export type LocalTable = ReturnType<typeof localTable>;

type Reading = {
  readonly rates: PackedRates;
  readonly taxAt: (offset: number) => LocalTax;
  readonly published: ReadonlyMap<string, Published>;
};

const readPeriod = ({ rates, taxAt, published }: Reading, packed: PackedPeriod): Period => {
  const taxes = packed.taxes?.map(taxAt) ?? null;
  const evidence = rates.evidence[packed.evidence] as Evidence;
  return {
    from: packed.from,
    to: packed.to,
    taxes,
    units: taxes?.reduce((sum, { rate }) => sum + parseUnits(rate), 0n) ?? null,
    evidence,
    published: published.get(evidence.source) ?? null,
  };
};

const parseArea = (reading: Reading, offset: number): Area => {
  const { county, place, aliases, periods: packed } = readArea(reading.rates.areas, offset);
  const [first, ...others] = packed;
  const periods = [readPeriod(reading, first), ...others.map((period) => readPeriod(reading, period))] as const;
  const { taxes, units } = periods.at(-1) as Period;
  const names = [place, ...aliases].map((name) => cityName(name) ?? '');
  // A spread of the packed area would take twice the memory.
  return { county, place, aliases, offset, taxes, units, periods, names, plainNames: names.map(plainName) };
};

/** Returns the areas if they all have the same name, otherwise none. */
const onePlace = (areas: readonly Area[]): readonly Area[] =>
  new Set(areas.map(({ plainNames: [plain] }) => plain)).size === 1 ? areas : [];

/**
 * Finds the areas that a city's name refers to, by the first kind of match that finds any: the name, an alias, the
 * plain name, the name without spaces, the name without a suffix. `related` contains the state's areas whose names have
 * the same key.
 */
const placesMeant = (
  related: readonly Area[],
  city: string,
  plain: string,
  isMeant: (area: Area) => boolean,
  zipsNamed: (name: string) => readonly string[],
): readonly Area[] => {
  if (related.length === 0) return related;
  const inCounties = related.filter(isMeant);
  for (const isRead of [
    ({ names }: Area) => names[0] === city,
    ({ names }: Area) => names.includes(city),
    ({ plainNames }: Area) => plainNames.includes(plain),
  ]) {
    const found = inCounties.filter(isRead);
    if (found.length > 0) return found;
  }
  const joined = joinedName(plain);
  const found = onePlace(inCounties.filter(({ plainNames }) => plainNames.some((name) => joinedName(name) === joined)));
  if (found.length > 0) return found;
  const own = zipsNamed(city);
  return placesWithoutSuffix(related, plain).filter(
    (area) => isMeant(area) && (own.length === 0 || zipsNamed(area.place).every((zip5) => own.includes(zip5))),
  );
};

// A suffix may be missing or added only if no other place in the state has the same base name: Beecher and Beecher City
// are two places. A suffix is never replaced by a different one: Lake City is not Lake Village. Two postal names are two
// places if the place's name has a ZIP without the other name: Hot Springs Village is not in Hot Springs.
const placesWithoutSuffix = (related: readonly Area[], plain: string): readonly Area[] => {
  const found = related.filter(({ plainNames: [name = ''] }) => withoutSuffix(name) === withoutSuffix(plain));
  const names = new Set(found.map(({ plainNames: [name] }) => name));
  const [only = ''] = names;
  return names.size === 1 && hasSuffix(only) !== hasSuffix(plain) ? found : [];
};

const readName = (text: string): ZipName => {
  const [names = '', share] = text.split(':');
  return { spellings: names.split('='), share: share === undefined ? null : Number(share) };
};

const readEntry = (text: string): ZipEntry => {
  const [residents, countyText = '', names = ''] = text.split('~');
  const counties = countyText.split('|').map((county) => county.split(':'));
  return {
    residents: Number(residents),
    counties: counties.map(([county = '', percent = 100 / counties.length]) => [county, Number(percent)]),
    names: names === '' ? [] : names.split('|').map(readName),
  };
};

/**
 * Lists the ZIPs of each name as sorted lines (`MINNEAPOLIS~55401 55402`). One string saves memory: a state has
 * thousands of names.
 */
const zipsByName = (zips: PackedZips): string => {
  const found = new Map<string, string[]>();
  for (const line of zips.split('\n')) {
    const [zip5 = '', , , names = ''] = line.split('~');
    for (const { spellings } of names.split('|').map(readName))
      for (const spelling of spellings) getOrAdd(found, placeKey(spelling), () => []).push(zip5);
  }
  const lines = [...found].map(([key, ofKey]) => `${key}~${ofKey.join(' ')}`);
  return lines.sort().join('\n');
};

/** Caches a value on first use. */
const cached = <Key, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const values = new Map<Key, Value>();
  return (key) => getOrAdd(values, key, () => make(key));
};

/** Returns a look-up of the ZIPs for which the postal service uses a name. */
const zipFinder = (zips: PackedZips) => {
  const byName = lazy(() => zipsByName(zips));
  return (city: string): readonly string[] => findLine(byName(), placeKey(city))?.split(' ') ?? [];
};

/** Parses each area of a table on first use. */
const areaReader = (rates: PackedRates): ((offset: number) => Area) => {
  const taxAt = cached((offset: number) => readTax(rates.taxes, offset));
  const published = new Map(
    rates.sources.flatMap(([key, , as_of, due]) => (due === '' ? [] : [[key, { as_of, due }] as const])),
  );
  return cached((offset) => parseArea({ rates, taxAt, published }, offset));
};

/**
 * Prepares a state's packed tables for look-ups. Areas, counties and ZIPs are parsed on first use, because parsing all
 * of a large state would dominate the first calculation.
 */
export const localTable = (rates: PackedRates, zips: PackedZips) => {
  const areaAt = areaReader(rates);
  const countyByKey = lazy(
    () => new Map(Object.entries(rates.counties).map(([county, name]) => [countyKey(name), county])),
  );
  const zipsNamed = zipFinder(zips);
  const areas = lazy((): readonly Area[] => listOffsets(rates.areas.split('\n')).map(areaAt));
  const related = (key: string): readonly Area[] => {
    const offsets = findLine(rates.names, key);
    return offsets === undefined ? [] : readOffsets(offsets).map(areaAt);
  };
  return {
    fips: rates.fips,
    sources: Object.fromEntries(rates.sources.map(([key, citation]) => [key, citation])),
    /** True if no area has a local tax and every rate is established. */
    isUntaxed: rates.is_untaxed,
    countyName: (county: string): string => {
      const name = rates.counties[county];
      assert(name !== undefined, `county ${county} has no name`);
      return name;
    },
    /**
     * Finds a county by name, with or without `County`; `null` if the state has no such county. `City of St. Louis` is
     * the independent city, and `St. Louis` is the county.
     */
    countyNamed: (text: string): string | null => {
      const keys = [countyKey(text), `${countyKey(text)}CITY`];
      if (/\bcity of\b/i.test(text)) keys.reverse();
      return keys.map((key) => countyByKey().get(key)).find(Boolean) ?? null;
    },
    /** Suggests the county name that a mistyped name most likely means. */
    nearestCounty: (text: string): string | null =>
      rates.counties[countyByKey().get(closest(countyKey(text), countyByKey().keys()) ?? '') ?? ''] ?? null,
    zip: (zip5: string): ZipEntry | undefined => {
      const text = findLine(zips, zip5);
      return text === undefined ? undefined : readEntry(text);
    },
    /** Returns the remainder of a county, or its only place; `null` if its rate is not established. */
    remainder: (county: string): Area | null => {
      const offset = rates.remainders[county];
      const area = offset === undefined ? null : areaAt(offset);
      return area?.taxes ? area : null;
    },
    /**
     * Returns the areas with a city's name in these counties or in the whole state (`null`), by the rules of
     * `placesMeant`.
     */
    placesNamed: (city: string, counties: readonly string[] | null): readonly Area[] => {
      const plain = plainName(city);
      const isMeant = ({ county }: Area) => counties === null || county === '' || counties.includes(county);
      return placesMeant(related(nameKey(plain)), city, plain, isMeant, zipsNamed);
    },
    zipCodes: (): readonly string[] => zips.split('\n').map((line) => line.slice(0, line.indexOf('~'))),
    /** Returns the ZIPs for which the postal service uses this name. */
    zipsNamed,
    /** All areas of the state. */
    areas,
    /** Returns the areas of a county, and places whose county is unknown (their rates are not established). */
    areasIn: cached((county: string) => areas().filter((area) => area.county === county || area.county === '')),
    /** The state's places by plain name, for suggestions. */
    placeNames: lazy((): ReadonlyMap<string, string> => {
      const named = areas().filter(({ place }) => place !== '');
      return new Map(named.map(({ place, plainNames: [plain = ''] }) => [plain, place]));
    }),
  };
};

const tables = new Map<string, LocalTable>();

type OfState = Pick<Release, 'state'>;

const listRates = ({ state }: OfState) => readRates(readText(`rates-${stateOfJurisdiction(state)}`));

/** Returns the local tables of a release's state, loaded on first use and cached. */
export const loadLocalTable = (release: OfState): LocalTable => {
  const { state } = release;
  return getOrAdd(tables, state, () => localTable(listRates(release), readText(`zips-${stateOfJurisdiction(state)}`)));
};

/** Returns the codes of all jurisdictions in the local tables of a release's state. */
export const codesInTable = (release: OfState): ReadonlySet<string> => {
  const { taxes } = listRates(release);
  return new Set(listOffsets(taxes.split('\n')).map((offset) => readTax(taxes, offset).code));
};

/** Returns whether an address that no location of a release contains has no local tax. */
export const isRestUntaxed = (release: Release): boolean =>
  release.coverage === 'complete' && (release.local === undefined || loadLocalTable(release).isUntaxed);
