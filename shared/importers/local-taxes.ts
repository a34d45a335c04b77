import { assert } from '../base/assert.ts';
import { dayBefore, earlierEnd } from '../base/calendar.ts';
import { getOrAdd } from '../base/collections.ts';
import { combinedSuffix } from '../catalog/local/packed-table.ts';
import { stateRateOn } from '../catalog/rates.ts';
import type { Release } from '../catalog/release.ts';
import { formatFraction, type Jurisdiction, parseUnits } from '../catalog/release-values.ts';
import { bad, type RowResult, row, whenRead } from './files/columns.ts';
import { type City, type Entry, listFirst, secondRate } from './importer.ts';
import { assertFits, limits } from './limits.ts';
import { listNames, type OwnCodes, type OwnPlace, type PlaceOrPart } from './own-codes.ts';

type Days = { readonly from: string; readonly to: string | null };
/** A local rate on the days in the file. The next rate of the tax ends an open rate. */
export type LocalRate = Days & {
  readonly rate: string;
  /** The last day of the state rate that is included in the rate in the file. */
  readonly until?: string | null;
  /** Whether the file has one rate for the tax, so that no later row can end it. */
  readonly isOnly?: true;
};

type PlaceTax = {
  readonly tax: Jurisdiction;
  /** Empty if the rates are in other rows. */
  readonly rates: readonly LocalRate[];
  /** Appended to the code if other rows have different rates for it. */
  readonly distinction?: string;
  /** The name of a tax that is missing from Levy's tables, so that its code is derived from the file. */
  readonly unmatched?: string | undefined;
};

/** A place and all of its local taxes, from one row of a file. */
export type TaxedPlace = {
  /** The names in the form of `cityName`. Empty for a county or district. */
  readonly names: readonly string[];
  readonly taxes: readonly PlaceTax[];
  /** Whether the taxes apply only to some addresses of the place. */
  readonly isPart?: boolean;
  /** The county of a district without a city, or of a place that such a district could overlap. */
  readonly county?: string;
  /** The row's code in the file, if the code must be unique. */
  readonly id?: string;
  /** The first day on which the rates are in a different file, because they depend on the address. */
  readonly open?: { readonly from: string; readonly remark: string } | undefined;
};

/** Returns the part of a combined rate above the state's rate in the base release, until that rate ends. */
export const localPart = (base: Release, combined: string, from: string): RowResult<LocalRate> => {
  // A rate that began before the base release is still in force on its first day.
  const day = from < base.established_from ? base.established_from : from;
  const known = stateRateOn(base, day);
  const rest = parseUnits(combined) - parseUnits(known?.rate ?? '1');
  if (known !== undefined && rest >= 0n) return row({ rate: formatFraction(rest), from, to: null, until: known.to });
  return bad(
    `the combined rate is ${combined}, but the state's rate in the release is ${known?.rate ?? 'unknown'} on ${day}`,
  );
};

/** Returns a coded place whose rate includes the state's. */
export const combinedPlace = (
  place: OwnPlace,
  code: string,
  rate: string,
  { base, codes, from }: { readonly base: Release; readonly codes: OwnCodes; readonly from: string },
): RowResult<readonly TaxedPlace[]> =>
  whenRead(localPart(base, rate, from), (local) => {
    const tax = { ...codes.combinedTax(place), reporting_code: code };
    return row([{ names: listNames(place.name), taxes: [{ tax, rates: [local] }] }]);
  });

/**
 * Returns the places of a code with a separate rate: whole places, or parts of the places in a district's name. If a
 * name contains no place, it is a district without a city.
 */
