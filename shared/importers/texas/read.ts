import { calendarDay } from '../../catalog/days.ts';
import { parseUnits } from '../../catalog/fractions.ts';
import { cityName } from '../../catalog/location/city-name.ts';
import { stateRateOn } from '../../catalog/rates.ts';
import type { Jurisdiction } from '../../catalog/release-values.ts';
import type { Entry } from '../entry.ts';
import { bad, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import { type BrokenRow, openTable, type Row } from '../files/rows.ts';
import { readFraction } from '../fractions.ts';
import { type ReadFile, stateFile } from '../importer.ts';
import { OwnCodes, unmatchedCodesNote } from '../own-codes.ts';
import { hasFileCode, TexasCodes, typeOf, withoutCounty } from './codes.ts';

/** Twelve fields: name, code and rate of the area, its county, its transit authority and its special district. */
const areaFields = 12;

type Tax = { readonly jurisdiction: Jurisdiction; readonly rate: string };
type Area = { readonly city: string; readonly taxes: readonly Tax[] };

const isNone = (text: string): boolean => text === '' || text.toLowerCase() === 'n/a';

const readTax = (codes: TexasCodes, name: string, code: string, rateText: string): Tax | null => {
  const rate = readFraction(rateText);
  if (!/^\d{7}$/.test(code) || typeOf(code) === undefined || rate === null || name === '') return null;
  return { jurisdiction: codes.jurisdiction(name, code), rate };
};

/** The legal maximum of all local taxes of a place together. */
const localMax = parseUnits('0.02');

/**
 * Read an area of the Comptroller's file (content notes 2) with its local jurisdictions. The first digit of its code is
 * its type; addresses name only cities.
 */
const readArea = (cells: readonly string[], codes: TexasCodes): RowResult<Area> => {
  if (cells.length !== areaFields) return bad(`has ${cells.length} fields; expected ${areaFields}`);
  const taxes: Tax[] = [];
  for (let index = 0; index < areaFields; index += 3) {
    const [name = '', code = '', rate = ''] = cells.slice(index, index + 3);
    if (isNone(code)) continue;
    const tax = readTax(codes, name, code, rate);
    if (!tax)
      return bad(`${name} has code ${code} and rate ${rate}; expected a code of seven digits and a rate as a fraction`);
    if (!taxes.some(({ jurisdiction }) => jurisdiction.code === tax.jurisdiction.code)) taxes.push(tax);
  }
  const sum = taxes.reduce((total, { rate }) => total + parseUnits(rate), 0n);
  if (sum > localMax)
    return bad('has local taxes of more than 0.02 together, the most that Texas allows: correct them');
  const [name = '', code = ''] = cells;
  const city = isNone(code) || typeOf(code) !== 'city' ? null : cityName(withoutCounty(name));
  return city === null ? skipped('the area is no city, and no address names it') : row({ city, taxes });
};

/** The first line: version, quarter, month, label, the state's rate, zero, number of areas, message. */
type Heading = { readonly from: string; readonly stateRate: string; readonly areas: number };

const readHeading = (name: string, first: Row | BrokenRow | undefined): Heading => {
  const cells = first && 'cells' in first ? first.cells : [];
  const from = calendarDay(`${cells[2]?.slice(0, 4)}-${cells[2]?.slice(4)}-01`);
  const stateRate = readFraction(cells[4] ?? '');
  const areas = Number(cells[6]);
  if (from === null || stateRate === null || !Number.isInteger(areas))
    throw new Error(
      `${name} is not the Comptroller's taxrates.txt: its first line lacks the quarter, the month or the state's rate.`,
    );
  return { from, stateRate, areas };
};

// Due dates fill the lines up to the areas; none has twelve fields.
const isArea = (row: Row | BrokenRow): boolean => 'broken' in row || row.cells.length >= areaFields;

/** The rows from the first area on; every later row counts as an area. */
async function* areasOf(rows: AsyncIterable<Row | BrokenRow>): AsyncGenerator<Row | BrokenRow> {
  let begun = false;
  for await (const row of rows) {
    begun ||= isArea(row);
    if (begun) yield row;
  }
}

/** The rate of each code in its first row; yields entries for new codes. */
class Rates {
  private readonly rates = new Map<string, string>();
  /** The jurisdictions with the file's own codes: `Austin MTA (3227999)`. */
  readonly kept: string[] = [];
  private readonly from: string;

  constructor(from: string) {
    this.from = from;
  }

  conflict(taxes: readonly Tax[]): string | null {
    const tax = taxes.find(({ jurisdiction, rate }) => (this.rates.get(jurisdiction.code) ?? rate) !== rate);
    return tax ? `${tax.jurisdiction.name} has a different rate in an earlier line: correct one of them` : null;
  }

  *entries(taxes: readonly Tax[]): Generator<Entry> {
    for (const { jurisdiction, rate } of taxes) {
      if (this.rates.has(jurisdiction.code)) continue;
      this.rates.set(jurisdiction.code, rate);
      if (hasFileCode(jurisdiction)) this.kept.push(`${jurisdiction.name} (${jurisdiction.reporting_code})`);
      yield { kind: 'jurisdiction', jurisdiction };
      yield { kind: 'rate', rate: { jurisdiction: jurisdiction.code, rate, from: this.from, to: null } };
    }
  }
}

function* cityEntries(rates: Rates, { city, taxes }: Area, from: string, line: number): Generator<Entry> {
  const reason = rates.conflict(taxes);
  if (reason !== null) {
    yield { kind: 'bad', line, reason };
    return;
  }
  yield* rates.entries(taxes);
  yield { kind: 'city', city, from, to: null, locals: taxes.map(({ jurisdiction }) => jurisdiction.code) };
}

/**
 * Read the Texas Comptroller's file of local rates (content notes 2), which apply from its month on. A city that lies in
 * several counties or transit areas has several rows, and is ambiguous. Throws where the first line is not the file's.
 */
const readTexas: ReadFile = async function* (path, { base, names, onProgress }) {
  const table = await openTable(path, onProgress);
  const rows = table.rows[Symbol.asyncIterator]();
  const first = (await rows.next()).value;
  const { from, stateRate, areas } = readHeading(table.name, first);
  const known = stateRateOn(base, from)?.rate;
  if (known !== stateRate)
    yield {
      kind: 'bad',
      isOfFile: true,
      line: 1,
      reason: `the file has ${stateRate} for the state, the release has ${known ?? 'nothing'} on ${from}`,
    };
  const codes = new TexasCodes(new OwnCodes('TX', names));
  const rates = new Rates(from);
  let count = 0;
  const rest = { name: table.name, rows: areasOf({ [Symbol.asyncIterator]: () => rows }) };
  const entries = readRows(rest, readOne, (area, line) => cityEntries(rates, area, from, line));
  function readOne({ cells }: Row) {
    count += 1;
    return readArea(cells, codes);
  }
  yield* entries;
  yield* unmatchedCodesNote(rates.kept);
  if (count !== areas)
    yield {
      kind: 'bad',
      isOfFile: true,
      line: 1,
      reason: `declares ${areas} areas, but the file has ${count}: it is incomplete`,
    };
};

export const texas = stateFile({
  format: 'texas',
  describe: 'Texas Comptroller, local sales tax rates (taxrates.txt)',
  file: 'taxrates.txt, tab-separated, 12 fields',
  state: 'TX',
  read: readTexas,
});
