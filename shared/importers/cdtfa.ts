import { americanDay } from '../catalog/days.ts';
import { cityName, codePart } from '../catalog/local/place-names.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import { day, optional, placeName, rate, row, text, whenRead } from './files/columns.ts';
import { readFractionOrPercent } from './fractions.ts';
import { CombinedCities, type CombinedReading, localPart } from './local-taxes.ts';
import { type OwnCodes, unmatchedCodesNote } from './own-codes.ts';
import { stateTable } from './state-table.ts';

type City = Pick<CombinedReading, 'city' | 'name' | 'key'>;

/** Returns the tax of a city that is missing from the tables. `isShared`: several counties have a city of this name. */
const districtTax = ({ city, name, key }: City, isShared: boolean): Jurisdiction => ({
  code: `US-CA-DISTRICT-${codePart(city)}${isShared ? `-${codePart(key)}` : ''}`,
  name: `${name}, local taxes`,
  type: 'district',
  tax_type: 'sales',
});

/**
 * Returns the jurisdiction that the built-in content uses for all local taxes of a city, which are district taxes
 * (`packRates`).
 */
const builtInTax = (codes: OwnCodes, { city, key }: City): Jurisdiction | undefined => {
  const county = codes.countyNamed(key);
  const place = codes.placesNamed(city).find((one) => one.county === county);
  return place && { ...codes.combinedTax(place), type: 'district' };
};

/**
 * California's rates by city (content notes 2). The rates are combined: the part above the state's rate in the base
 * release becomes one district tax of the city, from the row's day until the city's next row. Keeps a few hundred
 * cities in memory until the file ends. The file has no jurisdiction codes, so the jurisdictions have no reporting
 * code.
 */
export const cdtfa = stateTable({
  format: 'cdtfa',
  describe: 'California sales and use tax rates by city and county (CDTFA, CSV)',
  file: 'CSV with City_name, County_name, RATE and START_DATE',
  state: 'CA',
  columns: {
    city: placeName('City_name', 'JURIS_NAME'),
    proper: optional(text('City_Name_Proper')),
    county: text('County_name'),
    from: day('START_DATE', americanDay, '7/1/2026'),
    // The file has been published with fractions and with percentages.
    rate: rate('RATE', readFractionOrPercent, '0.0725 or 7.25'),
  },
  skip: ({ city }) =>
    cityName(city)?.startsWith('UNINCORPORATED') ? 'unincorporated areas are not in any city' : null,
  read: ({ city, proper, county, from, rate }, { base }) =>
    whenRead(localPart(base, rate, from), (local) =>
      row({ city: cityName(city) ?? '', name: proper || city, key: county, change: { from, ...local } }),
    ),
  collect({ codes }) {
    const kept: string[] = [];
    const cities = new CombinedCities();
    const getTax = (city: City) => (isShared: boolean) => {
      const own = builtInTax(codes, city);
      if (!own) kept.push(city.name);
      return own ?? districtTax(city, isShared);
    };
    return {
      add: (city: Omit<CombinedReading, 'tax'>, line) => cities.add({ ...city, tax: getTax(city) }, line),
      *entries() {
        yield* cities.entries();
        yield* unmatchedCodesNote(kept);
      },
    };
  },
});
