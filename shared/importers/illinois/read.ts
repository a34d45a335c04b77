import { compactDay, earlierEnd } from '../../catalog/days.ts';
import { cityName } from '../../catalog/location/city-name.ts';
import type { Release } from '../../catalog/release.ts';
import type { Jurisdiction } from '../../catalog/release-values.ts';
import { CombinedCities, type CombinedReading, localPart } from '../combined-cities.ts';
import type { Entry } from '../entry.ts';
import { type Line, openLines } from '../files/lines.ts';
import { bad, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import { readPercent } from '../fractions.ts';
import { type ReadFile, stateFile } from '../importer.ts';
import { namesOf, OwnCodes } from '../own-codes.ts';

const width = 211;

/** A period's first group: its high and low rate of general merchandise, for sales at retail. */
type Period = { readonly from: string; readonly to: string | null; readonly high: string; readonly low: string };

type Location = {
  /** The Department's location code, `016-0001-7`. */
  readonly id: string;
  readonly name: string;
  readonly county: string;
  readonly periods: readonly Period[];
  /** The first day from which the rates depend on the address, and are not in the file; `null` if they are. */
  readonly openFrom: string | null;
};

/** `07750` is 7.75 %. */
const readRate = (text: string): string | null =>
  /^\d{5}$/.test(text) ? readPercent(`${text.slice(0, 2)}.${text.slice(2)}`) : null;

type Positions = { readonly begin: number; readonly end?: number; readonly high: number; readonly low: number };

const readPeriod = (text: string, { begin, end, high, low }: Positions): RowResult<Period> => {
  const at = (start: number, length = 5) => text.slice(start, start + length);
  const from = compactDay(at(begin, 8));
  if (from === null) return bad(`first day ${at(begin, 8)} is not a date: write it as 20260701`);
  const to = end === undefined ? null : compactDay(at(end, 8));
  if (end !== undefined && to === null) return bad(`last day ${at(end, 8)} is not a date: write it as 20260630`);
  const [most, least] = [readRate(at(high)), readRate(at(low))];
  if (most === null || least === null)
    return bad(`rates ${at(high)} and ${at(low)} are not rates of five digits: write 6.25 % as 06250`);
  return row({ from, to, high: most, low: least });
};

const readLocation = ({ text }: Line): RowResult<Location> => {
  if (text.length !== width) return bad(`has ${text.length} characters; expected ${width}`);
  const id = text.slice(0, 10);
  const [name, county, isByAddress] = [text.slice(10, 35).trim(), text.slice(35, 60).trim(), text[60]];
  if (!/^\d{3}-\d{4}-\d$/.test(id)) return bad(`${id} is not a location code: write it as 016-0001-7`);
  if (county === '') return skipped('another state');
  if (id.slice(4, 8) === '5000') return skipped('unincorporated areas have no city that an address names');
  if (isByAddress !== 'N' && isByAddress !== 'Y') return bad(`column 61 is ${isByAddress}; expected Y or N`);
  if (cityName(name) === null) return bad('names no city in columns 11 to 35');
  const now = readPeriod(text, { begin: 61, high: 69, low: 79 });
  if (now.kind !== 'row') return now;
  // A location that had no rate before has no earlier period.
  const before = /[1-9]/.test(text.slice(132, 140))
    ? readPeriod(text, { begin: 132, end: 140, high: 148, low: 158 })
    : null;
  if (before !== null && before.kind !== 'row') return before;
  const periods = before ? [before.value, now.value] : [now.value];
  if (isByAddress === 'N') return row({ id, name, county, periods, openFrom: null });
  // The file by address (ordmacha) has the rates, and zeros stand here.
  const [first = now.value] = periods.filter(({ high }) => high === '0');
  return row({ id, name, county, periods: periods.filter(({ high }) => high !== '0'), openFrom: first.from });
};

/** The readings of a location, and the days on which its rates depend on the address. */
type LocationReadings = {
  readonly readings: readonly CombinedReading[];
  readonly open: Extract<Entry, { readonly kind: 'city' }>[];
};

const openReason = 'its rates depend on the address, and are in another file (ordmacha-current.txt)';

const openCity = (city: string, from: string) =>
  ({ kind: 'city', city, from, to: null, locals: [], flags: { of_addresses: true } }) as const;

/** Turns locations into cities, with Levy's codes for their local taxes. */
class Locations {
  readonly taxes = new Map<string, Jurisdiction>();
  private readonly codes: OwnCodes;
  private readonly base: Release;

  constructor(codes: OwnCodes, base: Release) {
    this.codes = codes;
    this.base = base;
  }

  read(line: Line): RowResult<LocationReadings> {
    const location = readLocation(line);
    if (location.kind !== 'row') return location;
    const { id, name, county, periods, openFrom } = location.value;
    const fips = this.codes.countyNamed(county);
    if (fips === undefined) return bad(`is in ${county}, which is not a county of Illinois`);
    const place = this.codes.place(fips, name);
    const [city = '', ...alsoCalled] = namesOf(name, place.name);
    const readings: CombinedReading[] = [];
    const tax = { ...this.codes.combinedTax(place), reporting_code: id };
    for (const { from, to, high, low } of periods) {
      if (to !== null && to < this.base.established_from) continue;
      // Some addresses, as in the Metro East district, have the high rate.
      for (const combined of new Set([low, high])) {
        const local = localPart(this.base, combined, from);
        if (local.kind !== 'row') return local;
        const change = { from, to: earlierEnd(to, local.value.to), rate: local.value.rate };
        const key = combined === low ? id : `${id} high`;
        this.taxes.set(key, combined === low ? tax : { ...tax, code: `${tax.code}-HIGH` });
        readings.push({ city, name: place.name, key, alsoCalled, change, ofAddresses: combined !== low });
      }
    }
    const open = openFrom === null ? [] : [city, ...alsoCalled].map((called) => openCity(called, openFrom));
    return row({ readings, open });
  }
}

/**
 * Read the Illinois Department of Revenue's rates by location, a fixed-width file. Layout: the Department's machine
 * readable file guide for counties and municipalities; rows in github.com/colgeee/daigou-calc-data (tests/test_il.py). The
 * rates contain the state's. A location whose rates depend on the address is ambiguous: the file has its low and its high
 * rate, or none, so that the fallback release applies.
 */
const readIllinois: ReadFile = async function* (path, { base, names, onProgress }) {
  const table = await openLines(path, onProgress);
  const locations = new Locations(new OwnCodes('IL', names), base);
  const cities = new CombinedCities(({ key }) => locations.taxes.get(key) as Jurisdiction);
  function* use({ readings, open }: LocationReadings, line: number): Generator<Entry> {
    for (const reading of readings) yield* cities.add(reading, line);
    if (open.length > 0) yield { kind: 'remark', line, reason: openReason };
    yield* open;
  }
  yield* readRows(table, (line) => locations.read(line), use, { atEnd: () => cities.entries() });
};

export const illinois = stateFile({
  format: 'illinois',
  describe: 'Illinois Department of Revenue, sales tax rates by location (ordmache)',
  file: 'ordmache-current.txt, fixed width, 211 characters',
  state: 'IL',
  read: readIllinois,
});
