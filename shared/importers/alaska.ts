import { americanDay, calendarDay } from '../catalog/days.ts';
import { cityName } from '../catalog/local/place-names.ts';
import { type Jurisdiction, parseUnits } from '../catalog/release-values.ts';
import type { Entry } from './entry.ts';
import { bad, type RowResult, rate, row, skipped, text, type Values, whenRead } from './files/columns.ts';
import { readSheet } from './files/workbook.ts';
import { readFraction } from './fractions.ts';
import { Components } from './local-taxes.ts';
import { listNames, type OwnCodes } from './own-codes.ts';
import { stateTable } from './state-table.ts';

const rateOrNone = (cell: string) => readFraction(cell || '0');

const columns = {
  borough: text('Borough / Census Tract Name'),
  boroughRate: rate('Borough Tax Rate', rateOrNone, '0.05'),
  boroughCode: text('Tax Filing Code'),
  boroughFrom: text('Tax Rate Effective Date'),
  city: text('City/Taxing Area'),
  cityRate: rate('City / Taxing Area Sales Tax Rate', rateOrNone, '0.05'),
  cityCode: text('Tax Filing Code'),
  cityFrom: text('Tax Rate Effective Date'),
  total: rate('Sales Tax Rate Total', readFraction, '0.05'),
};

/** A tax of a borough or a city; `null` if it has none. */
type Part = { readonly rate: string; readonly code: string; readonly from: string } | null;
type Member = { readonly county: string; readonly borough: Part; readonly city: string; readonly cityTax: Part };

const readPart = (name: string, rate: string, code: string, day: string): RowResult<Part> => {
  if (rate === '0') return row(null);
  const from = calendarDay(day) ?? americanDay(day);
  if (from === null) return bad(`${name} has the effective date ${day || '(none)'}: write it as 4/1/2026`);
  return row({ rate, code, from });
};

/**
 * Returns the city of a consolidated borough: `Juneau, City and Borough of` and `City and Borough of Juneau` are
 * Juneau.
 */
const cityOfBorough = (name: string): string | null => {
  if (!/\bcity and borough\b|\bmunicipality\b/i.test(name)) return null;
  return name.replaceAll(/,|\b(?:unified )?(?:city and borough|municipality)\b(?: of\b)?/gi, ' ').trim();
};

const readMember = (values: Values<typeof columns>, codes: OwnCodes): RowResult<Member> => {
  const { borough: name, boroughRate, boroughCode, boroughFrom, cityRate, cityCode, cityFrom, total } = values;
  if (parseUnits(total) !== parseUnits(boroughRate) + parseUnits(cityRate))
    return bad(`has a total of ${total}, which is not the sum of its rates`);
  return whenRead(readPart(name, boroughRate, boroughCode, boroughFrom), (borough) =>
    whenRead(readPart(values.city, cityRate, cityCode, cityFrom), (cityTax) => {
      const city = values.city || cityOfBorough(name);
      if (city === null) return skipped('boroughs are not in any city');
      if (cityName(city) === null) return bad('City/Taxing Area (none) is not a name: fill it in');
      return row({ county: codes.countyNamed(name) ?? '', borough, city, cityTax });
    }),
  );
};

const buildTax = (tax: Jurisdiction, code: string): Jurisdiction => ({
  ...tax,
  ...(code !== '' && { reporting_code: code }),
});

class Members {
  private readonly components = new Components();
  private readonly codes: OwnCodes;

  constructor(codes: OwnCodes) {
    this.codes = codes;
  }

  /** Adds the taxes of a member. A borough's tax is in the row of each of its cities. */
  *add({ county, borough, city, cityTax }: Member, line: number): Generator<Entry> {
    const place = this.codes.place(county, city);
    const taxes: string[] = [];
    if (borough) {
      const tax = buildTax(this.codes.countyTax(county), borough.code);
      const refused = this.components.repeat(tax, { rate: borough.rate, from: borough.from, to: null }, line);
      yield* refused;
      if (refused.length > 0) return;
      taxes.push(tax.code);
    }
    if (cityTax) {
      const tax = buildTax(this.codes.cityTax(place), cityTax.code);
      yield* this.components.add(tax, { rate: cityTax.rate, from: cityTax.from, to: null }, line);
      taxes.push(tax.code);
    }
    if (taxes.length > 0) this.components.addCity({ names: listNames(city, place.name), codes: taxes });
  }

  entries(): Iterable<Entry> {
    return this.components.entries();
  }
}

/**
 * The rate sheet of the Alaska Remote Seller Sales Tax Commission: its members, with the rates of the borough and the
 * city. Layout: github.com/LukasNAP/TaxAP (server/ak-rates.mjs, tests/high-coverage-rates.test.mjs).
 */
export const alaska = stateTable({
  format: 'alaska',
  describe: 'Alaska Remote Seller Sales Tax Commission, sales tax rate sheet (XLSX)',
  file: 'ARSSTC-Sales-Tax-Rate-Sheet-M-D-YY.xlsx',
  state: 'AK',
  columns,
  open: readSheet,
  skip({ borough, total }, { codes }) {
    // The notes below the table have no total.
    if (total === '') return 'is a line without a total rate';
    return codes.countyNamed(borough) === undefined
      ? "is in a borough or census area that is not in Levy's tables"
      : null;
  },
  read: (values, { codes }) => readMember(values, codes),
  collect: ({ codes }) => new Members(codes),
});
