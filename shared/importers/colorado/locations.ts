/** The locations of Colorado's workbook, which are complete only at its end. */

import { parse } from 'csv-parse/sync';
import type { Jurisdiction } from '../../catalog/release-values.ts';
import { Components } from '../components.ts';
import type { Entry } from '../entry.ts';
import { assertFits, limits } from '../limits.ts';
import type { OwnCodes, OwnPlace } from '../own-codes.ts';
import type { NameTables } from '../sst/layers.ts';

export type Layer = { readonly type: string; readonly rate: string };

export type Location = {
  /** The Department's six-digit code. */
  readonly id: string;
  /** Empty for a district without a city. */
  readonly names: readonly string[];
  readonly place: OwnPlace;
  /** Whether the location is a part of the place only, such as that in a district. */
  readonly isPart: boolean;
  /** The taxes without the state's. */
  readonly layers: readonly Layer[];
};

/** A tax of a location. */
type Tax = { readonly jurisdiction: Jurisdiction; readonly rate: string };

type TaxedLocation = Location & { readonly line: number; readonly taxes: readonly Tax[] };

const isWithoutCityTax = ({ taxes }: TaxedLocation): boolean =>
  taxes.every(({ jurisdiction }) => jurisdiction.type !== 'city');

/** The rate of most locations for each code. */
const usualRates = (taxes: readonly Tax[]): ReadonlyMap<string, string> =>
  new Map(
    [...Map.groupBy(taxes, ({ jurisdiction }) => jurisdiction.code)].map(([code, ofCode]) => {
      const counts = [...Map.groupBy(ofCode, ({ rate }) => rate)].toSorted(([, a], [, b]) => b.length - a.length);
      return [code, counts[0]?.[0] ?? ''];
    }),
  );

/**
 * Collects the locations. A city that lies in several counties or districts has a location for each, so that it is
 * ambiguous. A tax with another rate in a location than in most has a code of its own there.
 */
export class Locations {
  private readonly locations = new Map<string, TaxedLocation>();
  private readonly taxes: ColoradoTaxes;
  private readonly from: string;

  constructor(taxes: ColoradoTaxes, from: string) {
    this.taxes = taxes;
    this.from = from;
  }

  *add(location: Location, line: number): Generator<Entry> {
    const other = this.locations.get(location.id);
    if (other) {
      yield { kind: 'bad', line, reason: `has the code ${location.id} of line ${other.line}: correct one` };
      return;
    }
    const taxes = location.layers.map(({ type, rate }) => ({
      jurisdiction: this.taxes.jurisdiction(type, location.place),
      rate,
    }));
    const repeated = taxes.findIndex(({ jurisdiction: { code } }, index) =>
      taxes.slice(0, index).some((tax) => tax.jurisdiction.code === code),
    );
    if (repeated >= 0) {
      yield { kind: 'bad', line, reason: `has two taxes ${location.layers[repeated]?.type}: write each tax once` };
      return;
    }
    this.locations.set(location.id, { ...location, taxes, line });
    assertFits(this.locations.size, limits.cities, 'locations');
  }

  *entries(): Generator<Entry> {
    const components = new Components();
    const located = yield* this.withNames();
    const usual = usualRates(located.flatMap(({ taxes }) => taxes));
    const coded = located.map((location) => ({ ...location, codes: this.codesIn(location, usual) }));
    const uses = Map.groupBy(
      coded.flatMap(({ codes }) => codes),
      (code) => code,
    );
    for (const { id, taxes, codes, line } of coded)
      for (const [index, { jurisdiction, rate }] of taxes.entries()) {
        const code = codes[index] ?? jurisdiction.code;
        if (components.has(code)) continue;
        const isOnly = jurisdiction.type === 'city' && uses.get(code)?.length === 1;
        const own = { ...jurisdiction, code, ...(isOnly && { reporting_code: id }) };
        yield* components.add(own, { rate, from: this.from, to: null }, line);
      }
    yield* components.entries();
    for (const one of coded) yield* components.city(one, one.isPart ? { of_addresses: true } : {});
  }

  /** The locations that a city names. A district without a city gets the locations of its county that have no city tax. */
  private *withNames(): Generator<Entry, readonly TaxedLocation[]> {
    const located: TaxedLocation[] = [];
    const all = [...this.locations.values()];
    const nearby = Map.groupBy(all.filter(isWithoutCityTax), ({ place }) => place.county);
    const namesIn = new Map(
      [...nearby].map(([county, near]) => [county, [...new Set(near.flatMap((other) => other.names))]]),
    );
    for (const one of all) {
      const { names, place, line } = one;
      const found = names.length > 0 ? names : (namesIn.get(place.county) ?? []);
      if (found.length === 0) yield { kind: 'skipped', line, reason: 'a district that no city or ZIP names' };
      else located.push({ ...one, names: found });
      if (names.length === 0 && found.length > 0)
        yield { kind: 'remark', line, reason: 'a district without a city: cities of its county depend on the address' };
    }
    return located;
  }

  private codesIn(
    { id, taxes }: { readonly id: string; readonly taxes: readonly Tax[] },
    usual: ReadonlyMap<string, string>,
  ) {
    return taxes.map(({ jurisdiction: { code }, rate }) => (usual.get(code) === rate ? code : `${code}-${id}`));
  }
}

/** Districts that have the same code in every county. */
const statewide: readonly string[] = ['RTD', 'CD'];

/**
 * Gives each layer of a location its jurisdiction. The workbook names a layer by its type alone (`RTA`), and the tables
 * of Levy by type and county (`district:RTA-037`, `county:PSI`): the place's jurisdiction comes first, then its
 * county's outside cities. A type that neither has is a district of the county.
 */
export class ColoradoTaxes {
  private readonly codes: OwnCodes;
  private readonly names: ReadonlyMap<string, string>;

  constructor(codes: OwnCodes, tables: NameTables | undefined) {
    this.codes = codes;
    const rows: readonly Readonly<Record<string, string>>[] = parse(tables?.districts ?? '', { columns: true });
    const own = rows.filter(({ state }) => state === 'CO');
    this.names = new Map(own.map(({ code = '', name = '' }) => [code, name]));
  }

  /** The jurisdiction of a layer, such as `County`, `City` or `MTS`. */
  jurisdiction(type: string, place: OwnPlace): Jurisdiction {
    const { county } = place;
    if (/^(?:county|cnty)$/i.test(type)) return this.codes.countyTax(county);
    if (/^city$/i.test(type)) return this.codes.cityTax(place);
    const kind = type.toUpperCase();
    const found = [...this.codes.partsOf(place), ...this.codes.partsOf({ county, code: '' })].find(
      (part) => part.split(':')[1]?.split('-')[0] === kind,
    );
    const [level = 'district', own = statewide.includes(kind) ? kind : `${kind}-${county}`] = found?.split(':') ?? [];
    const tax = { tax_type: 'sales', kind: own } as const;
    const name = this.names.get(own) ?? `${kind} (${this.codes.countyName(county)})`;
    if (level !== 'county') return { ...tax, code: `US-CO-63-${own}`, name, type: 'district' };
    const ofCounty = this.codes.countyTax(county);
    return { ...ofCounty, ...tax, code: `${ofCounty.code}-${own}`, name: `${ofCounty.name} ${name}` };
  }
}