export const codedPlaces = (
  codes: OwnCodes,
  { name, county, code }: Readonly<Record<'name' | 'county' | 'code', string>>,
  places: readonly PlaceOrPart[],
  rate: LocalRate,
): readonly TaxedPlace[] => {
  const getTax = (place: OwnPlace) => ({ tax: { ...codes.combinedTax(place), reporting_code: code }, rates: [rate] });
  if (places.length === 0) return [{ names: [], county, taxes: [getTax({ county, code, name })] }];
  return places.map(({ place, isPart }) => {
    const tax = { ...getTax(place), ...(isPart && { distinction: code }) };
    return { names: listNames(place.name), county, isPart, taxes: [tax] };
  });
};

type KeyedTax = Omit<PlaceTax, 'rates'> & { readonly rates: (LocalRate & { readonly line: number })[] };

/** `keys`: the keys of the place's taxes. */
type KeyedPlace = Pick<TaxedPlace, 'names'> & {
  readonly county: string | undefined;
  readonly keys: readonly string[];
  readonly isPart: boolean;
  readonly line: number;
};

/** Returns whether the file has both rates for a day. A later open-ended rate ends an open-ended one. */
const overlap = (a: LocalRate, b: LocalRate): boolean => {
  const [first, second] = a.from < b.from ? [a, b] : [b, a];
  if (first.from === second.from || first.isOnly) return true;
  return first.to === null ? second.to !== null : first.to >= second.from;
};

const contradict = (a: LocalRate, b: LocalRate): boolean =>
  overlap(a, b) && (a.rate !== b.rate || (a.isOnly === true && a.from !== b.from));

/** Returns the rates sorted by day; each ends before the next. */
const listRates = ({ rates }: KeyedTax): readonly (Days & { readonly rate: string })[] => {
  const sorted = rates.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return sorted.map(({ from, to, until = null, rate }, index) => {
    const next = sorted[index + 1];
    return { from, to: earlierEnd(earlierEnd(to, next ? dayBefore(next.from) : null), until), rate };
  });
};

const ratesText = (tax: KeyedTax): string => JSON.stringify(listRates(tax));

/** Returns the taxes with the usual rates of a code: those without a distinction, or else the most frequent ones. */
const listUsual = (sameCode: readonly KeyedTax[]): readonly KeyedTax[] => {
  const groups = [...Map.groupBy(sameCode, ratesText).values()];
  const plain = groups.find((group) => group.some(({ distinction }) => distinction === undefined));
  return plain ?? groups.reduce((most, group) => (group.length > most.length ? group : most));
};

/** Returns the jurisdiction of taxes with one code. If their reporting codes differ, it has none. */
const joinTaxes = (taxes: readonly KeyedTax[]): Jurisdiction => {
  const [{ tax }] = taxes as readonly [KeyedTax, ...KeyedTax[]];
  const plain = taxes.find(({ distinction }) => distinction === undefined);
  if (plain || taxes.every((one) => one.tax.reporting_code === tax.reporting_code)) return plain?.tax ?? tax;
  const { reporting_code: _, ...others } = tax;
  return others;
};

const ofAddresses = { of_addresses: true } as const;

/** Returns the entry for a city whose taxes depend on the address, so that the fallback release applies. */
const openCity = (city: string, from: string): City => ({
  kind: 'city',
  city,
  from,
  to: null,
  locals: [],
  flags: ofAddresses,
});

const common = (a: Days, b: Days): Days => ({ from: a.from > b.from ? a.from : b.from, to: earlierEnd(a.to, b.to) });

const isSpan = ({ from, to }: Days): boolean => to === null || from <= to;

/**
 * Collects the places of a file in any order, a few thousand per state, until it ends. If taxes with one code have
 * different rates, the usual rates keep the code. Each other tax gets a code with its `distinction` as a suffix.
 */
export class LocalTaxes {
  private readonly taxes = new Map<string, KeyedTax>();
  private readonly places = new Map<string, KeyedPlace>();
  /** The first definition of each place id, and its line. */
  private readonly byId = new Map<string, { readonly text: string; readonly line: number }>();
  /** Cities with a refused row, and the first day of the rates in these rows. */
  private readonly contradicted = new Map<string, string>();

