import { compactDay } from '../../catalog/days.ts';
import { cityName } from '../../catalog/location/city-name.ts';
import type { Jurisdiction } from '../../catalog/release-values.ts';
import { type ComponentCity, Components } from '../components.ts';
import { type Entry, secondRate } from '../entry.ts';
import { column, type HeadedRow, openHeadedTable } from '../files/headed-rows.ts';
import { bad, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import { readPercent } from '../fractions.ts';
import { type ReadFile, stateFile } from '../importer.ts';
import { assertFits, limits } from '../limits.ts';
import { namesOf, OwnCodes } from '../own-codes.ts';

const columns = {
  code: column(true, 'Locality Code'),
  name: column(true, 'Locality Name'),
  taxType: column(true, 'TaxType'),
  rateType: column(true, 'Rate Type'),
  active: column(true, 'Active Date'),
  inactive: column(true, 'Inactive Date'),
  rate: column(true, 'Rate'),
  county: column(true, 'County Code'),
};

type Cells = HeadedRow<keyof typeof columns>['cells'];

type Locality = {
  readonly code: string;
  readonly name: string;
  /** The code of the county tax that applies in a city; `null` for a county. */
  readonly county: string | null;
  readonly from: string;
  readonly rate: string;
};

/** `CITY OF MOBILE` is Mobile. */
const withoutTitle = (name: string): string => name.replace(/^(?:CITY|TOWN) OF /i, '');

const readLocality = ({
  code,
  name,
  taxType,
  rateType,
  active,
  inactive,
  rate,
  county,
}: Cells): RowResult<Locality> => {
  if (taxType !== 'ST' || rateType !== 'GENER') return skipped('not the general rate of the sales tax');
  if (!/^[79]\d{3}$/.test(code))
    return bad(`Locality Code ${code || '(none)'} is not a locality code: write 7 or 9 and three digits`);
  if (cityName(withoutTitle(name)) === null) return bad('names no locality: fill in Locality Name');
  const from = compactDay(active);
  if (from === null) return bad(`Active Date ${active || '(none)'} is not a date: write it as 20261001`);
  if (inactive !== '') return bad(`Inactive Date is ${inactive}: import the file of current rates, which has none`);
  const fraction = readPercent(rate);
  if (fraction === null) return bad(`Rate ${rate || '(none)'} is not a rate: write it as 4.0000`);
  const isCounty = code.startsWith('7');
  if (!isCounty && county === '') return skipped('the city names no county, so its whole rate is unknown');
  if (!isCounty && !/^7\d{3}$/.test(county))
    return bad(`County Code ${county} is not a county code: write 7 and three digits`);
  return row({ code, name, county: isCounty ? null : county, from, rate: fraction });
};

type LocalityRow = Locality & { readonly line: number };

/** The county tax of a code. A county can have more codes than its own (70..), for the tax in some cities. */
const countyTax = (codes: OwnCodes, { code, name }: Locality): Jurisdiction => {
  const fips = codes.countyNamed(name);
  if (fips === undefined) return { ...codes.countyTax(code), name, reporting_code: code };
  const own = codes.countyTax(fips);
  return { ...own, code: code.startsWith('70') ? own.code : `${own.code}-${code}`, reporting_code: code };
};

/** A city has a row for each county tax. Where its own tax differs between them, each has a code of its own. */
const cityTax = (codes: OwnCodes, { code, name, county }: Locality, countyName: string, isUniform: boolean) => {
  const own = codes.cityTax(codes.place(codes.countyNamed(countyName) ?? '', withoutTitle(name)));
  return { ...own, code: isUniform ? own.code : `${own.code}-${county}`, reporting_code: code };
};

/** The rows of a file. A city's row may come before its county's row. */
class Localities {
  private readonly rows = new Map<string, LocalityRow>();
  private readonly codes: OwnCodes;

  constructor(codes: OwnCodes) {
    this.codes = codes;
  }

  *add(locality: Locality, line: number): Generator<Entry> {
    const key = `${locality.code} ${locality.county}`;
    const other = this.rows.get(key);
    if (other) yield secondRate(line, other.rate === locality.rate && other.from === locality.from, other.name, other);
    else this.rows.set(key, { ...locality, line });
    assertFits(this.rows.size, limits.jurisdictions, 'localities');
  }

  *entries(): Generator<Entry> {
    const components = new Components();
    const add = ({ rate, from, line }: LocalityRow, tax: Jurisdiction) =>
      components.add(tax, { rate, from, to: null }, line);
    const cities = [...this.rows.values()].filter(({ county }) => county !== null);
    for (const row of this.rows.values()) if (row.county === null) yield* add(row, countyTax(this.codes, row));
    const found: ComponentCity[] = [];
    for (const row of cities) {
      const county = this.rows.get(`${row.county} null`);
      // Birmingham has a row for Jefferson County's tax on alcohol in restaurants, for example.
      if (!county) {
        yield { kind: 'skipped', line: row.line, reason: 'its county code has no general rate of the sales tax' };
        continue;
      }
      const isUniform = cities.every(
        ({ code, rate, from }) => code !== row.code || (rate === row.rate && from === row.from),
      );
      const tax = cityTax(this.codes, row, county.name, isUniform);
      if (!components.has(tax.code)) yield* add(row, tax);
      found.push({
        names: namesOf(withoutTitle(row.name), tax.name),
        codes: [countyTax(this.codes, county).code, tax.code],
      });
    }
    yield* components.entries();
    for (const city of found) yield* components.city(city);
  }
}

/**
 * Read Alabama's file of current local rates. Fields: revenue.alabama.gov/sales-use/taxrates-file-help; header:
 * github.com/LukasNAP/TaxAP (tests/al-rates.test.mjs). A city's row names the county tax that is added to the city's.
 * Rates apply from their Active Date on. Police jurisdictions, outside the city limits, have no name that an address
 * gives, and are left out.
 */
const readAlabama: ReadFile = async function* (path, { names, onProgress }) {
  const table = await openHeadedTable(path, columns, onProgress);
  const localities = new Localities(new OwnCodes('AL', names));
  yield* readRows(
    table,
    ({ cells }) => readLocality(cells),
    (locality, line) => localities.add(locality, line),
    { atEnd: () => localities.entries() },
  );
};

export const alabama = stateFile({
  format: 'alabama',
  describe: 'Alabama Department of Revenue, current local tax rates (taxrates_current.csv)',
  file: 'taxrates_current.csv, with one row for each locality, tax and rate type',
  state: 'AL',
  read: readAlabama,
});
