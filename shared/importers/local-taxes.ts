import { assert } from '../base/assert.ts';
import { dayBefore } from '../base/calendar.ts';
import { getOrAdd } from '../base/collections.ts';
import { earlierEnd } from '../catalog/days.ts';
import { cityName } from '../catalog/local/place-names.ts';
import { stateRateOn } from '../catalog/rates.ts';
import type { Release } from '../catalog/release.ts';
import { formatFraction, type Jurisdiction, parseUnits } from '../catalog/release-values.ts';
import { type Entry, type LocationFlags, secondRate } from './entry.ts';
import { bad, type RowResult, row, whenRead } from './files/columns.ts';
import { assertFits, limits } from './limits.ts';
import type { OwnCodes, OwnPlace, PlaceOrPart } from './own-codes.ts';
import type { TableOptions } from './state-table.ts';

/** Local taxes that a file lists separately, and the cities where several of them add up. */

type Days = { readonly from: string; readonly to: string | null };
/** A local rate from a day on, until `to` at the latest. */
export type LocalRate = Days & { readonly rate: string };

/** A city by its names, as `cityName` writes them, and the codes of its local taxes. */
type City = { readonly names: readonly string[]; readonly codes: readonly string[]; readonly flags?: LocationFlags };

type Component = { readonly jurisdiction: Jurisdiction; readonly rates: (LocalRate & { readonly line: number })[] };

const common = (a: Days, b: Days): Days => ({ from: a.from > b.from ? a.from : b.from, to: earlierEnd(a.to, b.to) });

const isSpan = ({ from, to }: Days): boolean => to === null || from <= to;

/** Collects the local taxes and cities of a file until it ends, a few thousand per state. */
export class Components {
  private readonly components = new Map<string, Component>();
  private readonly cities: City[] = [];

  /** Adds a rate of a jurisdiction. Returns an entry if an earlier row has a rate for some of the same days. */
  add(jurisdiction: Jurisdiction, rate: LocalRate, line: number): readonly Entry[] {
    const component = this.components.get(jurisdiction.code) ?? { jurisdiction, rates: [] };
    const other = component.rates.find((one) => isSpan(common(one, rate)));
    if (other) return [secondRate(line, other.rate === rate.rate, jurisdiction.name, other)];
    assertFits(component.rates.length, limits.ratesOfJurisdiction, `rates of ${jurisdiction.name}`);
    assertFits(this.components.size, limits.jurisdictions, 'jurisdictions');
    component.rates.push({ ...rate, line });
    this.components.set(jurisdiction.code, component);
    return [];
  }

  /**
   * Adds the only rate of a jurisdiction, which several rows repeat. Returns an entry if it contradicts an earlier row.
   */
  repeat(jurisdiction: Jurisdiction, rate: LocalRate, line: number): readonly Entry[] {
    const [other] = this.components.get(jurisdiction.code)?.rates ?? [];
    if (!other) return this.add(jurisdiction, rate, line);
    const isSame = other.rate === rate.rate && other.from === rate.from;
    return isSame ? [] : [secondRate(line, false, jurisdiction.name, other)];
  }

  has(code: string): boolean {
    return this.components.has(code);
  }

  /** Adds a city with the taxes of these codes. `entries` yields it for the days on which every tax has a rate. */
  addCity(city: City): void {
    assert(new Set(city.codes).size === city.codes.length, `${city.names[0]} has each tax once`);
    assertFits(this.cities.push(city), limits.heldRows, 'rows of cities');
  }

  get jurisdictions(): readonly Jurisdiction[] {
    return [...this.components.values()].map(({ jurisdiction }) => jurisdiction);
  }

  /** Yields the jurisdictions, their rates, and the cities. */
  *entries(): Generator<Entry> {
    for (const { jurisdiction, rates } of this.components.values()) {
      yield { kind: 'jurisdiction', jurisdiction };
      for (const { line: _, ...rate } of rates)
        yield { kind: 'rate', rate: { jurisdiction: jurisdiction.code, ...rate } };
    }
    for (const { names, codes, flags = {} } of this.cities)
      for (const city of names) for (const span of this.spans(codes)) yield { kind: 'city', city, ...span, flags };
  }

  /** Returns the days on which every tax has a rate, with the taxes above zero. */
  private spans(codes: readonly string[]) {
    let spans: readonly (Days & { readonly locals: readonly string[] })[] = [
      { from: '0000-01-01', to: null, locals: [] },
    ];
    for (const code of codes) {
      const rates = this.components.get(code)?.rates ?? [];
      spans = spans.flatMap(({ locals, ...days }) =>
        rates.map((rate) => ({ ...common(days, rate), locals: rate.rate === '0' ? locals : [...locals, code] })),
      );
    }
    return spans.filter(isSpan);
  }
}

