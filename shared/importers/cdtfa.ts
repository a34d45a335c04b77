import { americanDay } from '../base/calendar.ts';
import { cityName, codePart } from '../catalog/local/place-names.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import { column, row, whenRead } from './files/columns.ts';
import { readFractionOrPercent } from './fractions.ts';
import { localPart } from './local-taxes.ts';
import type { OwnCodes } from './own-codes.ts';
import { stateTable } from './state-table.ts';

/**
 * Returns the jurisdiction that the built-in content uses for all local taxes of a city, which are district taxes
 * (`packRates`).
 */
const builtInTax = (codes: OwnCodes, city: string, county: string): Jurisdiction | undefined => {
  const place = codes.placesNamed(city).find((one) => one.county === codes.countyNamed(county));
  return place && { ...codes.combinedTax(place), type: 'district' };
};

/** Returns the tax of a city that is missing from the tables. */
const districtTax = (city: string, name: string): Jurisdiction => ({
  code: `US-CA-DISTRICT-${codePart(city)}`,
  name: `${name}, local taxes`,
  type: 'district',
  tax_type: 'sales',
});

/**
 * California's rates by city. The rates are combined: the part above the state's rate in the base release becomes one
 * district tax of the city, from the row's day until the city's next row. Keeps a few hundred cities in memory until
 * the file ends. The file has no jurisdiction codes, so the jurisdictions have no reporting code.
 */
export const cdtfa = stateTable({
  format: 'cdtfa',
  describe: 'California sales and use tax rates by city and county (CDTFA, CSV)',
  file: 'CSV with City_name, County_name, RATE and START_DATE',
  state: 'CA',
  columns: {
    city: column.preferFirst(column.placeName('City_name', 'JURIS_NAME')),
    proper: column.optional(column.text('City_Name_Proper')),
    county: column.text('County_name'),
    from: column.day('START_DATE', americanDay, '7/1/2026'),
    // The file has been published with fractions and with percentages.
    rate: column.rate('RATE', readFractionOrPercent, '0.0725 or 7.25'),
  },
  skip: ({ city }) =>
    cityName(city)?.startsWith('UNINCORPORATED') ? 'unincorporated areas are not in any city' : null,
  read: ({ city: cell, proper, county, from, rate }, { base, codes }) =>
    whenRead(localPart(base, rate, from), (local) => {
      const [city, name] = [cityName(cell) ?? '', proper || cell];
      const own = builtInTax(codes, city, county);
      const missing = { tax: districtTax(city, name), distinction: codePart(county), unmatched: name };
      return row([{ names: [city], taxes: [{ ...(own ? { tax: own } : missing), rates: [local] }] }]);
    }),
});
