import { calendarDay } from '../base/calendar.ts';
import { getOrAdd } from '../base/collections.ts';
import { cityName } from '../catalog/local/place-names.ts';
import { stateRateOn } from '../catalog/rates.ts';
import { type Jurisdiction, parseUnits } from '../catalog/release-values.ts';
import { bad, type RowResult, readRows, row, skipped } from './files/columns.ts';
import { type BrokenRow, openTable, type Row } from './files/rows.ts';
import { readFraction } from './fractions.ts';
import type { Entry } from './importer.ts';
import { LocalTaxes, type TaxedPlace } from './local-taxes.ts';
import type { OwnCodes } from './own-codes.ts';
import { stateFile } from './state-table.ts';

/** The type of a jurisdiction by the first digit of the Comptroller's seven-digit code. */
const types = { 2: 'city', 3: 'district', 4: 'county', 5: 'district', 6: 'district' } as const;

/** Returns the type of a code; `undefined` if it has none. */
const getType = (code: string) => types[code[0] as unknown as keyof typeof types];

/** `Bee Cave (Travis Co)` is Bee Cave in Travis County. */
const splitName = (name: string): { readonly city: string; readonly county?: string } => {
  const start = name.indexOf('(');
  if (start < 0 || !name.endsWith(')')) return { city: name };
  return { city: name.slice(0, start).trimEnd(), county: name.slice(start + 1, -1) };
};

const keptCode = (code: string): string => `US-TX-${code}`;

/** Returns the jurisdiction of a city or county in Levy's tables; `undefined` for any other code or name. */
const findBuiltIn = (codes: OwnCodes, name: string, code: string): Jurisdiction | undefined => {
  if (getType(code) === 'county') {
    const county = codes.countyNamed(name);
    return county === undefined ? undefined : codes.countyTax(county);
  }
  if (getType(code) !== 'city') return undefined;
  const { city, county: within } = splitName(name);
  const county = within === undefined ? undefined : codes.countyNamed(within);
  // The tables do not list the county of every place.
  const place = codes
    .placesNamed(city)
    .find((one) => within === undefined || one.county === '' || one.county === county);
  return place && codes.cityTax(place);
};

/**
 * Returns the function that returns the jurisdiction of a name and code in the file. A city or county in Levy's tables
 * gets its code in the built-in content, which rules refer to; any other jurisdiction keeps the file's code. The tables
 * list transit authorities and districts under different names, so these always keep their codes. Two codes are never
 * the same jurisdiction, even if their names are equal.
 */
const newTexasCodes = (codes: OwnCodes) => {
  const found = new Map<string, Jurisdiction>();
  const given = new Set<string>();
  return (name: string, code: string): Jurisdiction =>
    getOrAdd(found, code, () => {
      const builtIn = findBuiltIn(codes, name, code);
      const isOwn = builtIn !== undefined && !given.has(builtIn.code);
      const fallback: Jurisdiction = { code: keptCode(code), name, type: getType(code), tax_type: 'sales' };
      const jurisdiction = { ...(isOwn ? builtIn : fallback), reporting_code: code };
      given.add(jurisdiction.code);
      return jurisdiction;
    });
};
type TexasCodes = ReturnType<typeof newTexasCodes>;

/** Twelve fields: name, code and rate of the area, its county, its transit authority and its special district. */
const areaFields = 12;

type Tax = TaxedPlace['taxes'][number];

const isNone = (text: string): boolean => text === '' || text.toLowerCase() === 'n/a';

const readTax = (codes: TexasCodes, from: string, [name = '', code = '', text = '']: readonly string[]): Tax | null => {
  const rate = readFraction(text);
  if (!/^\d{7}$/.test(code) || getType(code) === undefined || rate === null || name === '') return null;
  const tax = codes(name, code);
  const unmatched = tax.code === keptCode(code) ? `${tax.name} (${code})` : undefined;
  return { tax, rates: [{ rate, from, to: null }], unmatched };
};

/** The legal maximum for the sum of all local taxes of a place. */
const localMax = parseUnits('0.02');