  /** Adds the places of a row. Yields an entry if it repeats or contradicts an earlier row. */
  *add(places: readonly TaxedPlace[], line: number): Generator<Entry> {
    for (const place of places) {
      const refusal = this.refusal(place, line);
      if (!refusal) continue;
      this.contradict(places);
      yield refusal;
      return;
    }
    let isNew = false;
    for (const place of places) {
      isNew = this.addPlace(place, line) || isNew;
      if (!place.open) continue;
      yield { kind: 'remark', line, reason: place.open.remark };
      for (const name of place.names) yield openCity(name, place.open.from);
    }
    if (!isNew) yield { kind: 'skipped', line, reason: 'repeats another row' };
  }

  private refusal(place: TaxedPlace, line: number): Entry | undefined {
    const { id, isPart } = place;
    const text = JSON.stringify(place);
    const first = id === undefined ? undefined : getOrAdd(this.byId, `${id} ${isPart}`, () => ({ text, line }));
    if (first && first.text !== text)
      return { kind: 'bad', line, reason: `repeats the code ${id} of line ${first.line}: correct one of them` };
    for (const tax of place.taxes)
      for (const rate of tax.rates) {
        const others = this.taxes.get(getKey(tax))?.rates ?? [];
        const other =
          others.find((one) => contradict(one, rate)) ??
          tax.rates.flatMap((one) => (one.from === rate.from && one.rate !== rate.rate ? { line } : []))[0];
        if (other) return secondRate(line, tax.tax.name.replace(combinedSuffix, ''), other);
      }
    return undefined;
  }

  /** Marks the cities of a refused row as dependent on the address, starting with the first day of its rates. */
  private contradict(places: readonly TaxedPlace[]): void {
    for (const { names, taxes } of places) {
      const [first = '0000-01-01'] = taxes.flatMap(({ rates }) => rates.map(({ from }) => from)).toSorted();
      for (const name of names) {
        const known = this.contradicted.get(name);
        if (known === undefined || first < known) this.contradicted.set(name, first);
      }
    }
  }

  /** Adds a place and its taxes. Returns whether any of them is new. */
  private addPlace({ names, taxes, isPart = false, county, open }: TaxedPlace, line: number): boolean {
    const count = this.places.size;
    let isNew = open !== undefined;
    for (const { rates, ...tax } of taxes) {
      const known = getOrAdd(this.taxes, getKey(tax), (): KeyedTax => ({ ...tax, rates: [] }));
      for (const rate of rates.filter((own) => !known.rates.some((one) => overlap(one, own)))) {
        known.rates.push({ ...rate, line });
        isNew = true;
      }
      assertFits(known.rates.length, limits.ratesOfJurisdiction, `rates of ${tax.tax.name}`);
    }
    assertFits(this.taxes.size, limits.localTaxes, 'local taxes (counted for each place with a separate code)');
    const keys = taxes.map(getKey);
    assert(new Set(keys).size === keys.length, `${names[0]} has a tax twice`);
    getOrAdd(this.places, JSON.stringify([names, keys, isPart]), () => ({ names, keys, isPart, county, line }));
    assertFits(this.places.size, limits.heldRows, 'rows of cities');
    return isNew || this.places.size > count;
  }

