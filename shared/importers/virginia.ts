import { americanDay, calendarDay, writtenDay } from '../catalog/days.ts';
import type { Release } from '../catalog/release.ts';
import { matching, type RowResult, rate, readCells, readRows, skipped, type Texts, whenRead } from './files/columns.ts';
import { readWorkbook, rowsBelow, type Sheet } from './files/workbook.ts';
import { readFraction } from './fractions.ts';
import { CombinedCities, type CombinedReading, combinedReading } from './local-taxes.ts';
import type { OwnPlace } from './own-codes.ts';
import { stateFile, type TableOptions } from './state-table.ts';

const codePattern = /^51\d{3}$/;

const columns = {
  code: matching('Code', codePattern, 'a locality of Virginia: write 51 and three digits'),
  rate: rate('General Sales', readFraction, '0.06'),
};

type Period = { readonly sheet: Sheet; readonly from: string };

/** Returns the days of a sheet's rates from its second row: `July 1, 2023 - June 30, 2024`. */
const getPeriod = (file: string, sheet: Sheet): Period => {
  const title = sheet.rows.find(({ line }) => line === 2)?.cells.find((text) => text !== '') ?? '';
  const [first = ''] = title.split(/ [-–] /);
  const from = calendarDay(first) ?? writtenDay(first) ?? americanDay(first);
  if (from === null)
    throw new Error(
      `${file} has ${title || 'nothing'} in row 2 of its sheet ${sheet.name}. Expected days such as July 1, 2023 - June 30, 2024.`,
    );
  return { sheet, from };
};

/** Returns the periods in order, without those that ended before the release begins. */
const listPeriods = (file: string, sheets: readonly Sheet[], { established_from }: Release): readonly Period[] => {
  const periods = sheets.map((sheet) => getPeriod(file, sheet)).toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return periods.filter((_, index) => (periods[index + 1]?.from ?? '9') > established_from);
};

const readLocality = (cells: Texts<typeof columns>, options: TableOptions): RowResult<CombinedReading> => {
  if (!/^\d+$/.test(cells.code)) return skipped('is a line without a locality');
  const place = options.codes.independentCity(cells.code.slice(2));
  if (codePattern.test(cells.code) && !place) return skipped('counties are not in any city');
  return whenRead(readCells(columns, cells), ({ code, rate }) =>
    combinedReading(place as OwnPlace, code, rate, options),
  );
};

/**
 * Virginia's rates by locality and date: a sheet for each period, with the rates of counties and independent cities by
 * their Census codes. Layout: github.com/PolicyEngine/policyengine-us (scripts/local_sales_tax_rates/build.py). A rate
 * includes the state's.
 */
export const virginia = stateFile({
  format: 'virginia',
  describe: 'Virginia Department of Taxation, sales and use tax rates by locality by date (XLSX)',
  file: 'the workbook, with a sheet for each period',
  state: 'VA',
  async *read(path, options) {
    const { name, sheets } = await readWorkbook(path, options.onProgress);
    const cities = new CombinedCities();
    for (const { sheet, from } of listPeriods(name, sheets, options.base))
      yield* readRows(
        { name: `${name}, sheet ${sheet.name}`, rows: rowsBelow(name, sheet, columns) },
        ({ cells }) => readLocality(cells, { ...options, from }),
        (reading, line) => cities.add(reading, line),
      );
    yield* cities.entries();
  },
});
