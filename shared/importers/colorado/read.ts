import { stateRateOn } from '../../catalog/rates.ts';
import type { Entry } from '../entry.ts';
import { bad, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import type { Row } from '../files/rows.ts';
import { readSheet } from '../files/workbook.ts';
import { readPercent } from '../fractions.ts';
import { type ReadFile, stateFile } from '../importer.ts';
import { namesOf, OwnCodes, unmatchedCodesNote } from '../own-codes.ts';
import { dayOfFile } from '../updates/file-names.ts';
import { ColoradoTaxes, type Layer, type Location, Locations } from './locations.ts';

const layersMax = 12;
const headers = [
  ...['Location Code', 'Jurisdiction Code', 'County'],
  ...Array.from({ length: layersMax }, () => ['Tax Type', 'Rate']).flat(),
];

/** The half-year of the rates in the name of the file: `…_July-Dec2026.xlsx`. */
const halfYear = /_(?<month>Jan|July?)[a-z]*-[a-z]+_?(?<year>20\d\d)/;

/** The types and rates of a row; the workbook has the percentages of each layer in two columns. */
const readLayers = (cells: readonly string[]): RowResult<readonly Layer[]> => {
  const layers: Layer[] = [];
  for (let at = 0; at < cells.length; at += 2) {
    const [type = '', text = ''] = cells.slice(at, at + 2);
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

const readLocation = ({ cells }: Row, codes: OwnCodes, stateRate: string | undefined): RowResult<Location> => {
  const [name = '', code = '', countyText = '', ...rest] = cells;
  if (code === '') return skipped('a line without a jurisdiction');
  const id = code.padStart(6, '0');
  if (!/^\d{6}$/.test(id)) return bad(`Jurisdiction Code ${code} is not a jurisdiction code: write six digits`);
  const county = codes.countyNamed(countyText);
  if (county === undefined) return bad(`is in ${countyText || '(no county)'}, which is not a county of Colorado`);
  const found = readLayers(rest);
  if (found.kind !== 'row') return found;
  const own = found.value.filter(isState);
  if (own.length !== 1 || own[0]?.rate !== stateRate)
    return bad(
      `the file has ${own.map(({ rate }) => rate).join(', ') || 'nothing'} for the state, the release has ${stateRate ?? 'nothing'}`,
    );
  const hasCity = found.value.some(({ type }) => /^city$/i.test(type));
  if (isUnincorporated(name, id) && !hasCity) return skipped('unincorporated areas have no city that an address names');
  const layers = found.value.filter((layer) => !isState(layer));
  const known = codes.placesIn(county, name.replaceAll(/[/,()]/g, ' '));
  if (known[0]) {
    const names = known.flatMap(({ place, isPart }) => namesOf(...(isPart ? [] : [name]), place.name));
    return row({ id, ...known[0], names, layers });
  }
  // It may lie in each place of its county that has no tax of its own: `Locations` gives it their names.
  if (!hasCity) return row({ id, place: { county, code: '', name }, isPart: true, names: [], layers });
  if (namesOf(name).length === 0) return bad('names no city: fill in Location Code');
  return row({ id, place: codes.place(county, name), isPart: false, names: namesOf(name), layers });
};

/**
 * Read Colorado's workbook of jurisdiction codes and rates (DR 1002 and DR 0800), sheet `By Name`: a location in each
 * row, with its taxes one by one. Columns: github.com/LukasNAP/TaxAP (server/co-rates.mjs, tests/co-rates.test.mjs).
 * Rates apply from the half-year in the name of the file. Cities that collect their own tax are in it like all others.
 */
const readColorado: ReadFile = async function* (path, { base, names, onProgress }) {
  const from = dayOfFile(path, halfYear, 'Colorado_Jurisdiction_Codes_Rates_July-Dec2026.xlsx');
  const table = await readSheet(path, headers, onProgress, (sheets) =>
    sheets.find(({ name }) => /^by name$/i.test(name)),
  );
  const codes = new OwnCodes('CO', names);
  const locations = new Locations(new ColoradoTaxes(codes, names), from);
  const stateRate = stateRateOn(base, from < base.established_from ? base.established_from : from)?.rate;
  const kept = new Set<string>();
  function* use(location: Location, line: number): Generator<Entry> {
    if (location.names.length > 0 && codes.placesNamed(location.place.name).length === 0) kept.add(location.place.name);
    yield* locations.add(location, line);
  }
  yield* readRows(table, (line: Row) => readLocation(line, codes, stateRate), use, {
    atEnd: () => locations.entries(),
  });
  yield* unmatchedCodesNote([...kept]);
};

export const colorado = stateFile({
  format: 'colorado',
  describe: 'Colorado Department of Revenue, jurisdiction codes and rates (DR 1002 and DR 0800, XLSX)',
  file: 'Colorado_Jurisdiction_Codes_Rates_July-Dec2026.xlsx',
  state: 'CO',
  read: readColorado,
});
