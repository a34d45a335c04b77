import { americanDay, calendarDay, writtenDay } from '../base/calendar.ts';
import { type Columns, column } from './files/columns.ts';
import { readWorkbook, rowsBelow, type Sheet } from './files/workbook.ts';
import { readFraction } from './fractions.ts';
import type { ReadOptions } from './importer.ts';
import { combinedPlace } from './local-taxes.ts';
import type { OwnPlace } from './own-codes.ts';
import { stateTable } from './state-table.ts';

const codePattern = /^51\d{3}$/;

/** Returns the first day of a sheet's rates from its second row: `July 1, 2023 - June 30, 2024`. */
const getFirstDay = (file: string, sheet: Sheet): string => {
  const title = sheet.rows.find(({ line }) => line === 2)?.cells.find((text) => text !== '') ?? '';
  const [first = ''] = title.split(/ [-–] /);
  const from = calendarDay(first) ?? writtenDay(first) ?? americanDay(first);
  if (from === null)
    throw new Error(
      `${file} has ${title || 'nothing'} in row 2 of its sheet ${sheet.name}. Expected days such as July 1, 2023 - June 30, 2024.`,
    );
  return from;
};

/** Opens the sheets, one for each period, without those that ended before the release begins. */
const openPeriods = async <Of extends Columns>(path: string, columns: Of, { base, onProgress }: ReadOptions) => {
  const { name, sheets } = await readWorkbook(path, onProgress);
  const periods = sheets
    .map((sheet) => ({ sheet, from: getFirstDay(name, sheet) }))
    .toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return periods
    .filter((_, index) => (periods[index + 1]?.from ?? '9') > base.established_from)
    .map(({ sheet, from }) => ({ name: `${name}, sheet ${sheet.name}`, from, rows: rowsBelow(name, sheet, columns) }));
};

/**
 * Virginia's rates by locality and date: a sheet for each period, with the rates of counties and independent cities by
 * their Census codes. Layout: github.com/PolicyEngine/policyengine-us (scripts/local_sales_tax_rates/build.py). A rate
 * includes the state's.
 */
export const virginia = stateTable({
  format: 'virginia',
  describe: 'Virginia Department of Taxation, sales and use tax rates by locality by date (XLSX)',
  file: 'the workbook, with a sheet for each period',
  state: 'VA',
  columns: {
    code: column.matching('Code', codePattern, 'a locality of Virginia: write 51 and three digits'),
    rate: column.rate('General Sales', readFraction, '0.06'),
  },
  open: openPeriods,
  skip({ code }, { codes }) {
    if (!/^\d+$/.test(code)) return 'is a line without a locality';
    const isCounty = codePattern.test(code) && !codes.independentCity(code.slice(2));
    return isCounty ? 'counties are not in any city' : null;
  },
  read: ({ code, rate }, options) =>
    combinedPlace(options.codes.independentCity(code.slice(2)) as OwnPlace, code, rate, options),
});
