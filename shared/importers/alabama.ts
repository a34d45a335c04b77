import { compactDay } from '../catalog/days.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import { type Entry, secondRate } from './entry.ts';
import { bad, column, day, matching, type RowResult, rate, row, skipped, text } from './files/columns.ts';
import { readPercent } from './fractions.ts';
import { assertFits, limits } from './limits.ts';
import { Components } from './local-taxes.ts';
import { listNames, type OwnCodes } from './own-codes.ts';
import { stateTable } from './state-table.ts';

type Locality = {
  readonly code: string;
  readonly name: string;
  /** The code of the county tax that applies in a city; `null` for a county. */
  readonly county: string | null;
  readonly from: string;
  readonly rate: string;
};

type LocalityRow = Locality & { readonly line: number };

/** `CITY OF MOBILE` is Mobile. */
const withoutTitle = (name: string): string => name.replace(/^(?:CITY|TOWN) OF /i, '');

/**
 * Returns the county tax of a code. In addition to its usual code (70..), a county can have codes for the tax in some
 * cities.
 */
const countyTax = (codes: OwnCodes, { code, name }: Locality): Jurisdiction => {
  const fips = codes.countyNamed(name);
  if (fips === undefined) return { ...codes.countyTax(code), name, reporting_code: code };
  const own = codes.countyTax(fips);
  return { ...own, code: code.startsWith('70') ? own.code : `${own.code}-${code}`, reporting_code: code };
};

/**
 * Returns the city tax. A city has a row for each county tax. If the city's tax differs between them, each has a
 * separate code.
 */
const cityTax = (codes: OwnCodes, { code, name, county }: Locality, countyName: string, isUniform: boolean) => {
  const own = codes.cityTax(codes.place(codes.countyNamed(countyName) ?? '', withoutTitle(name)));
  return { ...own, code: isUniform ? own.code : `${own.code}-${county}`, reporting_code: code };
};

/** The rows of a file. A city's row can come before its county's row. */
class Localities {
  private readonly rows = new Map<string, LocalityRow>();
  private readonly codes: OwnCodes;

  constructor(codes: OwnCodes) {
    this.codes = codes;
  }

  add(locality: Locality, line: number): readonly Entry[] {
    const key = `${locality.code} ${locality.county}`;
    const other = this.rows.get(key);
    if (other)
      return [secondRate(line, other.rate === locality.rate && other.from === locality.from, other.name, other)];
    this.rows.set(key, { ...locality, line });
    assertFits(this.rows.size, limits.jurisdictions, 'localities');
    return [];
  }

  *entries(): Generator<Entry> {
    const components = new Components();
    const rows = [...this.rows.values()];
    const add = ({ rate, from, line }: LocalityRow, tax: Jurisdiction) =>
      components.add(tax, { rate, from, to: null }, line);
    for (const row of rows) if (row.county === null) yield* add(row, countyTax(this.codes, row));
    for (const row of rows.filter(({ county }) => county !== null)) {
      const county = this.rows.get(`${row.county} null`);
      // For example, Birmingham has a row for Jefferson County's tax on alcohol in restaurants.
      if (!county) {
        yield { kind: 'skipped', line: row.line, reason: 'its county code has no general sales tax rate' };
        continue;
      }
      const isUniform = rows.every(
        ({ code, rate, from }) => code !== row.code || (rate === row.rate && from === row.from),
      );
      const tax = cityTax(this.codes, row, county.name, isUniform);
      if (!components.has(tax.code)) yield* add(row, tax);
      const names = listNames(withoutTitle(row.name), tax.name);
      components.addCity({ names, codes: [countyTax(this.codes, county).code, tax.code] });
    }
    yield* components.entries();
  }
}

/**
 * Alabama's file of current local rates. Fields: revenue.alabama.gov/sales-use/taxrates-file-help; header:
 * github.com/LukasNAP/TaxAP (tests/al-rates.test.mjs). A city's row contains the code of the county tax that is added
 * to the city's. Rates apply from their Active Date on. Police jurisdictions, outside the city limits, are left out:
 * addresses do not contain their names.
 */
export const alabama = stateTable({
  format: 'alabama',
  describe: 'Alabama Department of Revenue, current local tax rates (taxrates_current.csv)',
  file: 'taxrates_current.csv, with one row for each locality, tax and rate type',
  state: 'AL',
  columns: {
    taxType: text('TaxType'),
    rateType: text('Rate Type'),
    code: matching('Locality Code', /^[79]\d{3}$/, 'a locality code: write 7 or 9 and three digits'),
    name: column(
      'Locality Name',
      (cell) => (listNames(withoutTitle(cell)).length === 0 ? null : cell),
      'a name: fill it in',
    ),
    from: day('Active Date', compactDay, '20261001'),
    inactive: matching('Inactive Date', /^$/, 'empty: import the file of current rates, which has no inactive dates'),
    rate: rate('Rate', readPercent, '4.0000'),
    county: text('County Code'),
  },
  skip: ({ taxType, rateType }) =>
    taxType === 'ST' && rateType === 'GENER' ? null : 'is not a general sales tax rate',
  read({ code, name, from, rate, county }): RowResult<Locality> {
    if (code.startsWith('7')) return row({ code, name, county: null, from, rate });
    if (county === '') return skipped('the city has no county, so its combined rate is unknown');
    if (!/^7\d{3}$/.test(county)) return bad(`County Code ${county} is not a county code: write 7 and three digits`);
    return row({ code, name, county, from, rate });
  },
  collect: ({ codes }) => new Localities(codes),
});
