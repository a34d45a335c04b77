/** The local tables of a state, indexed for look-ups by ZIP, county and name. Built once per state and instance. */
import { assert } from '../../assert.ts';
import { decimal, rescale } from '../../money/decimal.ts';
import { cityName } from '../location/city-name.ts';
import { type Evidence, rateDecimals } from '../release.ts';
import type { PackedArea, PackedRates, PackedTax, PackedZips } from './packed-table.ts';
import { countyKey, hasSuffix, plainName, withoutSuffix } from './place-names.ts';

/** One taxed area: a county's remainder, or a place within a county. */
export type Area = {
  /** Its position in the table. */
  readonly index: number;
  /** Three digits; `''` of a place whose county is not known, which has no rate either. */
  readonly county: string;
  /** As people write it; `''` of a county's remainder. */
  readonly place: string;
  /** Indexes of its taxes in the table; `null` where the rate is not established. */
  readonly taxes: readonly number[] | null;
  /** The whole local rate, in units of `10^-rateDecimals`. */
  readonly units: bigint | null;
  readonly from: string | null;
  readonly evidence: Evidence;
};

export type ZipEntry = {
  /** Counties of this state, main first. */
  readonly counties: readonly string[];
  /** Postal places, main first, as people write them. */
  readonly places: readonly string[];
};

export type LocalTable = {
  readonly fips: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly taxes: readonly PackedTax[];
  readonly areas: readonly Area[];
  /** Whether any area is a place within a county. */
  readonly hasPlaces: boolean;
  /** Whether no area has a local tax, and no rate is missing. */
  readonly isUntaxed: boolean;
  readonly countyName: (county: string) => string;
  /** The county that a text names, by its name with or without `County`; `null` if it is none of the state. */
  readonly countyNamed: (text: string) => string | null;
  readonly zip: (zip5: string) => ZipEntry | undefined;
  /** The remainder of a county, or its only place; `null` where neither has an established rate. */
  readonly remainder: (county: string) => Area | null;
  /** Areas of a city's name, in these counties or in all; the most literal reading that there is. */
  readonly placesNamed: (city: string, counties: readonly string[] | null) => readonly Area[];
  /** Counties where the postal service uses a city's name, the one with most ZIPs first. */
  readonly postalCounties: (city: string) => readonly string[];
  /** The state's places by their normalized names, for hints. */
  readonly placeNames: () => ReadonlyMap<string, string>;
};

const areaOf = (
  packed: PackedArea,
  index: number,
  taxUnits: readonly bigint[],
  sources: PackedRates['sources'],
): Area => {
  const [county, place, , taxes, from, source, confidence, note] = packed;
  return {
    index,
    county,
    place,
    taxes,
    units: taxes?.reduce((sum, tax) => sum + (taxUnits[tax] as bigint), 0n) ?? null,
    from,
    evidence: { source: sources[source]?.[0] ?? '', confidence, ...(note === '' ? {} : { note }) },
  };
};

const push = <Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void => {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
};

/** Areas by each way to read a name, from the most literal one to the one that drops a suffix. */
class PlaceIndex {
  private readonly exact = new Map<string, Area[]>();
  private readonly aliases = new Map<string, Area[]>();
  private readonly plain = new Map<string, Area[]>();
  private readonly bases = new Map<string, Area[]>();

  constructor(areas: readonly Area[], aliasesOf: (area: Area) => readonly string[]) {
    for (const area of areas) {
      if (area.place === '') continue;
      const name = cityName(area.place) ?? '';
      push(this.exact, name, area);
      const plain = plainName(name);
      push(this.plain, plain, area);
      push(this.bases, withoutSuffix(plain), area);
      for (const alias of aliasesOf(area)) {
        const other = cityName(alias) ?? '';
        push(this.aliases, other, area);
        if (plainName(other) !== plain) push(this.plain, plainName(other), area);
      }
    }
  }

  find(city: string, isMeant: (area: Area) => boolean): readonly Area[] {
    const plain = plainName(city);
    for (const [index, name] of [
      [this.exact, city],
      [this.aliases, city],
      [this.plain, plain],
    ] as const) {
      const found = index.get(name)?.filter(isMeant) ?? [];
      if (found.length > 0) return found;
    }
    return this.withoutSuffix(plain).filter(isMeant);
  }

  // Beecher is not Beecher City, and Lake City is not Lake Village: one name in the whole state, and one suffix of two.
  private withoutSuffix(plain: string): readonly Area[] {
    const found = this.bases.get(withoutSuffix(plain)) ?? [];
    const names = new Set(found.map(({ place }) => plainName(cityName(place) ?? '')));
    const [only = ''] = names;
    return names.size === 1 && hasSuffix(only) !== hasSuffix(plain) ? found : [];
  }
}

const entryOf = (text: string): ZipEntry => {
  const [counties = '', places = ''] = text.split('~');
  return { counties: counties.split('|'), places: places === '' ? [] : places.split('|') };
};

/** How many of a state's ZIPs each county has under a city's postal name, most first. */
const postalIndex = (zips: PackedZips): ReadonlyMap<string, readonly string[]> => {
  const counts = new Map<string, Map<string, number>>();
  for (const text of Object.values(zips)) {
    const { counties, places } = entryOf(text);
    for (const place of places) {
      const name = plainName(cityName(place) ?? '');
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

const lazy = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Index a state's packed tables. */
export const localTable = (rates: PackedRates, zips: PackedZips): LocalTable => {
  const taxUnits = rates.taxes.map(([, , , , rate]) => rescale(decimal(rate), rateDecimals));
  const areas = rates.areas.map((packed, index) => areaOf(packed, index, taxUnits, rates.sources));
  const places = new PlaceIndex(areas, ({ index }) => rates.areas[index]?.[2] ?? []);
  const byCounty = Map.groupBy(areas, ({ county }) => county);
  const countyByKey = lazy(
    () => new Map(Object.entries(rates.counties).map(([county, name]) => [countyKey(name), county])),
  );
  const postal = lazy(() => postalIndex(zips));
  const entries = new Map<string, ZipEntry>();
  const zip = (zip5: string): ZipEntry | undefined => {
    const known = entries.get(zip5);
    const text = known ? undefined : zips[zip5];
    if (text === undefined) return known;
    const entry = entryOf(text);
    entries.set(zip5, entry);
    return entry;
  };
  const remainder = (county: string): Area | null => {
    const ofCounty = byCounty.get(county) ?? [];
    const own = ofCounty.find(({ place }) => place === '');
    if (own) return own.taxes === null ? null : own;
    const [only, ...others] = ofCounty;
    return only && others.length === 0 && only.taxes !== null ? only : null;
  };
  return {
    fips: rates.fips,
    sources: Object.fromEntries(rates.sources),
    taxes: rates.taxes,
    areas,
    hasPlaces: areas.some(({ place }) => place !== ''),
    isUntaxed: areas.every(({ units }) => units === 0n),
    countyName: (county) => {
      const name = rates.counties[county];
      assert(name !== undefined, `county ${county} has a name`);
      return name;
    },
    countyNamed: (text) => countyByKey().get(countyKey(text)) ?? countyByKey().get(`${countyKey(text)} CITY`) ?? null,
    zip,
    remainder,
    placesNamed: (city, counties) =>
      places.find(city, ({ county }) => counties === null || county === '' || counties.includes(county)),
    postalCounties: (city) => postal().get(plainName(city)) ?? [],
    placeNames: lazy(() => new Map(areas.map(({ place }) => [cityName(place) ?? '', place]))),
  };
};
