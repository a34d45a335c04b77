import { americanDay } from '../base/calendar.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import { column, type RowResult, row, skipped, whenRead } from './files/columns.ts';
import { readPercent } from './fractions.ts';
import { localPart, type TaxedPlace } from './local-taxes.ts';
import { listNames, type OwnCodes } from './own-codes.ts';
import { stateTable } from './state-table.ts';

const retail = '017';

/** The Department's codes of counties, by their Census codes. Cities have two letters: `MP` is the city of Maricopa. */
const counties = new Map(
  'APA 001, COH 003, COC 005, GLA 007, GRA 009, GRN 011, LAP 012, MAR 013, MOH 015, NAV 017, PMA 019, PNL 021, STC 023, YAV 025, YMA 027'
    .split(', ')
    .map((pair) => [pair.slice(0, 3), pair.slice(4)]),
);

/** Returns the tax of a county by its Census code. */
const countyTax = (codes: OwnCodes, fips: string): Jurisdiction => {
  const [code = ''] = [...counties].find(([, county]) => county === fips) ?? [];
  return { ...codes.countyTax(fips), reporting_code: code };
};

/**
 * Arizona's table of transaction privilege tax rates. Columns and codes: github.com/LukasNAP/TaxAP
 * (tests/az-rates.test.mjs). A county's rate includes the state's. A city's rate is added to its county's. The file
 * does not contain a city's county, so it is looked up in Levy's tables.
 */
export const arizona = stateTable({
  format: 'arizona',
  describe: 'Arizona Department of Revenue, transaction privilege tax rates (TPT_RATETABLE_ALL)',
  file: 'TPT_RATETABLE_ALL_MMDDYYYY.csv',
  state: 'AZ',
  columns: {
    code: column.text('RegionCode'),
    name: column.placeName('RegionName'),
    business: column.text('BusinessCode'),
    rate: column.rate('TaxRate', readPercent, '2.500000'),
    type: column.matching('TaxRateType', /^percent$/i, 'Percent'),
    from: column.day('RateStartDate', americanDay, '1/01/2026'),
    to: column.day('RateEndDate', americanDay, '12/31/9999'),
  },
  skip({ code, business }) {
    if (business.padStart(3, '0') !== retail) return 'is for a business other than retail sales (017)';
    if (!counties.has(code) && !/^[A-Z]{2}$/.test(code)) return 'is not for a county or city';
    return code === 'AZ' || code === 'ST' ? 'is for the state, whose rate is in the release' : null;
  },
  read({ code, name, from, to: last, rate }, { base, codes }): RowResult<readonly TaxedPlace[]> {
    const county = counties.get(code);
    const to = last.startsWith('9999') ? null : last;
    if (county !== undefined) {
      if (to !== null && to < base.established_from) return skipped('ended before the first day of the release');
      return whenRead(localPart(base, rate, from), (local) =>
        row([{ names: [], taxes: [{ tax: countyTax(codes, county), rates: [{ ...local, to }] }] }]),
      );
    }
    const places = codes.placesNamed(name);
    const [place] = places;
    if (!place) return skipped("is a city that is not in Levy's tables, so its county is unknown");
    const own = { tax: { ...codes.cityTax(place), reporting_code: code }, rates: [{ rate, from, to }] };
    return row(
      places.map((within) => ({
        names: listNames(name, place.name),
        taxes: [{ tax: countyTax(codes, within.county), rates: [] }, own],
      })),
    );
  },
});
