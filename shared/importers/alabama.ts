import { compactDay } from '../base/calendar.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import {
  bad,
  column,
  type HeadedRow,
  openHeadedTable,
  type RowResult,
  row,
  skipped,
  type Texts,
} from './files/columns.ts';
import { type BrokenRow, misreadReason } from './files/rows.ts';
import { readPercent } from './fractions.ts';
import type { ReadOptions } from './importer.ts';
import { assertFits, limits } from './limits.ts';
import type { TaxedPlace } from './local-taxes.ts';
import { listNames, type OwnCodes } from './own-codes.ts';
import { stateTable } from './state-table.ts';

/** Returns the name without its title: `CITY OF MOBILE` is `MOBILE`. */
const withoutTitle = (name: string): string => name.replace(/^(?:CITY|TOWN) OF /i, '');

/**
 * Returns the county tax of a code. A county has a usual code (70..), and can have more codes for its tax in some
 * cities.
 */
const countyTax = (codes: OwnCodes, code: string, name: string): Jurisdiction => {
  const fips = codes.countyNamed(name);
  if (fips === undefined) return { ...codes.countyTax(code), name, reporting_code: code };
  const own = codes.countyTax(fips);
  return { ...own, code: code.startsWith('70') ? own.code : `${own.code}-${code}`, reporting_code: code };
};

const columns = {
  taxType: column.text('TaxType'),
  rateType: column.text('Rate Type'),
  code: column.matching('Locality Code', /^[79]\d{3}$/, 'a locality code: write 7 or 9 and three digits'),
  name: column.parsed(
    'Locality Name',
    (cell) => (listNames(withoutTitle(cell)).length === 0 ? null : cell),
    'a name: fill it in',
  ),
  from: column.day('Active Date', compactDay, '20261001'),
  inactive: column.matching('Inactive Date', /^$/, 'empty: import the file of current rates'),
  rate: column.rate('Rate', readPercent, '4.0000'),
  county: column.text('County Code'),
  // Filled in from the county's row, because the file has no such column.
  countyName: column.optional(column.text('County Name')),
};

const isGeneral = ({ taxType, rateType }: Texts<typeof columns>): boolean => taxType === 'ST' && rateType === 'GENER';

/** Opens the table and adds the name of the county to each row: a city's row can come before its county's row. */
const openLocalities = async (path: string, _: unknown, options: ReadOptions) => {
  const { name, rows } = await openHeadedTable(path, columns, options);
  const held: (HeadedRow<typeof columns> | BrokenRow)[] = [];
  for await (const row of rows) assertFits(held.push(row), limits.heldRows, 'rows of localities');
  // A county row without a readable rate is a bad row, so its cities have no combined rate.
  const isRead = ({ rate, from }: Texts<typeof columns>) => readPercent(rate) !== null && compactDay(from) !== null;
  const general = held.flatMap((row) =>
    'cells' in row && misreadReason(row) === null && isGeneral(row.cells) && isRead(row.cells) ? [row.cells] : [],
  );
  const names = new Map(general.map((cells) => [cells.code, cells.name]));
  const withCounty = (row: HeadedRow<typeof columns>) => ({
    ...row,
    cells: { ...row.cells, countyName: names.get(row.cells.county) ?? '' },
  });
  return { name, rows: held.map((row) => ('cells' in row ? withCounty(row) : row)) };
};

/**
 * Alabama's file of current local rates. Fields: revenue.alabama.gov/sales-use/taxrates-file-help; header:
 * github.com/LukasNAP/TaxAP (tests/al-rates.test.mjs). A city's row contains the code of the county tax that is added
 * to the city tax. Rates apply from their Active Date. Police jurisdictions, outside the city limits, are left out:
 * addresses do not contain their names.
 */
export const alabama = stateTable({
  format: 'alabama',
  describe: 'Alabama Department of Revenue, current local tax rates (taxrates_current.csv)',
  file: 'taxrates_current.csv, with one row for each locality, tax and rate type',
  state: 'AL',
  columns,
  open: openLocalities,
  skip: (cells) => (isGeneral(cells) ? null : 'is not a general sales tax rate'),
  read({ code, name, from, rate, county, countyName }, { codes }): RowResult<readonly TaxedPlace[]> {
    const rates = [{ from, to: null, rate, isOnly: true as const }];
    if (code.startsWith('7')) return row([{ names: [], taxes: [{ tax: countyTax(codes, code, name), rates }] }]);
    if (county === '') return skipped('the city has no county, so its combined rate is unknown');
    if (!/^7\d{3}$/.test(county)) return bad(`County Code ${county} is not a county code: write 7 and three digits`);
    // For example, Birmingham has a row for Jefferson County's tax on alcohol in restaurants.
    if (countyName === '') return skipped('its county code has no general sales tax rate');
    const city = withoutTitle(name);
    const place = codes.place(codes.countyNamed(countyName) ?? '', city);
    const own = { tax: { ...codes.cityTax(place), reporting_code: code }, rates, distinction: county };
    const taxes = [{ tax: countyTax(codes, county, countyName), rates: [] }, own];
    return row([{ names: listNames(city, place.name), taxes }]);
  },
});
