import { plainName } from '../../catalog/local/place-names.ts';
import { cityName } from '../../catalog/location/city-name.ts';
import type { Release } from '../../catalog/release.ts';
import type { Jurisdiction } from '../../catalog/release-values.ts';
import { CombinedCities, type CombinedReading, localPart } from '../combined-cities.ts';
import { bad, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import type { Row } from '../files/rows.ts';
import { readSheet } from '../files/workbook.ts';
import { readFraction, readPercent } from '../fractions.ts';
import { type ReadFile, stateFile } from '../importer.ts';
import { namesOf, OwnCodes, type OwnPlace } from '../own-codes.ts';
import { dayOfFile } from '../updates/file-names.ts';

const headers = ['Jurisdiction Name', 'Jurisdiction Code', 'SalesTaxRate(0000)'];

/** The month of the rates in the name of the file: `oct2026.xlsx`. */
const monthOfFile = /^(?<month>[a-z]+)(?<year>20\d\d)\b/;

/** `5.9750%`, or `0.05975` where the cell is a number. */
const readRate = (text: string): string | null => (text.endsWith('%') ? readPercent(text) : readFraction(text));

type Reader = { readonly codes: OwnCodes; readonly base: Release; readonly from: string };

const keyOf = (name: string): string => plainName(cityName(name) ?? '');

/** Census codes of the place and the county, and a number of the district: `38000-095-000`. */
const readPlace = (codes: OwnCodes, name: string, code: string): RowResult<OwnPlace> => {
  const {
    place = '',
    county = '',
    district,
  } = /^(?<place>\d{5})-(?<county>\d{3})-(?<district>\d{3})$/.exec(code)?.groups ?? {};
  if (district === undefined)
    return bad(`Jurisdiction Code ${code} is not a jurisdiction code: write it as 38000-095-000`);
  if (district !== '000') return skipped('a district within a place, which no city or ZIP names');
  if (place === '00000') return skipped('unincorporated areas have no city that an address names');
  const found = codes.placeCoded(county, place);
  const called = keyOf(found?.name ?? '');
  // The Department adds the county to the name of a city that lies in several.
  if (!found || !keyOf(name).startsWith(called)) return skipped('a place that is not in the tables of Levy');
  return row(found);
};

const readRow = ({ cells }: Row, { codes, base, from }: Reader): RowResult<CombinedReading> => {
  const [name = '', code = '', rate = ''] = cells;
  // Notes and headings of groups have no code.
  if (code === '') return skipped('a line without a jurisdiction');
  const place = readPlace(codes, name, code);
  if (place.kind !== 'row') return place;
  const combined = readRate(rate);
  if (combined === null) return bad(`SalesTaxRate ${rate || '(none)'} is not a rate: write it as 8.9750% or 0.08975`);
  const local = localPart(base, combined, from);
  if (local.kind !== 'row') return local;
  const [city = ''] = namesOf(place.value.name);
  return row({ city, name: place.value.name, key: code, change: { from, ...local.value } });
};

/**
 * Read Missouri's quarterly table of sales tax rates. Sheet and header: github.com/LukasNAP/TaxAP
 * (tests/mo-rates.test.mjs). A rate includes the state's, and applies from the month in the name of the file.
 */
const readMissouri: ReadFile = async function* (path, { base, names, onProgress }) {
  const codes = new OwnCodes('MO', names);
  const from = dayOfFile(path, monthOfFile, 'oct2026.xlsx');
  const table = await readSheet(path, headers, onProgress, (sheets) => (sheets.length === 1 ? sheets[0] : undefined));
  const taxOf = ({ key }: { readonly key: string }): Jurisdiction => {
    const [place = '', county = ''] = key.split('-');
    return { ...codes.combinedTax(codes.placeCoded(county, place) as OwnPlace), reporting_code: key };
  };
  const cities = new CombinedCities(taxOf);
  yield* readRows(
    table,
    (line: Row) => readRow(line, { codes, base, from }),
    (reading, line) => cities.add(reading, line),
    { atEnd: () => cities.entries() },
  );
};

export const missouri = stateFile({
  format: 'missouri',
  describe: 'Missouri Department of Revenue, sales and use tax rate tables (XLSX)',
  file: 'a quarterly table under its own name, such as oct2026.xlsx',
  state: 'MO',
  read: readMissouri,
});
