import { compactDay } from '../base/calendar.ts';
import { type Column, column, type RowResult, readCells, row, type Texts, whenRead } from './files/columns.ts';
import { openLines } from './files/text.ts';
import { readPercent } from './fractions.ts';
import type { ReadOptions } from './importer.ts';
import { type LocalRate, localPart, type TaxedPlace } from './local-taxes.ts';
import { listNames } from './own-codes.ts';
import { stateTable, type TableOptions } from './state-table.ts';

/** A column between two positions of a line, from 0. */
const at = <Value>(start: number, end: number, column: Column<Value>) => ({ ...column, ends: [start, end] as const });

type FixedColumns = Readonly<Record<string, Column<unknown> & { readonly ends?: readonly [number, number] }>>;

/** Reads the lines as rows. The column without positions is the length of the line. */
const openLocations = async <Of extends FixedColumns>(path: string, columns: Of, { onProgress }: ReadOptions) => {
  const { name, rows } = await openLines(path, onProgress);
  async function* located() {
    for await (const { line, text } of rows) {
      const fields = Object.entries(columns).map(([name, { ends }]) => [
        name,
        ends ? text.slice(...ends).trim() : String(text.length),
      ]);
      yield { line, cells: Object.fromEntries(fields) as Texts<Of> };
    }
  }
  return { name, rows: located() };
};

/** `07750` is 7.75 %. */
const readRate = (text: string): string | null =>
  /^\d{5}$/.test(text) ? readPercent(`${text.slice(0, 2)}.${text.slice(2)}`) : null;

const codePattern = /^\d{3}-\d{4}-\d$/;

/** The first group of rates in a period is for general merchandise, sold at retail. */
const earlier = {
  earlierFrom: column.day('Prior first day', compactDay, '20260701'),
  earlierTo: column.day('Prior last day', compactDay, '20260630'),
  earlierHigh: column.rate('Prior high rate', readRate, '06250'),
  earlierLow: column.rate('Prior low rate', readRate, '06250'),
};

type Period = { readonly from: string; readonly to: string | null; readonly high: string; readonly low: string };

const openReason = 'its rates depend on the address and are in a different file (ordmacha-current.txt)';

type Location = Readonly<Record<'id' | 'name' | 'county', string>> & { readonly isByAddress: boolean };

/** Returns the city with its low rates, and its addresses with high rates, such as those in the Metro East district. */
const readPeriods = (
  { id, name, county, isByAddress }: Location,
  all: readonly Period[],
  { codes, base }: TableOptions,
): RowResult<readonly TaxedPlace[]> => {
  const place = codes.place(county, name);
  const names = listNames(name, place.name);
  const tax = { ...codes.combinedTax(place), reporting_code: id };
  // The file by address (ordmacha) has the rates; this file has zeros.
  const isOpen = ({ high }: Period) => isByAddress && high === '0';
  const rates: Record<'low' | 'high', LocalRate[]> = { low: [], high: [] };
  for (const { from, to, ...combined } of all.filter((period) => !isOpen(period))) {
    if (to !== null && to < base.established_from) continue;
    for (const level of combined.low === combined.high ? (['low'] as const) : (['low', 'high'] as const)) {
      const local = localPart(base, combined[level], from);
      if (local.kind !== 'row') return local;
      rates[level].push({ ...local.value, to });
    }
  }
  const first = all.find(isOpen) ?? all.at(-1);
  const open = isByAddress && first ? { from: first.from, remark: openReason } : undefined;
  const high = { ...tax, code: `${tax.code}-HIGH` };
  return row([
    { names, taxes: [{ tax, rates: rates.low }], open },
    ...(rates.high.length > 0 ? [{ names, taxes: [{ tax: high, rates: rates.high }], isPart: true }] : []),
  ]);
};

/**
 * The Illinois Department of Revenue's rates by location, a fixed-width file. Layout: the Department's machine readable
 * file guide for counties and municipalities; rows in github.com/colgeee/daigou-calc-data (tests/test_il.py). The rates
 * include the state's. A location whose rates depend on the address is ambiguous: the file has either its low and high
 * rates, or no rate, so that the fallback release applies.
 */
export const illinois = stateTable({
  format: 'illinois',
  describe: 'Illinois Department of Revenue, sales tax rates by location (ordmache)',
  file: 'ordmache-current.txt, fixed width, 211 characters',
  state: 'IL',
  columns: {
    length: column.matching('Line length', /^211$/, '211 characters'),
    id: at(0, 10, column.matching('Location code', codePattern, 'a location code: write it as 016-0001-7')),
    isByAddress: at(60, 61, column.matching('Column 61', /^[NY]$/, 'Y or N')),
    name: at(10, 35, column.placeName('Columns 11 to 35')),
    county: at(35, 60, column.county('County', 'a county of Illinois')),
    from: at(61, 69, column.day('First day', compactDay, '20260701')),
    high: at(69, 74, column.rate('High rate', readRate, '06250')),
    low: at(79, 84, column.rate('Low rate', readRate, '06250')),
    earlierFrom: at(132, 140, column.text('Prior first day')),
    earlierTo: at(140, 148, column.text('Prior last day')),
    earlierHigh: at(148, 153, column.text('Prior high rate')),
    earlierLow: at(158, 163, column.text('Prior low rate')),
  },
  open: openLocations,
  skip({ length, id, county }) {
    if (length !== '211' || !codePattern.test(id)) return null;
    if (county === '') return 'another state';
    return id.slice(4, 8) === '5000' ? 'unincorporated areas are not in any city' : null;
  },
  read({ from, high, low, ...values }, options) {
    const location = { ...values, isByAddress: values.isByAddress === 'Y' };
    const now = { from, to: null, high, low };
    // Zeros or spaces mean that there is no earlier rate.
    if (!/[1-9]/.test(values.earlierFrom)) return readPeriods(location, [now], options);
    return whenRead(readCells(earlier, values), ({ earlierFrom, earlierTo, earlierHigh, earlierLow }) => {
      const before = { from: earlierFrom, to: earlierTo, high: earlierHigh, low: earlierLow };
      return readPeriods(location, [before, now], options);
    });
  },
});
