import { Readable } from 'node:stream';
import { americanDay, calendarDay, writtenDay } from '../../catalog/days.ts';
import type { Release } from '../../catalog/release.ts';
import type { Jurisdiction } from '../../catalog/release-values.ts';
import { CombinedCities, type CombinedReading, localPart } from '../combined-cities.ts';
import { bad, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import type { Row } from '../files/rows.ts';
import { readWorkbook, rowsBelow, type Sheet } from '../files/workbook.ts';
import { readFraction } from '../fractions.ts';
import { type ReadFile, stateFile } from '../importer.ts';
import { namesOf, OwnCodes, type OwnPlace } from '../own-codes.ts';

const headers = ['Code', 'General Sales'];

type Period = { readonly sheet: Sheet; readonly from: string };

/** A sheet has the days of its rates in its second row: `July 1, 2023 - June 30, 2024`. */
const periodOf = (file: string, sheet: Sheet): Period => {
  const title = sheet.rows.find(({ line }) => line === 2)?.cells.find((text) => text !== '') ?? '';
  const [first = ''] = title.split(/ [-–] /);
  const from = calendarDay(first) ?? writtenDay(first) ?? americanDay(first);
  if (from === null)
    throw new Error(
      `${file} has ${title || 'nothing'} in row 2 of its sheet ${sheet.name}. Expected days such as July 1, 2023 - June 30, 2024.`,
    );
  return { sheet, from };
};

/** The periods in their order, without those that ended before the release begins. */
const periodsOf = (file: string, sheets: readonly Sheet[], { established_from }: Release): readonly Period[] => {
  const periods = sheets.map((sheet) => periodOf(file, sheet)).toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return periods.filter((_, index) => (periods[index + 1]?.from ?? '9') > established_from);
};

const readRow = ({ cells }: Row, from: string, codes: OwnCodes, base: Release): RowResult<CombinedReading> => {
  const [code = '', rate = ''] = cells;
  if (!/^\d+$/.test(code)) return skipped('a line without a locality');
  if (!/^51\d{3}$/.test(code)) return bad(`Code ${code} is not a locality of Virginia: write 51 and three digits`);
  const county = code.slice(2);
  const place = codes.independentCity(county);
  if (!place) return skipped('counties have no city that an address names');
  const combined = readFraction(rate);
  if (combined === null) return bad(`General Sales ${rate || '(none)'} is not a rate: write it as 0.06`);
  const local = localPart(base, combined, from);
  if (local.kind !== 'row') return local;
  const [city = ''] = namesOf(place.name);
  return row({ city, name: place.name, key: code, change: { from, ...local.value } });
};

/**
 * Read Virginia's rates by locality and date: a sheet for each period, with the rates of counties and independent cities by
 * their Census codes. Layout: github.com/PolicyEngine/policyengine-us (scripts/local_sales_tax_rates/build.py). A rate
 * contains the state's.
 */
const readVirginia: ReadFile = async function* (path, { base, names, onProgress }) {
  const { name, sheets } = await readWorkbook(path, onProgress);
  const codes = new OwnCodes('VA', names);
  const taxOf = ({ key }: { readonly key: string }): Jurisdiction => ({
    ...codes.combinedTax(codes.independentCity(key.slice(2)) as OwnPlace),
    reporting_code: key,
  });
  const cities = new CombinedCities(taxOf);
  for (const { sheet, from } of periodsOf(name, sheets, base))
    yield* readRows(
      { name: `${name}, sheet ${sheet.name}`, rows: Readable.from(rowsBelow(name, sheet, headers)) },
      (line: Row) => readRow(line, from, codes, base),
      (reading, line) => cities.add(reading, line),
    );
  yield* cities.entries();
};

export const virginia = stateFile({
  format: 'virginia',
  describe: 'Virginia Department of Taxation, sales and use tax rates by locality by date (XLSX)',
  file: 'the workbook, with a sheet for each period',
  state: 'VA',
  read: readVirginia,
});
