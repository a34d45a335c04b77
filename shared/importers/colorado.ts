import { stateRateOn } from '../catalog/rates.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import type { Entry } from './entry.ts';
import {
  bad,
  type Column,
  column,
  county,
  type RowResult,
  row,
  skipped,
  text,
  type Values,
  whenRead,
} from './files/columns.ts';
import { readSheet } from './files/workbook.ts';
import { readPercent } from './fractions.ts';
import { assertFits, limits } from './limits.ts';
import { Components } from './local-taxes.ts';
import { listNames, type OwnCodes, type OwnPlace, unmatchedCodesNote } from './own-codes.ts';
import { stateTable, type TableOptions } from './state-table.ts';

const layersMax = 12;

const columns = {
  name: text('Location Code'),
  id: column(
    'Jurisdiction Code',
    (cell) => (/^\d{1,6}$/.test(cell) ? cell.padStart(6, '0') : null),
    'a jurisdiction code: write six digits',
  ),
  county: county('County', 'a county of Colorado'),
};

/** The types of taxes and their percentages, each in two columns. */
const taxColumns: Readonly<Record<string, Column<string>>> = Object.fromEntries(
  Array.from({ length: layersMax }, (_, index) => [
    [`type${index}`, text('Tax Type')],
    [`rate${index}`, text('Rate')],
  ]).flat(),
);

/** The half-year of the rates in the name of the file: `…_July-Dec2026.xlsx`. */
const halfYear = /_(?<month>Jan|July?)[a-z]*-[a-z]+_?(?<year>20\d\d)/;

type Layer = { readonly type: string; readonly rate: string };

type Location = {
  /** The Department's six-digit code. */
  readonly id: string;
  /** Empty for a district without a city. */
  readonly names: readonly string[];
  readonly place: OwnPlace;
  /** Whether the location is only a part of the place, such as the part in a district. */
  readonly isPart: boolean;
  /** The taxes without the state's. */
  readonly layers: readonly Layer[];
};

const readLayers = (cells: Readonly<Record<string, string>>): RowResult<readonly Layer[]> => {
  const layers: Layer[] = [];
  for (let index = 0; index < layersMax; index += 1) {
    const [type = '', text = ''] = [cells[`type${index}`], cells[`rate${index}`]];
    if (type === '' && text === '') continue;
    const rate = readPercent(text);
    if (type === '' || rate === null) return bad(`has the tax ${type || '(none)'} with the rate ${text || '(none)'}`);
    if (!/^[a-z\d]+$/i.test(type)) return bad(`has the tax type ${type}; expected letters and digits only`);
    layers.push({ type, rate });
  }
  return row(layers);
};

const isState = ({ type }: Layer): boolean => /^state$/i.test(type);

/** Codes of a county's areas outside cities end in 0206 to 0208 (form DR 0800). */
const isUnincorporated = (name: string, code: string): boolean =>
  /020[678]$/.test(code) || /\b(?:county|unincorporated)\b/i.test(name);

const readLocation = (
  { name, id, county, ...taxes }: Values<typeof columns> & Readonly<Record<string, string>>,
  { codes, base, from }: TableOptions,
): RowResult<Location> =>
  whenRead(readLayers(taxes), (all): RowResult<Location> => {
    const own = all.filter(isState);
    const stateRate = stateRateOn(base, from < base.established_from ? base.established_from : from)?.rate;
    if (own.length !== 1 || own[0]?.rate !== stateRate)
      return bad(
        `the state's rate is ${own.map(({ rate }) => rate).join(', ') || 'missing'} in the file and ${stateRate ?? 'unknown'} in the release`,
      );
    const hasCity = all.some(({ type }) => /^city$/i.test(type));
    if (isUnincorporated(name, id) && !hasCity) return skipped('unincorporated areas are not in any city');
    const layers = all.filter((layer) => !isState(layer));
    const known = codes.placesIn(county, name.replaceAll(/[/,()]/g, ' '));
    if (known[0]) {
      const names = known.flatMap(({ place, isPart }) => listNames(...(isPart ? [] : [name]), place.name));
      return row({ id, ...known[0], names, layers });
    }
    // It could overlap any place in its county without a city tax, so `Locations` adds the names of those places to it.
    if (!hasCity) return row({ id, place: { county, code: '', name }, isPart: true, names: [], layers });
    if (listNames(name).length === 0) return bad('Location Code (none) is not a name: fill it in');
    return row({ id, place: codes.place(county, name), isPart: false, names: listNames(name), layers });
  });

/** Districts with the same code in every county. */
const statewide: readonly string[] = ['RTD', 'CD'];

/**
 * Returns the jurisdiction of a layer, such as `County`, `City` or `MTS`. The workbook identifies a layer only by its
 * type (`RTA`), Levy's tables by type and county (`district:RTA-037`, `county:PSI`). A match for the place comes first,
 * then one for its county outside cities. A type in neither is a district of the county.
 */
const getJurisdiction = (codes: OwnCodes, type: string, place: OwnPlace): Jurisdiction => {
  const { county } = place;
  if (/^(?:county|cnty)$/i.test(type)) return codes.countyTax(county);
  if (/^city$/i.test(type)) return codes.cityTax(place);
  const kind = type.toUpperCase();
  const found = [...codes.listParts(place), ...codes.listParts({ county, code: '' })].find(
    (part) => part.split(':')[1]?.split('-')[0] === kind,
  );
  const [level = 'district', own = statewide.includes(kind) ? kind : `${kind}-${county}`] = found?.split(':') ?? [];
  const tax = { tax_type: 'sales', kind: own } as const;
  const name = codes.districts.get(own) ?? `${kind} (${codes.countyName(county)})`;
  if (level !== 'county') return { ...tax, code: `US-CO-63-${own}`, name, type: 'district' };
  const ofCounty = codes.countyTax(county);
  return { ...ofCounty, ...tax, code: `${ofCounty.code}-${own}`, name: `${ofCounty.name} ${name}` };
};

