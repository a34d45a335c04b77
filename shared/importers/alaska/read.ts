import { americanDay, calendarDay } from '../../catalog/days.ts';
import { parseUnits } from '../../catalog/fractions.ts';
import { cityName } from '../../catalog/location/city-name.ts';
import type { Jurisdiction } from '../../catalog/release-values.ts';
import { type ComponentCity, Components } from '../components.ts';
import { type Entry, secondRate } from '../entry.ts';
import { bad, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import type { Row } from '../files/rows.ts';
import { readSheet } from '../files/workbook.ts';
import { readFraction } from '../fractions.ts';
import { type ReadFile, stateFile } from '../importer.ts';
import { namesOf, OwnCodes } from '../own-codes.ts';

const headers = [
  'Borough / Census Tract Name',
  'Borough Tax Rate',
  'Tax Filing Code',
  'Tax Rate Effective Date',
  'City/Taxing Area',
  'City / Taxing Area Sales Tax Rate',
  'Tax Filing Code',
  'Tax Rate Effective Date',
  'Sales Tax Rate Total',
];

/** A tax of a borough or a city; `null` where it has none. */
type Part = { readonly rate: string; readonly code: string; readonly from: string } | null;
type Member = { readonly county: string; readonly borough: Part; readonly city: string; readonly cityTax: Part };

const readPart = (name: string, rate: string, code: string, day: string): RowResult<Part> => {
  const fraction = readFraction(rate || '0');
  if (fraction === null) return bad(`${name} has the rate ${rate}: write it as 0.05`);
  if (fraction === '0') return row(null);
  const from = calendarDay(day) ?? americanDay(day);
  if (from === null) return bad(`${name} has the effective date ${day || '(none)'}: write it as 4/1/2026`);
  return row({ rate: fraction, code, from });
};

const isSum = (total: string, ...parts: readonly Part[]): boolean =>
  parseUnits(total) === parts.reduce((sum, part) => sum + parseUnits(part?.rate ?? '0'), 0n);

/** The city that a consolidated borough is: `Juneau, City and Borough of` and `City and Borough of Juneau` are Juneau. */
const cityOfBorough = (name: string): string | null => {
  if (!/\bcity and borough\b|\bmunicipality\b/i.test(name)) return null;
  return name.replaceAll(/,|\b(?:unified )?(?:city and borough|municipality)\b(?: of\b)?/gi, ' ').trim();
};

const readMember = ({ cells }: Row, codes: OwnCodes): RowResult<Member> => {
  const [name = '', rate = '', code = '', day = '', city = '', cityRate = '', cityCode = '', cityDay = '', sum = ''] =
    cells;
  // Notes stand below the table.
  if (sum === '') return skipped('a line without a total rate');
  const total = readFraction(sum);
  if (total === null) return bad(`Sales Tax Rate Total is ${sum}: write it as 0.05`);
  const county = codes.countyNamed(name);
  if (county === undefined) return skipped('a borough or census area that is not in the tables of Levy');
  const borough = readPart(name, rate, code, day);
  if (borough.kind !== 'row') return borough;
  const cityTax = readPart(city, cityRate, cityCode, cityDay);
  if (cityTax.kind !== 'row') return cityTax;
  if (!isSum(total, borough.value, cityTax.value))
    return bad(`has a total of ${sum}, which is not the sum of its rates`);
  const called = city || cityOfBorough(name);
  if (called === null) return skipped('boroughs have no city that an address names');
  if (cityName(called) === null) return bad('names no city: fill in City/Taxing Area');
  return row({ county, borough: borough.value, city: called, cityTax: cityTax.value });
};

/** Collects the taxes of the members. A borough's tax is in the row of each of its cities. */
class Members {
  private readonly components = new Components();
  private readonly boroughs = new Map<string, Part & { readonly line: number }>();
  private readonly cities: ComponentCity[] = [];
  private readonly codes: OwnCodes;

  constructor(codes: OwnCodes) {
    this.codes = codes;
  }

  *add({ county, borough, city, cityTax }: Member, line: number): Generator<Entry> {
    const place = this.codes.place(county, city);
    const taxes: Jurisdiction[] = [];
    if (borough) {
      const tax = this.codes.countyTax(county);
      const other = this.boroughs.get(county);
      if (!other) yield* this.addTax(tax, borough, line);
      else if (other.rate !== borough.rate || other.from !== borough.from) {
        yield secondRate(line, false, tax.name, other);
        return;
      }
      this.boroughs.set(county, other ?? { ...borough, line });
      taxes.push(tax);
    }
    if (cityTax) {
      const tax = this.codes.cityTax(place);
      yield* this.addTax(tax, cityTax, line);
      taxes.push(tax);
    }
    if (taxes.length > 0) this.cities.push({ names: namesOf(city, place.name), codes: taxes.map(({ code }) => code) });
  }

  private addTax(tax: Jurisdiction, { rate, code, from }: NonNullable<Part>, line: number) {
    return this.components.add(
      { ...tax, ...(code !== '' && { reporting_code: code }) },
      { rate, from, to: null },
      line,
    );
  }

  *entries(): Generator<Entry> {
    yield* this.components.entries();
    for (const city of this.cities) yield* this.components.city(city);
  }
}

/**
 * Read the rate sheet of the Alaska Remote Seller Sales Tax Commission: its members, with the rates of the borough and the
 * city. Layout: github.com/LukasNAP/TaxAP (server/ak-rates.mjs, tests/high-coverage-rates.test.mjs).
 */
const readAlaska: ReadFile = async function* (path, { names, onProgress }) {
  const table = await readSheet(path, headers, onProgress);
  const codes = new OwnCodes('AK', names);
  const members = new Members(codes);
  yield* readRows(
    table,
    (line: Row) => readMember(line, codes),
    (member, line) => members.add(member, line),
    { atEnd: () => members.entries() },
  );
};

export const alaska = stateFile({
  format: 'alaska',
  describe: 'Alaska Remote Seller Sales Tax Commission, sales tax rate sheet (XLSX)',
  file: 'ARSSTC-Sales-Tax-Rate-Sheet-M-D-YY.xlsx',
  state: 'AK',
  read: readAlaska,
});