/** Cities whose file combines their rate with the state's: the rest becomes one local tax of the city. */

export type CombinedReading = {
  /** The name as `cityName` writes it. */
  readonly city: string;
  /** The name in its usual spelling. */
  readonly name: string;
  /** Distinguishes places of the same name: a county, or the state's code. */
  readonly key: string;
  /** `isShared`: several places share the city's name. */
  readonly tax: Jurisdiction | ((isShared: boolean) => Jurisdiction);
  /** Other spellings of the name, as `cityName` writes them. */
  readonly alsoCalled?: readonly string[];
  /** Whether the rates apply only to some addresses of the city. */
  readonly ofAddresses?: boolean;
  /** The county whose districts without a city may overlap the city. */
  readonly county?: string;
  readonly change: LocalRate;
};

/** A place or district with a separate code and rate. */
export type CodedLocation = {
  readonly name: string;
  readonly county: string;
  readonly code: string;
  /** Empty for a district whose name contains no place. */
  readonly places: readonly PlaceOrPart[];
  readonly change: LocalRate;
};

/**
 * Returns the part of a combined rate above the state's rate in the base release, and the last day of that state rate.
 */
export const localPart = (
  base: Release,
  combined: string,
  from: string,
): RowResult<{ readonly rate: string; readonly to: string | null }> => {
  // A rate that began before the base release is still in force on its first day.
  const day = from < base.established_from ? base.established_from : from;
  const known = stateRateOn(base, day);
  const rest = parseUnits(combined) - parseUnits(known?.rate ?? '1');
  if (known !== undefined && rest >= 0n) return row({ rate: formatFraction(rest), to: known.to });
  return bad(
    `the combined rate is ${combined}, but the state's rate in the release is ${known?.rate ?? 'unknown'} on ${day}`,
  );
};

/** Returns the reading of a coded place whose rate contains the state's rate. */
export const combinedReading = (
  place: OwnPlace,
  code: string,
  rate: string,
  { base, codes, from }: TableOptions,
): RowResult<CombinedReading> =>
  whenRead(localPart(base, rate, from), (local) => {
    const tax = { ...codes.combinedTax(place), reporting_code: code };
    return row({ city: cityName(place.name) ?? '', name: place.name, key: code, tax, change: { from, ...local } });
  });

type RatedCity = Omit<CombinedReading, 'change'> & { readonly changes: (LocalRate & { readonly line: number })[] };
type TaxedCity = { readonly rated: RatedCity; readonly tax: Jurisdiction };
type District = {
  readonly county: string;
  readonly tax: Jurisdiction;
  readonly change: LocalRate;
  readonly line: number;
};

/** Returns the changes sorted by day; each ends before the next. */
const listChanges = ({ changes }: RatedCity): readonly LocalRate[] => {
  const sorted = changes.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return sorted.map(({ from, to, rate }, index) => {
    const next = sorted[index + 1];
    return { from, to: earlierEnd(next ? dayBefore(next.from) : null, to), rate };
  });
};

const haveSameRates = (a: RatedCity, b: RatedCity): boolean =>
  JSON.stringify(listChanges(a)) === JSON.stringify(listChanges(b));

const getLine = ({ changes }: RatedCity): number => changes[0]?.line ?? 0;

const ofAddresses = { of_addresses: true } as const;

function* listRateEntries(tax: Jurisdiction, changes: readonly LocalRate[]): Generator<Entry> {
  yield { kind: 'jurisdiction', jurisdiction: tax };
  for (const change of changes) yield { kind: 'rate', rate: { jurisdiction: tax.code, ...change } };
}

/** Yields a city, under all its names, with a tax. */
function* listCityEntries(
  rated: RatedCity,
  { code }: Jurisdiction,
  { from, to, rate }: LocalRate,
  isPart: boolean,
): Generator<Entry> {
  const locals = rate === '0' ? [] : [code];
  for (const city of [rated.city, ...(rated.alsoCalled ?? [])])
    yield { kind: 'city', city, from, to, locals, ...(isPart && { flags: ofAddresses }) };
}

/** Collects the rates of cities in any order, in memory until the file ends: a few thousand per state. */
export class CombinedCities {
  private readonly cities = new Map<string, RatedCity[]>();
  private readonly districts: District[] = [];

