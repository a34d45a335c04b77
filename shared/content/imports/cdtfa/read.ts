import { dayBefore } from '../../../calendar.ts';
import { cityName, codePart } from '../../location/city-name.ts';
import { stateRateOn } from '../../rates.ts';
import type { Release } from '../../release.ts';
import { americanDay } from '../days.ts';
import type { Entry } from '../entry.ts';
import { column, type HeadedRow, openHeadedTable } from '../files/headed-rows.ts';
import { bad, onlyFile, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import { fractionOf, readFraction, readPercent, unitsOf } from '../fractions.ts';
import type { Importer, Read } from '../importer.ts';
import { assertFits, limits } from '../limits.ts';

const columns = {
  city: column(true, 'City_name', 'JURIS_NAME'),
  proper: column(false, 'City_Name_Proper'),
  county: column(true, 'County_name'),
  rate: column(true, 'RATE'),
  start: column(true, 'START_DATE'),
};

/** A city's rate beyond the state's from a day on. The state rate that was subtracted ends on `stateTo`. */
type Change = { readonly from: string; readonly stateTo: string | null; readonly rate: string; readonly line: number };
type City = { readonly name: string; readonly county: string; readonly changes: Change[] };
type Reading = Omit<City, 'changes'> & { readonly city: string; readonly change: Omit<Change, 'line'> };

/** The file has been published with fractions and with percentages; no rate can be read as both. */
const readRate = (text: string): string | null => readFraction(text) ?? readPercent(text);

const readCells = (cells: HeadedRow<keyof typeof columns>['cells'], base: Release): RowResult<Reading> => {
  const city = cityName(cells.city);
  if (city === null) return bad('names no city: fill in City_name');
  if (city.startsWith('UNINCORPORATED')) return skipped('unincorporated areas have no city that an address names');
  const from = americanDay(cells.start);
  if (from === null) return bad(`START_DATE ${cells.start || '(none)'} is no day: write it as 7/1/2026`);
  const combined = readRate(cells.rate);
  if (combined === null) return bad(`RATE ${cells.rate || '(none)'} is none: write it as 0.0725 or 7.25`);
  // Rates that began before the base release does are still in force on its first day.
  const day = from < base.established_from ? base.established_from : from;
  const known = stateRateOn(base, day);
  const rest = unitsOf(combined) - unitsOf(known?.rate ?? '1');
  if (known === undefined || rest < 0n)
    return bad(
      `the file has ${combined} in all, the release has ${known?.rate ?? 'nothing'} for the state alone on ${day}`,
    );
  const name = cells.proper || cells.city;
  return row({ city, name, county: cells.county, change: { from, stateTo: known.to, rate: fractionOf(rest) } });
};

type Cities = Map<string, City[]>;

function* addChange(cities: Cities, { city, name, county, change }: Reading, line: number): Generator<Entry> {
  const sameName = cities.get(city) ?? [];
  const found = sameName.find((one) => one.county === county) ?? { name, county, changes: [] };
  const other = found.changes.find(({ from }) => from === change.from);
  if (other) {
    const reason = `gives ${name} another rate than line ${other.line} from ${change.from} on: correct one`;
    if (other.rate === change.rate) yield { kind: 'skipped', line, reason: 'repeats another row' };
    else yield { kind: 'bad', line, reason };
    return;
  }
  assertFits(found.changes.length, limits.ratesOfJurisdiction, `rates of ${name}`);
  assertFits(cities.size, limits.cities, 'cities');
  found.changes.push({ ...change, line });
  cities.set(city, [...sameName.filter((one) => one !== found), found]);
}

const lastDay = ({ stateTo }: Change, next: Change | undefined): string | null => {
  const before = next ? dayBefore(next.from) : null;
  return before !== null && stateTo !== null ? (before < stateTo ? before : stateTo) : (before ?? stateTo);
};

function* cityEntries(city: string, { name, county, changes }: City, isShared: boolean): Generator<Entry> {
  const code = `US-CA-DISTRICT-${codePart(city)}${isShared ? `-${codePart(county)}` : ''}`;
  const sorted = changes.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  yield {
    kind: 'jurisdiction',
    jurisdiction: { code, name: `${name}, local taxes`, type: 'district', tax_type: 'sales' },
  };
  for (const [index, change] of sorted.entries()) {
    const days = { from: change.from, to: lastDay(change, sorted[index + 1]) };
    yield { kind: 'rate', rate: { jurisdiction: code, rate: change.rate, ...days } };
    yield { kind: 'city', city, ...days, locals: change.rate === '0' ? [] : [code] };
  }
}

/**
 * Read California's rates by city (content notes 2). The rates are combined: the part above the state's rate in the base
 * release becomes one district tax of the city, from the row's day until the city's next row. Holds some hundreds of
 * cities until the file ends.
 */
const readCdtfa: Read = async function* (files, { base, onProgress }) {
  const table = await openHeadedTable(onlyFile(files), columns, onProgress);
  const cities: Cities = new Map();
  yield* readRows(
    table,
    ({ cells }) => readCells(cells, base),
    (reading, line) => addChange(cities, reading, line),
  );
  for (const [city, sameName] of cities) for (const one of sameName) yield* cityEntries(city, one, sameName.length > 1);
};

export const cdtfa: Importer = {
  format: 'cdtfa',
  describe: 'California sales and use tax rates by city and county (CDTFA, CSV)',
  files: [{ option: 'file', describe: 'CSV with City_name, County_name, RATE and START_DATE' }],
  onlyState: 'CA',
  confidence: 'high',
  match: 'city',
  read: readCdtfa,
};
