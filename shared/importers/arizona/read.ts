import { americanDay, earlierEnd } from '../../catalog/days.ts';
import { cityName } from '../../catalog/location/city-name.ts';
import type { Release } from '../../catalog/release.ts';
import { localPart } from '../combined-cities.ts';
import { type ComponentCity, type ComponentRate, Components } from '../components.ts';
import type { Entry } from '../entry.ts';
import { column, type HeadedRow, openHeadedTable } from '../files/headed-rows.ts';
import { bad, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import { readPercent } from '../fractions.ts';
import { type ReadFile, stateFile } from '../importer.ts';
import { namesOf, OwnCodes } from '../own-codes.ts';

const columns = {
  code: column(true, 'RegionCode'),
  name: column(true, 'RegionName'),
  business: column(true, 'BusinessCode'),
  rate: column(true, 'TaxRate'),
  type: column(true, 'TaxRateType'),
  start: column(true, 'RateStartDate'),
  end: column(true, 'RateEndDate'),
};

type Cells = HeadedRow<keyof typeof columns>['cells'];

const retail = '017';

/** The Department's codes of counties, by their Census codes. Cities have two letters: `MP` is the city of Maricopa. */
const counties: Readonly<Record<string, string>> = {
  APA: '001',
  COH: '003',
  COC: '005',
  GLA: '007',
  GRA: '009',
  GRN: '011',
  LAP: '012',
  MAR: '013',
  MOH: '015',
  NAV: '017',
  PMA: '019',
  PNL: '021',
  STC: '023',
  YAV: '025',
  YMA: '027',
};

type Region = ComponentRate & { readonly code: string; readonly name: string; readonly county: string | null };

/** A last day; `null` is open-ended (12/31/9999), and `undefined` is not a date. */
const readEnd = (text: string): string | null | undefined => {
  const day = americanDay(text);
  return day?.startsWith('9999') ? null : (day ?? undefined);
};

const readRegion = ({ code, name, business, rate, type, start, end }: Cells, base: Release): RowResult<Region> => {
  if (business.padStart(3, '0') !== retail) return skipped('another business than retail sales (017)');
  if (type.toLowerCase() !== 'percent') return bad(`TaxRateType is ${type || '(none)'}; expected Percent`);
  const county = counties[code] ?? null;
  if (county === null && !/^[A-Z]{2}$/.test(code)) return skipped('no county or city, and no address names it');
  if (code === 'AZ' || code === 'ST') return skipped('the state, whose rate is in the release');
  const from = americanDay(start);
  if (from === null) return bad(`RateStartDate ${start || '(none)'} is not a date: write it as 1/01/2026`);
  const to = readEnd(end);
  if (to === undefined) return bad(`RateEndDate ${end || '(none)'} is not a date: write it as 12/31/9999`);
  const fraction = readPercent(rate);
  if (fraction === null) return bad(`TaxRate ${rate || '(none)'} is not a rate: write it as 2.500000`);
  if (cityName(name) === null) return bad('names no region: fill in RegionName');
  if (county === null) return row({ code, name, county, from, to, rate: fraction });
  const part = to !== null && to < base.established_from ? null : localPart(base, fraction, from);
  if (part === null) return skipped('ended before the first day of the release');
  if (part.kind !== 'row') return part;
  return row({ code, name, county, from, to: earlierEnd(to, part.value.to), rate: part.value.rate });
};

/**
 * Read Arizona's table of transaction privilege tax rates. Columns and codes: github.com/LukasNAP/TaxAP
 * (tests/az-rates.test.mjs). A county's rate contains the state's. A city's rate is added to its county's, which the file
 * does not name: Levy's tables do.
 */
const readArizona: ReadFile = async function* (path, { base, names, onProgress }) {
  const table = await openHeadedTable(path, columns, onProgress);
  const codes = new OwnCodes('AZ', names);
  const components = new Components();
  const cities = new Map<string, readonly ComponentCity[]>();
  function* use({ code, county, name, ...rate }: Region, line: number): Generator<Entry> {
    if (county !== null) {
      yield* components.add({ ...codes.countyTax(county), reporting_code: code }, rate, line);
      return;
    }
    const places = codes.placesNamed(name);
    const [place] = places;
    if (!place) {
      yield { kind: 'skipped', line, reason: 'a city that is not in the tables of Levy, so its county is unknown' };
      return;
    }
    const tax = { ...codes.cityTax(place), reporting_code: code };
    const called = namesOf(name, place.name);
    cities.set(
      code,
      places.map((one) => ({ names: called, codes: [codes.countyTax(one.county).code, tax.code] })),
    );
    yield* components.add(tax, rate, line);
  }
  function* atEnd(): Generator<Entry> {
    yield* components.entries();
    for (const ofCode of cities.values()) for (const city of ofCode) yield* components.city(city);
  }
  yield* readRows(table, ({ cells }) => readRegion(cells, base), use, { atEnd });
};

export const arizona = stateFile({
  format: 'arizona',
  describe: 'Arizona Department of Revenue, transaction privilege tax rates (TPT_RATETABLE_ALL)',
  file: 'TPT_RATETABLE_ALL_MMDDYYYY.csv',
  state: 'AZ',
  read: readArizona,
});
