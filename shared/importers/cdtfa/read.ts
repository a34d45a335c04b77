import { americanDay } from '../../catalog/days.ts';
import { cityName, codePart } from '../../catalog/location/city-name.ts';
import type { Release } from '../../catalog/release.ts';
import type { Jurisdiction } from '../../catalog/release-values.ts';
import { CombinedCities, type CombinedCity, type CombinedReading, localPart } from '../combined-cities.ts';
import { column, type HeadedRow, openHeadedTable } from '../files/headed-rows.ts';
import { bad, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import { readFraction, readPercent } from '../fractions.ts';
import { type ReadFile, stateFile } from '../importer.ts';
import { OwnCodes, unmatchedCodesNote } from '../own-codes.ts';

const columns = {
  city: column(true, 'City_name', 'JURIS_NAME'),
  proper: column(false, 'City_Name_Proper'),
  county: column(true, 'County_name'),
  rate: column(true, 'RATE'),
  start: column(true, 'START_DATE'),
};

/** The file has been published with fractions and with percentages; no rate can be read as both. */
const readRate = (text: string): string | null => readFraction(text) ?? readPercent(text);

const readCells = (cells: HeadedRow<keyof typeof columns>['cells'], base: Release): RowResult<CombinedReading> => {
  const city = cityName(cells.city);
  if (city === null) return bad('names no city: fill in City_name');
  if (city.startsWith('UNINCORPORATED')) return skipped('unincorporated areas have no city that an address names');
  const from = americanDay(cells.start);
  if (from === null) return bad(`START_DATE ${cells.start || '(none)'} is not a date: write it as 7/1/2026`);
  const combined = readRate(cells.rate);
  if (combined === null) return bad(`RATE ${cells.rate || '(none)'} is not a rate: write it as 0.0725 or 7.25`);
  const local = localPart(base, combined, from);
  if (local.kind !== 'row') return local;
  const name = cells.proper || cells.city;
  return row({ city, name, key: cells.county, change: { from, ...local.value } });
};

/** The tax of a city that is missing from the tables. `isShared`: several counties have a city of this name. */
const districtOf = ({ city, name, key }: CombinedCity, isShared: boolean): Jurisdiction => ({
  code: `US-CA-DISTRICT-${codePart(city)}${isShared ? `-${codePart(key)}` : ''}`,
  name: `${name}, local taxes`,
  type: 'district',
  tax_type: 'sales',
});

/** The code of the built-in content for all local taxes of a city, which are districts' (`packRates`). */
const taxOf = (codes: OwnCodes, { city, key }: CombinedCity): Jurisdiction | undefined => {
  const county = codes.countyNamed(key);
  const place = codes.placesNamed(city).find((one) => one.county === county);
  return place && { ...codes.combinedTax(place), type: 'district' };
};

/**
 * Read California's rates by city (content notes 2). The rates are combined: the part above the state's rate in the base
 * release becomes one district tax of the city, from the row's day until the city's next row. Holds some hundreds of
 * cities until the file ends. The file has no codes of jurisdictions, so they have no reporting code.
 */
const readCdtfa: ReadFile = async function* (path, { base, names, onProgress }) {
  const table = await openHeadedTable(path, columns, onProgress);
  const codes = new OwnCodes('CA', names);
  const kept: string[] = [];
  const cities = new CombinedCities((city, isShared) => {
    const own = taxOf(codes, city);
    if (!own) kept.push(city.name);
    return own ?? districtOf(city, isShared);
  });
  yield* readRows(
    table,
    ({ cells }) => readCells(cells, base),
    (reading, line) => cities.add(reading, line),
  );
  yield* cities.entries();
  yield* unmatchedCodesNote(kept);
};

export const cdtfa = stateFile({
  format: 'cdtfa',
  describe: 'California sales and use tax rates by city and county (CDTFA, CSV)',
  file: 'CSV with City_name, County_name, RATE and START_DATE',
  state: 'CA',
  read: readCdtfa,
});