  /** Yields the taxes, then the cities on the days on which each of their taxes has a rate. */
  *entries(): Generator<Entry> {
    const codes = yield* this.taxEntries();
    const places = yield* this.placesWithNames();
    const getText = (name: string, { keys }: KeyedPlace) => `${name} ${keys.map((key) => codes.get(key))}`;
    const whole = new Set(
      places.flatMap((place) => (place.isPart ? [] : place.names.map((name) => getText(name, place)))),
    );
    for (const place of places) {
      const { names, keys, isPart, line } = place;
      if (isPart && names.every((name) => whole.has(getText(name, place)))) {
        yield { kind: 'skipped', line, reason: 'is a part of a city with the same rate' };
        continue;
      }
      for (const city of names)
        for (const { taxed, from, to } of this.spans(keys)) {
          const contradicted = this.contradicted.get(city);
          if (contradicted !== undefined && from >= contradicted) continue;
          const locals = taxed.map((key) => codes.get(key) as string);
          const end = earlierEnd(to, contradicted === undefined ? null : dayBefore(contradicted));
          yield { kind: 'city', city, from, to: end, locals, ...(isPart && { flags: ofAddresses }) };
        }
    }
    for (const [city, from] of this.contradicted) yield openCity(city, from);
    const unmatched = [...new Set([...this.taxes.values()].flatMap((tax) => tax.unmatched ?? []))];
    const sentence = `These are missing from Levy's tables and keep codes derived from the file: ${listFirst(unmatched)}.`;
    if (unmatched.length > 0) yield { kind: 'note', sentence };
  }

  /** Yields the jurisdictions and their rates. Returns their codes by key. */
  private *taxEntries(): Generator<Entry, ReadonlyMap<string, string>> {
    const codes = new Map<string, string>();
    for (const [code, sameCode] of Map.groupBy(this.taxes.values(), ({ tax }) => tax.code)) {
      const usual = listUsual(sameCode);
      for (const tax of usual) codes.set(getKey(tax), code);
      yield { kind: 'tax', jurisdiction: joinTaxes(usual), rates: listRates(usual[0] as KeyedTax) };
      for (const tax of sameCode.filter((one) => !usual.includes(one))) {
        const jurisdiction = { ...tax.tax, code: `${code}-${tax.distinction}` };
        codes.set(getKey(tax), jurisdiction.code);
        yield { kind: 'tax', jurisdiction, rates: listRates(tax) };
      }
    }
    return codes;
  }

  /**
   * Returns the places. A district without a city gets the names of its county's places with different rates, because
   * it could overlap them.
   */
  private *placesWithNames(): Generator<Entry, readonly KeyedPlace[]> {
    const all = [...this.places.values()];
    const getRates = ({ keys }: KeyedPlace) => keys.map((key) => ratesText(this.taxes.get(key) as KeyedTax)).join();
    const isDistrict = ({ names, county }: KeyedPlace) => names.length === 0 && county !== undefined;
    const byCounty = Map.groupBy(
      all.filter(({ isPart }) => !isPart),
      ({ county }) => county,
    );
    const districts: KeyedPlace[] = [];
    for (const district of all.filter(isDistrict)) {
      const { line, county } = district;
      const others = (byCounty.get(county) ?? []).filter((other) => getRates(other) !== getRates(district));
      const names = [...new Set(others.flatMap((other) => other.names))];
      districts.push({ ...district, names, isPart: true });
      yield names.length === 0
        ? { kind: 'skipped', line, reason: 'is a district that does not change the rate of any city' }
        : {
            kind: 'remark',
            line,
            reason: 'is a district without a city: city rates in its county depend on the address',
          };
    }
    return [...all.filter((place) => !isDistrict(place)), ...districts.filter(({ names }) => names.length > 0)];
  }

  /** Returns the days on which every tax has a rate, with the taxes above zero. */
  private spans(keys: readonly string[]) {
    let spans: readonly (Days & { readonly taxed: readonly string[] })[] = [
      { from: '0000-01-01', to: null, taxed: [] },
    ];
    for (const key of keys) {
      const rates = listRates(this.taxes.get(key) as KeyedTax);
      spans = spans.flatMap(({ taxed, ...days }) =>
        rates.map((rate) => ({ ...common(days, rate), taxed: rate.rate === '0' ? taxed : [...taxed, key] })),
      );
    }
    return spans.filter(isSpan);
  }
}

const getKey = ({ tax, distinction = '' }: Pick<PlaceTax, 'tax' | 'distinction'>): string =>
  `${tax.code} ${distinction}`;