/** A tax of a location. */
type Tax = { readonly jurisdiction: Jurisdiction; readonly rate: string };

type TaxedLocation = Omit<Location, 'layers'> & { readonly line: number; readonly taxes: readonly Tax[] };

const isWithoutCityTax = ({ taxes }: TaxedLocation): boolean =>
  taxes.every(({ jurisdiction }) => jurisdiction.type !== 'city');

/** Returns the most frequent rate of each code. */
const usualRates = (taxes: readonly Tax[]): ReadonlyMap<string, string> =>
  new Map(
    [...Map.groupBy(taxes, ({ jurisdiction }) => jurisdiction.code)].map(([code, ofCode]) => {
      const counts = [...Map.groupBy(ofCode, ({ rate }) => rate)].toSorted(([, a], [, b]) => b.length - a.length);
      return [code, counts[0]?.[0] ?? ''];
    }),
  );

/**
 * Collects the locations, which are complete only at the end of the workbook. A city in several counties or districts
 * has one location for each, so it is ambiguous. A tax whose rate in a location differs from its usual rate has a
 * separate code there.
 */
class Locations {
  private readonly locations = new Map<string, TaxedLocation>();
  /** Names of places that are not in Levy's tables. */
  private readonly unmatched = new Set<string>();
  private readonly codes: OwnCodes;
  private readonly from: string;

  constructor(codes: OwnCodes, from: string) {
    this.codes = codes;
    this.from = from;
  }

  add({ layers, ...location }: Location, line: number): readonly Entry[] {
    const { name } = location.place;
    if (location.names.length > 0 && this.codes.placesNamed(name).length === 0) this.unmatched.add(name);
    const other = this.locations.get(location.id);
    if (other)
      return [
        { kind: 'bad', line, reason: `repeats the code ${location.id} of line ${other.line}: correct one of them` },
      ];
    const taxes = layers.map(({ type, rate }) => ({
      jurisdiction: getJurisdiction(this.codes, type, location.place),
      rate,
    }));
    const codes = taxes.map(({ jurisdiction }) => jurisdiction.code);
    const repeated = codes.findIndex((code, index) => codes.indexOf(code) < index);
    if (repeated >= 0)
      return [{ kind: 'bad', line, reason: `has two taxes ${layers[repeated]?.type}: write each tax once` }];
    this.locations.set(location.id, { ...location, taxes, line });
    assertFits(this.locations.size, limits.cities, 'locations');
    return [];
  }

  *entries(): Generator<Entry> {
    const components = new Components();
    const located = yield* this.withNames();
    const usual = usualRates(located.flatMap(({ taxes }) => taxes));
    const listCodes = ({ id, taxes }: TaxedLocation) =>
      taxes.map(({ jurisdiction: { code }, rate }) => (usual.get(code) === rate ? code : `${code}-${id}`));
    const uses = Map.groupBy(located.flatMap(listCodes), (code) => code);
    for (const location of located) {
      const { id, taxes, names, isPart, line } = location;
      const codes = listCodes(location);
      for (const [index, { jurisdiction, rate }] of taxes.entries()) {
        const code = codes[index] ?? jurisdiction.code;
        if (components.has(code)) continue;
        const isOnly = jurisdiction.type === 'city' && uses.get(code)?.length === 1;
        const own = { ...jurisdiction, code, ...(isOnly && { reporting_code: id }) };
        yield* components.add(own, { rate, from: this.from, to: null }, line);
      }
      components.addCity({ names, codes, flags: isPart ? { of_addresses: true } : {} });
    }
    yield* components.entries();
    yield* unmatchedCodesNote([...this.unmatched]);
  }

  /**
   * Returns the locations with their city names. A district without a city gets the names of the locations in its
   * county that have no city tax.
   */
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
      if (found.length === 0) yield { kind: 'skipped', line, reason: 'is a district that is not in any city or ZIP' };
      else located.push({ ...one, names: found });
      if (names.length === 0 && found.length > 0)
        yield {
          kind: 'remark',
          line,
          reason: 'is a district without a city: city rates in its county depend on the address',
        };
    }
    return located;
  }
}

/**
 * Colorado's workbook of jurisdiction codes and rates (DR 1002 and DR 0800), sheet `By Name`: one row per location,
 * with each of its taxes. Columns: github.com/LukasNAP/TaxAP (server/co-rates.mjs, tests/co-rates.test.mjs). Rates
 * apply from the half-year in the name of the file. Cities that collect their own tax are included.
 */
export const colorado = stateTable({
  format: 'colorado',
  describe: 'Colorado Department of Revenue, jurisdiction codes and rates (DR 1002 and DR 0800, XLSX)',
  file: 'Colorado_Jurisdiction_Codes_Rates_July-Dec2026.xlsx',
  state: 'CO',
  columns: { ...columns, ...taxColumns },
  open: (path, columns, onProgress) =>
    readSheet(path, columns, onProgress, (sheets) => sheets.find(({ name }) => /^by name$/i.test(name))),
  month: { pattern: halfYear, example: 'Colorado_Jurisdiction_Codes_Rates_July-Dec2026.xlsx' },
  skip: ({ id }) => (id === '' ? 'is a line without a jurisdiction' : null),
  read: readLocation,
  collect: ({ codes, from }) => new Locations(codes, from),
});
