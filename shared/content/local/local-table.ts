/** The local tables of a state, for look-ups by ZIP, county and name. Built once per state and instance. */
import { assert } from '../../assert.ts';
import { dayMs } from '../../calendar.ts';
import { getOrAdd } from '../../get-or-add.ts';
import { decimal, rescale } from '../../money/decimal.ts';
import { closest } from '../../vocabulary/closest.ts';
import { cityName } from '../location/city-name.ts';
import { type Evidence, type Published, rateDecimals } from '../release-values.ts';
import {
  findLine,
  type LocalTax,
  offsetsOf,
  type PackedArea,
  type PackedPeriod,
  type PackedRates,
  type PackedZips,
  readArea,
  readOffsets,
  readTax,
} from './packed-table.ts';
import { baseName, countyKey, hasSuffix, joinedName, nameKey, plainName, withoutSuffix } from './place-names.ts';

/** A packed period with its taxes and evidence. */
export type Period = Pick<PackedPeriod, 'from' | 'to'> & {
  /** `null` if the rate is not established. */
  readonly taxes: readonly LocalTax[] | null;
  /** The whole local rate, in units of `10^-rateDecimals`. */
  readonly units: bigint | null;
  readonly evidence: Evidence;
  /** `null` if the day of the source is not known. */
  readonly published: Published | null;
};

/**
 * A packed area with its periods, the oldest first; `taxes` and `units` are of the newest. Its offset in the table
 * identifies it.
 */
export type Area = Omit<PackedArea, 'periods'> &
  Pick<Period, 'taxes' | 'units'> & {
    readonly offset: number;
    readonly periods: readonly [Period, ...Period[]];
  };

export type ZipEntry = {
  /** Counties of this state, main first. */
  readonly counties: readonly string[];
  /** Postal places, main first, as people write them. */
  readonly places: readonly string[];
};

export type LocalTable = ReturnType<typeof localTable>;

type Reading = {
  readonly rates: PackedRates;
  readonly taxAt: (offset: number) => LocalTax;
  readonly published: ReadonlyMap<string, Published>;
};

const periodOf = ({ rates, taxAt, published }: Reading, packed: PackedPeriod): Period => {
  const taxes = packed.taxes?.map(taxAt) ?? null;
  const evidence = rates.evidence[packed.evidence] as Evidence;
  return {
    ...packed,
    taxes,
    units: taxes?.reduce((sum, { rate }) => sum + rescale(decimal(rate), rateDecimals), 0n) ?? null,
    evidence,
    published: published.get(evidence.source) ?? null,
  };
};

const areaOf = (reading: Reading, offset: number): Area => {
  const { periods, ...packed } = readArea(reading.rates.areas, offset);
  const [first, ...others] = periods;
  const read = [periodOf(reading, first), ...others.map((period) => periodOf(reading, period))] as const;
  const { taxes, units } = read.at(-1) as Period;
  return { ...packed, offset, taxes, units, periods: read };
};

const plainNamesOf = ({ place, aliases }: Area): string[] =>
  [place, ...aliases].map((name) => plainName(cityName(name) ?? ''));

/** The areas, if all of them are one place by name. */
const onePlace = (areas: readonly Area[]): readonly Area[] =>
  new Set(areas.map(({ place }) => plainName(cityName(place) ?? ''))).size === 1 ? areas : [];

/**
 * Find the areas that a city's name means, in the most literal reading that finds any: the name, an alias, the plain
 * name, the name without spaces, the name without a suffix. `related` are the areas of the whole state whose names have
 * the same key.
 */
const placesMeant = (related: readonly Area[], city: string, isMeant: (area: Area) => boolean): readonly Area[] => {
  const plain = plainName(city);
  const inCounties = related.filter(isMeant);
  for (const isRead of [
    ({ place }: Area) => cityName(place) === city,
    ({ place, aliases }: Area) => [place, ...aliases].some((name) => cityName(name) === city),
    (area: Area) => plainNamesOf(area).includes(plain),
  ]) {
    const found = inCounties.filter(isRead);
    if (found.length > 0) return found;
  }
  const joined = joinedName(plain);
  const found = onePlace(inCounties.filter((area) => plainNamesOf(area).some((name) => joinedName(name) === joined)));
  return found.length > 0 ? found : placesWithoutSuffix(related, plain).filter(isMeant);
};

// A suffix may be missing or added only where the state has no other place with the same base name, because Beecher and
// Beecher City are two places. It is never replaced by another one: Lake City is not Lake Village.
const placesWithoutSuffix = (related: readonly Area[], plain: string): readonly Area[] => {
  const found = related.filter(({ place }) => baseName(place) === withoutSuffix(plain));
  const names = new Set(found.map(({ place }) => plainName(cityName(place) ?? '')));
  const [only = ''] = names;
  return names.size === 1 && hasSuffix(only) !== hasSuffix(plain) ? found : [];
};

