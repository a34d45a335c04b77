import { americanDay, calendarDay } from '../base/calendar.ts';
import { cityName } from '../catalog/local/place-names.ts';
import { type Jurisdiction, parseUnits } from '../catalog/release-values.ts';
import { bad, column, type RowResult, row, skipped, type Values, whenRead } from './files/columns.ts';
import { readSheet } from './files/workbook.ts';
import { readFraction } from './fractions.ts';
import type { TaxedPlace } from './local-taxes.ts';
import { listNames, type OwnCodes } from './own-codes.ts';
import { stateTable } from './state-table.ts';

const rateOrNone = (cell: string) => readFraction(cell || '0');

const columns = {
  borough: column.text('Borough / Census Tract Name'),
  boroughRate: column.rate('Borough Tax Rate', rateOrNone, '0.05'),
  boroughCode: column.text('Tax Filing Code'),
  boroughFrom: column.text('Tax Rate Effective Date'),
  city: column.text('City/Taxing Area'),
  cityRate: column.rate('City / Taxing Area Sales Tax Rate', rateOrNone, '0.05'),
  cityCode: column.text('Tax Filing Code'),
  cityFrom: column.text('Tax Rate Effective Date'),
  total: column.rate('Sales Tax Rate Total', readFraction, '0.05'),
};

/** Returns a tax of a borough or a city; `[]` if it has none. */
const readTax = (
  name: string,
  tax: Jurisdiction,
  [rate, code, day]: readonly [rate: string, code: string, day: string],
): RowResult<TaxedPlace['taxes']> => {
  if (rate === '0') return row([]);
  const from = calendarDay(day) ?? americanDay(day);
  if (from === null) return bad(`${name} has the effective date ${day || '(none)'}: write it as 4/1/2026`);
  return row([
    { tax: { ...tax, ...(code !== '' && { reporting_code: code }) }, rates: [{ rate, from, to: null, isOnly: true }] },
  ]);
};

/**
 * Returns the city of a consolidated borough: `Juneau, City and Borough of` and `City and Borough of Juneau` are
 * Juneau.
 */
const cityOfBorough = (name: string): string | null => {
  if (!/\bcity and borough\b|\bmunicipality\b/i.test(name)) return null;
  return name.replaceAll(/,|\b(?:unified )?(?:city and borough|municipality)\b(?: of\b)?/gi, ' ').trim();
};

/** Reads a member. A borough's tax is in the row of each of its cities. */
const readMember = (values: Values<typeof columns>, codes: OwnCodes): RowResult<readonly TaxedPlace[]> => {
  const { borough, boroughRate, boroughCode, boroughFrom, cityRate, cityCode, cityFrom, total } = values;
  if (parseUnits(total) !== parseUnits(boroughRate) + parseUnits(cityRate))
    return bad(`has a total of ${total}, which is not the sum of its rates: correct one of them`);
  const county = codes.countyNamed(borough) ?? '';
  const city = values.city || cityOfBorough(borough);
  const place = codes.place(county, city ?? '');
  return whenRead(readTax(borough, codes.countyTax(county), [boroughRate, boroughCode, boroughFrom]), (ofBorough) =>
    whenRead(readTax(values.city, codes.cityTax(place), [cityRate, cityCode, cityFrom]), (ofCity) => {
      if (city === null) return skipped('boroughs are not in any city');
      if (cityName(city) === null) return bad('City/Taxing Area is empty: fill it in');
      const taxes = [...ofBorough, ...ofCity];
      if (taxes.length === 0) return skipped('has no local tax');
      return row([{ names: listNames(city, place.name), taxes }]);
    }),
  );
};

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
});
