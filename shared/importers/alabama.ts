import { compactDay } from '../catalog/days.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import type { Entry } from './entry.ts';
import { bad, column, day, matching, type RowResult, rate, row, skipped, text } from './files/columns.ts';
import { readPercent } from './fractions.ts';
import { assertFits, limits } from './limits.ts';
import { LocalTaxes } from './local-taxes.ts';
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

/** Collects the rows until the file ends, because a city's row can come before its county's row. */
const collectLocalities = (codes: OwnCodes) => {
  const taxes = new LocalTaxes();
  const counties = new Map<string, Locality>();
  const cities: { readonly city: Locality; readonly line: number }[] = [];
  const getRate = ({ from, rate }: Locality) => ({ from, to: null, rate });
  return {
    add(locality: Locality, line: number): Iterable<Entry> {
      if (locality.county === null) {
        counties.set(locality.code, locality);
        const tax = { tax: countyTax(codes, locality), rates: [getRate(locality)] };
        return taxes.add([{ names: [], taxes: [tax] }], line);
      }
      assertFits(cities.push({ city: locality, line }), limits.jurisdictions, 'localities');
      return [];
    },
    *entries(): Generator<Entry> {
      for (const { city, line } of cities) {
        const county = counties.get(city.county ?? '');
        // For example, Birmingham has a row for Jefferson County's tax on alcohol in restaurants.
        if (!county) {
          yield { kind: 'skipped', line, reason: 'its county code has no general sales tax rate' };
          continue;
        }
        const name = withoutTitle(city.name);
        const place = codes.place(codes.countyNamed(county.name) ?? '', name);
        const tax = { ...codes.cityTax(place), reporting_code: city.code };
        const own = { tax, rates: [getRate(city)], distinction: county.code };
        const names = listNames(name, place.name);
        yield* taxes.add([{ names, taxes: [{ tax: countyTax(codes, county), rates: [] }, own] }], line);
      }
      yield* taxes.entries();
    },
  };
};

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
  collect: ({ codes }) => collectLocalities(codes),
});