/** Reads an area with its local jurisdictions. Addresses contain only cities. */
const readArea = (cells: readonly string[], codes: TexasCodes, from: string): RowResult<readonly TaxedPlace[]> => {
  if (cells.length !== areaFields) return bad(`has ${cells.length} fields; expected ${areaFields}`);
  const taxes = new Map<string, Tax>();
  for (let index = 0; index < areaFields; index += 3) {
    const fields = cells.slice(index, index + 3);
    const [name = '', code = '', rate = ''] = fields;
    if (isNone(code)) continue;
    const tax = readTax(codes, from, fields);
    if (!tax)
      return bad(`${name} has code ${code} and rate ${rate}; expected a code of seven digits and a rate as a fraction`);
    if (!taxes.has(code)) taxes.set(code, tax);
  }
  const sum = [...taxes.values()]
    .flatMap(({ rates }) => rates)
    .reduce((total, { rate }) => total + parseUnits(rate), 0n);
  if (sum > localMax) return bad('has local taxes that sum to more than 0.02, the maximum in Texas: correct them');
  const [name = '', code = ''] = cells;
  const city = isNone(code) || getType(code) !== 'city' ? null : cityName(splitName(name).city);
  return city === null ? skipped('the area is not a city') : row([{ names: [city], taxes: [...taxes.values()] }]);
};

/** Reads the first line: version, quarter, month, label, the state's rate, zero, number of areas, message. */
const readHeading = (name: string, first: Row | BrokenRow | undefined) => {
  const cells = first && 'cells' in first ? first.cells : [];
  const from = calendarDay(`${cells[2]?.slice(0, 4)}-${cells[2]?.slice(4)}-01`);
  const stateRate = readFraction(cells[4] ?? '');
  const areas = Number(cells[6]);
  if (from === null || stateRate === null || !Number.isInteger(areas))
    throw new Error(`${name} is not the Comptroller's taxrates.txt: line 1 lacks the month, rate or number of areas.`);
  return { from, stateRate, areas };
};

/** Skips the rows before the first area. Every row after it counts as an area. */
async function* listAreas(rows: AsyncIterable<Row | BrokenRow>): AsyncGenerator<Row | BrokenRow> {
  let begun = false;
  for await (const row of rows) {
    // Due dates fill the lines before the areas; none of them has twelve fields.
    begun ||= 'broken' in row || row.cells.length >= areaFields;
    if (begun) yield row;
  }
}

const badFile = (reason: string): Entry => ({ kind: 'bad', isOfFile: true, line: 1, reason });

/**
 * The Texas Comptroller's file of local rates, which apply from the month in the file. A city in several counties or
 * transit areas has several rows, so it is ambiguous. Throws if the first line is invalid.
 */
export const texas = stateFile({
  format: 'texas',
  describe: 'Texas Comptroller, local sales tax rates (taxrates.txt)',
  file: 'taxrates.txt, tab-separated, 12 fields',
  state: 'TX',
  async *read(path, { base, codes: ownCodes, onProgress }) {
    const { name, rows: all } = await openTable(path, onProgress);
    const rows = all[Symbol.asyncIterator]();
    const { from, stateRate, areas } = readHeading(name, (await rows.next()).value);
    const codes = newTexasCodes(ownCodes);
    const taxes = new LocalTaxes();
    let count = 0;
    const readOne = ({ cells }: Row) => {
      count += 1;
      return readArea(cells, codes, from);
    };
    const areaRows = listAreas({ [Symbol.asyncIterator]: () => rows });
    yield* readRows({ name, rows: areaRows }, readOne, (places, line) => taxes.add(places, line));
    yield* taxes.entries();
    const known = stateRateOn(base, from)?.rate;
    if (known !== stateRate)
      yield badFile(`the state's rate is ${stateRate} in the file and ${known ?? 'unknown'} in the release on ${from}`);
    if (count !== areas) yield badFile(`declares ${areas} areas, but the file has ${count}: it is incomplete`);
  },
});
