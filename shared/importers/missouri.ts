import { plainCityName } from '../catalog/local/place-names.ts';
import { column } from './files/columns.ts';
import { readSheet } from './files/workbook.ts';
import { readFraction, readPercent } from './fractions.ts';
import { combinedPlace } from './local-taxes.ts';
import type { OwnPlace } from './own-codes.ts';
import { stateTable } from './state-table.ts';

/** The month of the rates in the name of the file: `oct2026.xlsx`. */
const monthOfFile = /^(?<month>[a-z]+)(?<year>20\d\d)\b/;

/** `5.9750%`, or `0.05975` if the cell is a number. */
const readRate = (cell: string): string | null => (cell.endsWith('%') ? readPercent(cell) : readFraction(cell));

const codePattern = /^(?<place>\d{5})-(?<county>\d{3})-(?<district>\d{3})$/;

/** Returns the Census codes of the place and the county, and the number of the district. */
const parseCode = (code: string) => codePattern.exec(code)?.groups as Record<'place' | 'county' | 'district', string>;

/**
 * Missouri's quarterly table of sales tax rates. Sheet and header: github.com/LukasNAP/TaxAP (tests/mo-rates.test.mjs).
 * A rate includes the state's, and applies from the month in the name of the file.
 */
export const missouri = stateTable({
  format: 'missouri',
  describe: 'Missouri Department of Revenue, sales and use tax rate tables (XLSX)',
  file: 'a quarterly table under its own name, such as oct2026.xlsx',
  state: 'MO',
  columns: {
    name: column.text('Jurisdiction Name'),
    code: column.matching('Jurisdiction Code', codePattern, 'a jurisdiction code: write it as 38000-095-000'),
    rate: column.rate('SalesTaxRate(0000)', readRate, '8.9750% or 0.08975'),
  },
  open: (path, columns, options) =>
    readSheet(path, columns, { ...options, pick: (sheets) => (sheets.length === 1 ? sheets[0] : undefined) }),
  month: { pattern: monthOfFile, example: 'oct2026.xlsx' },
  skip({ name, code }, { codes }) {
    // Notes and headings of groups have no code.
    if (code === '') return 'is a line without a jurisdiction';
    if (!codePattern.test(code)) return null;
    const { place, county, district } = parseCode(code);
    if (district !== '000') return 'is a district within a place, without a city or ZIP';
    if (place === '00000') return 'unincorporated areas are not in any city';
    const found = codes.placeCoded(county, place);
    // The Department adds the county to the name of a city in several counties.
    const isKnown = found && plainCityName(name).startsWith(plainCityName(found.name));
    return isKnown ? null : "is a place that is not in Levy's tables";
  },
  read({ code, rate }, options) {
    const { place, county } = parseCode(code);
    return combinedPlace(options.codes.placeCoded(county, place) as OwnPlace, code, rate, options);
  },
});