const entryOf = (text: string): ZipEntry => {
  const [counties = '', places = ''] = text.split('~');
  return { counties: counties.split('|'), places: places === '' ? [] : places.split('|') };
};

/** Counties by the postal names of their ZIPs, the county with most ZIPs first. */
const postalIndex = (zips: PackedZips): ReadonlyMap<string, readonly string[]> => {
  const counts = new Map<string, Map<string, number>>();
  for (const line of zips.split('\n')) {
    const { counties, places } = entryOf(line.slice(line.indexOf('~') + 1));
    for (const place of places) {
      const name = joinedName(plainName(cityName(place) ?? ''));
      const ofPlace = counts.get(name) ?? new Map<string, number>();
      for (const county of counties)
        ofPlace.set(county, (ofPlace.get(county) ?? 0) + (county === counties[0] ? 1000 : 1));
      counts.set(name, ofPlace);
    }
  }
  return new Map(
    [...counts].map(([name, ofPlace]) => [
      name,
      [...ofPlace].toSorted(([, a], [, b]) => b - a).map(([county]) => county),
    ]),
  );
};

/** Computes a value on its first use, and keeps it. */
const cached = <Key, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const values = new Map<Key, Value>();
  return (key) => getOrAdd(values, key, () => make(key));
};

const lazy = <Value>(make: () => Value): (() => Value) => {
  const only = cached((_: null) => make());
  return () => only(null);
};

/** Reads each area of a table on its first use. */
const areaReader = (rates: PackedRates): ((offset: number) => Area) => {
  const taxAt = cached((offset: number) => readTax(rates.taxes, offset));
  const published = new Map(
    rates.sources.flatMap(([key, , asOf, due]) =>
      due === '' ? [] : [[key, { asOf, due, overdueMs: Date.parse(due) + dayMs }] as const],
    ),
  );
  return cached((offset) => areaOf({ rates, taxAt, published }, offset));
};

/**
 * A state's packed tables, ready for look-ups. Areas, counties and ZIPs are read on their first use: to read all of a
 * large state would take most of the first calculation in it.
 */
export const localTable = (rates: PackedRates, zips: PackedZips) => {
  const areaAt = areaReader(rates);
  const countyByKey = lazy(
    () => new Map(Object.entries(rates.counties).map(([county, name]) => [countyKey(name), county])),
  );
  const postal = lazy(() => postalIndex(zips));
  const related = (key: string): readonly Area[] => {
    const offsets = findLine(rates.names, key);
    return offsets === undefined ? [] : readOffsets(offsets).map(areaAt);
  };
  const areas = lazy((): readonly Area[] => offsetsOf(rates.areas.split('\n')).map(areaAt));
  return {
    fips: rates.fips,
    sources: Object.fromEntries(rates.sources.map(([key, citation]) => [key, citation])),
    /** Whether any area is a place within a county. */
    hasPlaces: rates.has_places,
    /** Whether no area has a local tax, and no rate is missing. */
    isUntaxed: rates.is_untaxed,
    countyName: (county: string): string => {
      const name = rates.counties[county];
      assert(name !== undefined, `county ${county} has a name`);
      return name;
    },
    /** The county that a text names, by its name with or without `County`; `null` if the state has no such county. */
    countyNamed: (text: string): string | null =>
      countyByKey().get(countyKey(text)) ?? countyByKey().get(`${countyKey(text)}CITY`) ?? null,
    /** The name of the county that a mistyped text most likely means. */
    nearestCounty: (text: string): string | null =>
      rates.counties[countyByKey().get(closest(countyKey(text), countyByKey().keys()) ?? '') ?? ''] ?? null,
    zip: cached((zip5: string) => {
      const text = findLine(zips, zip5);
      return text === undefined ? undefined : entryOf(text);
    }),
    /** The remainder of a county, or its only place; `null` if it has no established rate. */
    remainder: (county: string): Area | null => {
      const offset = rates.remainders[county];
      const area = offset === undefined ? null : areaAt(offset);
      return area?.taxes ? area : null;
    },
    /** Areas with a city's name, in these counties or in all (`null`), by the most literal match. */
    placesNamed: (city: string, counties: readonly string[] | null): readonly Area[] =>
      placesMeant(
        related(nameKey(city)),
        city,
        ({ county }) => counties === null || county === '' || counties.includes(county),
      ),
    /** Counties where the postal service uses a city's name, the one with most ZIPs first. */
    postalCounties: (city: string): readonly string[] => postal().get(joinedName(plainName(city))) ?? [],
    /** Every area of the state. */
    areas,
    /** The state's places by their plain names, for suggestions. */
    placeNames: lazy((): ReadonlyMap<string, string> => {
      return new Map(areas().map(({ place }) => [plainName(cityName(place) ?? ''), place]));
    }),
  };
};