  *add({ change, ...place }: CombinedReading, line: number): Generator<Entry> {
    const { city, name, key } = place;
    const sameName: RatedCity[] = getOrAdd(this.cities, city, () => []);
    const rated = sameName.find((one) => one.key === key) ?? { ...place, changes: [] };
    if (rated.changes.length === 0) sameName.push(rated);
    assertFits(sameName.length, limits.rowsOfCity, `rows of ${city}`);
    assertFits(this.cities.size, limits.cities, 'cities');
    const other = rated.changes.find(({ from }) => from === change.from);
    if (other) yield secondRate(line, other.rate === change.rate, name, other);
    else rated.changes.push({ ...change, line });
    assertFits(rated.changes.length, limits.ratesOfJurisdiction, `rates of ${name}`);
  }

  /** Adds a district. It could overlap any city in its county, so a city with a different rate becomes ambiguous. */
  addDistrict(district: District): void {
    assertFits(this.districts.push(district), limits.jurisdictions, 'districts');
  }

  *entries(): Generator<Entry> {
    const taxed = [...this.cities.values()].flatMap((sameName) =>
      sameName.map((rated): TaxedCity => {
        const { tax } = rated;
        return { rated, tax: typeof tax === 'function' ? tax(sameName.length > 1) : tax };
      }),
    );
    const same = new Set(taxed.filter(({ rated }) => this.isLikeItsCity(rated)));
    for (const { rated } of same)
      yield { kind: 'skipped', line: getLine(rated), reason: 'is a part of a city with the same rate' };
    const taxes = taxed.filter((one) => !same.has(one));
    for (const sameTax of Map.groupBy(taxes, ({ tax }) => tax.code).values()) yield* this.listEntries(sameTax);
    yield* this.districtEntries();
  }

  private isLikeItsCity(part: RatedCity): boolean {
    const { city, county, ofAddresses: isPart } = part;
    if (!isPart || county === undefined) return false;
    const cities = (this.cities.get(city) ?? []).filter((rated) => !rated.ofAddresses && rated.county === county);
    return cities.length > 0 && cities.every((rated) => haveSameRates(rated, part));
  }

  /** Yields the entries of rows that share one tax. If they differ, no rate of the city is certain. */
  private *listEntries(sameTax: readonly TaxedCity[]): Generator<Entry> {
    const [{ rated: first, tax }, ...others] = sameTax as readonly [TaxedCity, ...TaxedCity[]];
    const differing = others.filter(({ rated }) => !haveSameRates(rated, first));
    for (const { rated } of differing) {
      const reason = `has a different rate for ${rated.name} than line ${getLine(first)}, so neither applies: correct one of them`;
      yield { kind: 'bad', line: getLine(rated), reason };
    }
    if (differing.length === 0) yield* listRateEntries(tax, listChanges(first));
    for (const { rated } of sameTax)
      for (const change of listChanges(rated))
        if (differing.length === 0) yield* listCityEntries(rated, tax, change, rated.ofAddresses ?? false);
        else yield* listCityEntries(rated, tax, { ...change, rate: '0' }, true);
  }

  private *districtEntries(): Generator<Entry> {
    const cities = Map.groupBy(
      [...this.cities.values()].flat().filter((rated) => !rated.ofAddresses),
      ({ county }) => county,
    );
    for (const { county, tax, change, line } of this.districts) {
      const others = (cities.get(county) ?? []).filter((rated) =>
        rated.changes.some(({ rate }) => rate !== change.rate),
      );
      if (others.length === 0) {
        yield { kind: 'skipped', line, reason: 'is a district that does not change the rate of any city' };
        continue;
      }
      yield {
        kind: 'remark',
        line,
        reason: 'is a district without a city: city rates in its county depend on the address',
      };
      yield* listRateEntries(tax, [change]);
      for (const rated of others) yield* listCityEntries(rated, tax, change, true);
    }
  }
}

/** Collects coded locations. A part of a place has a separate tax, which makes the place ambiguous. */
export class CodedLocations {
  private readonly cities = new CombinedCities();
  private readonly codes: OwnCodes;

  constructor(codes: OwnCodes) {
    this.codes = codes;
  }

  *add({ name, county, code, places, change }: CodedLocation, line: number): Generator<Entry> {
    const buildTax = (place: OwnPlace) => ({ ...this.codes.combinedTax(place), reporting_code: code });
    if (places.length === 0) this.cities.addDistrict({ county, tax: buildTax({ county, code, name }), change, line });
    for (const { place, isPart } of places) {
      const ofPlace = buildTax(place);
      const tax = isPart ? { ...ofPlace, code: `${ofPlace.code}-${code}` } : ofPlace;
      const city = { city: cityName(place.name) ?? '', name: place.name, county, ofAddresses: isPart };
      yield* this.cities.add({ ...city, key: `${tax.code} ${code}`, tax, change }, line);
    }
  }

  entries(): Iterable<Entry> {
    return this.cities.entries();
  }
}
