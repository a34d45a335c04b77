import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { calendarDay, monthNumber } from '../../days.ts';
import { stateRateOn } from '../../rates.ts';
import type { Jurisdiction } from '../../release.ts';
import { Components } from '../components.ts';
import type { Entry } from '../entry.ts';
import { bad, onlyFile, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import type { Row } from '../files/rows.ts';
import { readWorkbook, rowsBelow } from '../files/workbook.ts';
import { readPercent } from '../fractions.ts';
import type { Importer, Read } from '../importer.ts';
import { assertFits, limits } from '../limits.ts';
import { keptCodesNote, namesOf, OwnCodes, type OwnPlace } from '../own-codes.ts';
import { ColoradoTaxes } from './taxes.ts';

const layersMax = 12;
const headers = [
  ...['Location Code', 'Jurisdiction Code', 'County'],
  ...Array.from({ length: layersMax }, () => ['Tax Type', 'Rate']).flat(),
];

/** The first day of the rates, which only the name of the file gives: `…_July-Dec2026.xlsx`. */
const firstDay = (file: string): string => {
  const { month = '', year = '' } = /_(?<month>Jan|July?)[a-z]*-[a-z]+_?(?<year>20\d\d)/i.exec(file)?.groups ?? {};
  const day = calendarDay(`${year}-${String(monthNumber(month)).padStart(2, '0')}-01`);
  if (day === null)
    throw new Error(
      `${file} does not name the half-year of its rates: call it as the Department does, such as Colorado_Jurisdiction_Codes_Rates_July-Dec2026.xlsx.`,
    );
  return day;
};

type Layer = { readonly type: string; readonly rate: string };

type Location = {
  /** The Department's six-digit code. */
  readonly id: string;
  readonly names: readonly string[];
  readonly place: OwnPlace;
  /** Whether the location is a part of the place only, such as that in a district. */
  readonly isPart: boolean;
  /** The taxes beside the state's. */
  readonly layers: readonly Layer[];
};

/** The types and rates of a row; the workbook has the percentages of each layer in two columns. */
const readLayers = (cells: readonly string[]): RowResult<readonly Layer[]> => {
  const layers: Layer[] = [];
  for (let at = 0; at < cells.length; at += 2) {
    const [type = '', text = ''] = cells.slice(at, at + 2);
    if (type === '' && text === '') continue;
    const rate = readPercent(text);
    if (type === '' || rate === null) return bad(`has the tax ${type || '(none)'} with the rate ${text || '(none)'}`);
    layers.push({ type, rate });
  }
  return row(layers);
};

const isState = ({ type }: Layer): boolean => /^state$/i.test(type);

/** Codes of a county's areas outside cities end in 0206 to 0208 (form DR 0800). */
const isUnincorporated = (name: string, code: string): boolean =>
  /020[678]$/.test(code) || /\b(?:county|unincorporated)\b/i.test(name);

const readLocation = ({ cells }: Row, codes: OwnCodes, stateRate: string | undefined): RowResult<Location> => {
  const [name = '', code = '', countyText = '', ...rest] = cells;
  if (code === '') return skipped('a line without a jurisdiction');
  const id = code.padStart(6, '0');
  if (!/^\d{6}$/.test(id)) return bad(`Jurisdiction Code ${code} is none: six digits`);
  const county = codes.countyNamed(countyText);
  if (county === undefined) return bad(`is in ${countyText || '(no county)'}, which is no county of Colorado`);
  const found = readLayers(rest);
  if (found.kind !== 'row') return found;
  const own = found.value.filter(isState);
  if (own.length !== 1 || own[0]?.rate !== stateRate)
    return bad(
      `the file has ${own.map(({ rate }) => rate).join(', ') || 'nothing'} for the state, the release has ${stateRate ?? 'nothing'}`,
    );
  if (isUnincorporated(name, id)) return skipped('unincorporated areas have no city that an address names');
  const layers = found.value.filter((layer) => !isState(layer));
  const known = codes.placeIn(county, name);
  if (known) return row({ id, ...known, names: namesOf(...(known.isPart ? [] : [name]), known.place.name), layers });
  if (!layers.some(({ type }) => /^city$/i.test(type)) || namesOf(name).length === 0)
    return skipped('a district that no city or ZIP names');
  return row({ id, place: codes.place(county, name), isPart: false, names: namesOf(name), layers });
};

/** A tax of a location. */
type Tax = { readonly jurisdiction: Jurisdiction; readonly rate: string };

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
class Locations {
  private readonly locations: (Location & { readonly line: number; readonly taxes: readonly Tax[] })[] = [];
  private readonly taxes: ColoradoTaxes;
  private readonly from: string;

  constructor(taxes: ColoradoTaxes, from: string) {
    this.taxes = taxes;
    this.from = from;
  }

  *add(location: Location, line: number): Generator<Entry> {
    const other = this.locations.find(({ id }) => id === location.id);
    if (other) {
      yield { kind: 'bad', line, reason: `has the code ${location.id} of line ${other.line}: correct one` };
      return;
    }
    const taxes = location.layers.map(({ type, rate }) => ({
      jurisdiction: this.taxes.jurisdiction(type, location.place),
      rate,
    }));
    this.locations.push({ ...location, taxes, line });
    assertFits(this.locations.length, limits.cities, 'locations');
  }

  *entries(): Generator<Entry> {
    const components = new Components();
    const usual = usualRates(this.locations.flatMap(({ taxes }) => taxes));
    const coded = this.locations.map((location) => ({ ...location, codes: this.codesIn(location, usual) }));
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
    for (const { names, isPart, codes } of coded)
      for (const name of names) yield* components.city(name, codes, isPart ? { of_addresses: true } : {});
  }

  private codesIn(
    { id, taxes }: { readonly id: string; readonly taxes: readonly Tax[] },
    usual: ReadonlyMap<string, string>,
  ) {
    return taxes.map(({ jurisdiction: { code }, rate }) => (usual.get(code) === rate ? code : `${code}-${id}`));
  }
}

/**
 * Read Colorado's workbook of jurisdiction codes and rates (DR 1002 and DR 0800), sheet `By Name`: a location in each row,
 * with its taxes one by one. Columns: github.com/LukasNAP/TaxAP (server/co-rates.mjs, tests/co-rates.test.mjs). Rates hold
 * from the half-year in the name of the file. Cities that collect their own tax are in it like all others.
 */
const readColorado: Read = async function* (files, { base, names, onProgress }) {
  const path = onlyFile(files);
  const from = firstDay(basename(path));
  const { name, sheets } = await readWorkbook(path, onProgress);
  const sheet = sheets.find((one) => /^by name$/i.test(one.name));
  if (!sheet) throw new Error(`${name} has no sheet By Name: is it of this format?`);
  const codes = new OwnCodes('CO', names);
  const locations = new Locations(new ColoradoTaxes(codes, names), from);
  const stateRate = stateRateOn(base, from < base.established_from ? base.established_from : from)?.rate;
  const kept = new Set<string>();
  function* use(location: Location, line: number): Generator<Entry> {
    if (codes.placesNamed(location.place.name).length === 0) kept.add(location.place.name);
    yield* locations.add(location, line);
  }
  yield* readRows(
    { name, rows: Readable.from(rowsBelow(name, sheet, headers)) },
    (line: Row) => readLocation(line, codes, stateRate),
    use,
    { atEnd: () => locations.entries() },
  );
  yield* keptCodesNote([...kept]);
};

export const colorado: Importer = {
  format: 'colorado',
  describe: 'Colorado Department of Revenue, jurisdiction codes and rates (DR 1002 and DR 0800, XLSX)',
  files: [{ option: 'file', describe: 'Colorado_Jurisdiction_Codes_Rates_July-Dec2026.xlsx' }],
  onlyState: 'CO',
  confidence: 'high',
  match: 'city',
  read: readColorado,
};
