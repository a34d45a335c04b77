import { describe, expect, it } from 'vitest';
import { dayBefore, dayMs, toDay } from '../../shared/base/calendar.ts';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import type { TaxAddress } from '../../shared/catalog/location/address.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { placeRate } from '../../shared/catalog/rates.ts';
import { contentProgram } from '../../shared/cli/content.ts';
import { accepted } from '../../shared/cli/terminal/run-command.ts';
import { now } from '../../shared/config/clock.ts';
import type { Format } from '../../shared/importers/importers.ts';
import { importers } from '../../shared/importers/importers.ts';
import * as store from '../../shared/store/content/content-store.ts';
import { loadContent } from '../../shared/store/content/load-content.ts';
import { type TestFile, tableFile, withFiles } from '../fixtures/imports/harness.ts';
import { boundaryRow, rateRow, rateRows, sstFiles } from '../fixtures/imports/sst.ts';
import { readOutput } from '../support/run-command.ts';
import { later } from '../support/sales.ts';
import { choicesFrom, type Random, seeded } from '../support/seeded.ts';

// Two years of files from simulated publishers, and their expected rates, computed without an importer.

/** A file that a publisher posts. `firstDay` is the first day on which it differs from earlier files. */
type Issue = {
  readonly posted: string;
  readonly firstDay: string;
  readonly files: readonly TestFile[];
  /** The combined rate of a place in millionths from `firstDay`; `null` if the file does not list the place. */
  readonly getRate: (place: string) => number | null;
};

type History = {
  readonly name: string;
  readonly state: string;
  readonly format: Format;
  /** Whether the places are ZIP codes, with or without +4; otherwise they are cities. */
  readonly byZip: boolean;
  /** Whether the files contain dates. */
  readonly isDated: boolean;
  readonly places: readonly string[];
  readonly issues: readonly Issue[];
};

/** A value that changes on some days: the latest entry up to a day applies. `null` means no value. */
type Timeline<Value> = { readonly from: string; readonly value: Value | null }[];

const valueOn = <Value>(timeline: Timeline<Value>, day: string): Value | null =>
  timeline.findLast(({ from }) => from <= day)?.value ?? null;

/** Returns a timeline's entries with their last days, without entries that ended before a given day. */
const entriesFrom = <Value>(timeline: Timeline<Value>, first: string) =>
  timeline.flatMap(({ from, value }, index) => {
    const next = timeline[index + 1];
    const to = next ? dayBefore(next.from) : null;
    return value === null || (to !== null && to < first) ? [] : [{ from, to, value }];
  });

const compact = (day: string | null): string => (day ?? '2999-12-31').replaceAll('-', '');
const fraction = (millionths: number): string => (millionths / 1e6).toFixed(6);
const percentage = (millionths: number): string => (millionths / 1e4).toFixed(4);

const begin = '2026-10-01';
const firstDays = (months: number): readonly string[] =>
  Array.from({ length: 24 / months }, (_, index) => {
    const month = index * months;
    return `${2027 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`;
  });

const tenths = (random: Random): number => 1000 * (1 + random.below(20));

const addDays = (day: string, count: number): string => toDay(Date.parse(day) + count * dayMs);

/** Returns a day up to twelve days before or after the file's first day, so some files are posted late. */
const postedNear = (first: string, random: Random): string => addDays(first, random.below(25) - 12);

const codes = { county: ['00', '053'], city: ['01', '43000'], town: ['01', '58000'] } as const;
type Layer = keyof typeof codes;
const layerSets: readonly (readonly Layer[])[] = [['county'], ['county', 'city'], ['county', 'town'], ['town'], []];

/** The rows of a boundary file: whole ZIPs, and ZIP+4 ranges that cover a ZIP fully or partly. */
const zones = [
  ['55401', '0000', '9999'],
  ['55402', '0000', '4999'],
  ['55402', '5000', '9999'],
  ['55403', '0001', '3000'],
  ['55403', '3001', '8000'],
  ['55404', '0000', '9999'],
] as const;

/**
 * Quarterly rate and boundary files of Minnesota. `keeps`: whether they keep expired rows, as the agreement requires,
 * or omit the expired rows of one or both files.
 */
const streamlined = (seed: number, keeps: { readonly rates: boolean; readonly boundaries: boolean }): History => {
  const random = choicesFrom(seeded(seed));
  const rates = new Map<Layer, Timeline<number>>(
    (Object.keys(codes) as Layer[]).map((layer) => [layer, [{ from: begin, value: tenths(random) }]]),
  );
  const rows = zones.map(
    (): Timeline<readonly Layer[]> => [
      { from: begin, value: layerSets[random.below(layerSets.length)] as readonly Layer[] },
    ],
  );
  const issues = firstDays(3).map((firstDay): Issue => {
    for (const timeline of rates.values())
      if (random.chance(0.3)) timeline.push({ from: firstDay, value: tenths(random) });
    for (const row of rows)
      if (random.chance(0.3))
        row.push({
          from: firstDay,
          value: random.chance(0.15) ? null : (layerSets[random.below(5)] as readonly Layer[]),
        });
    const [ratesFrom, rowsFrom] = [keeps.rates ? begin : firstDay, keeps.boundaries ? begin : firstDay];
    const rateLines = [...rates].flatMap(([layer, timeline]) =>
      entriesFrom(timeline, ratesFrom).map(({ from, to, value }) =>
        rateRow('27', codes[layer][0], codes[layer][1], fraction(value), compact(from), compact(to)),
      ),
    );
    const boundaryLines = rows.flatMap((row, index) =>
      entriesFrom(row, rowsFrom).map(({ from, to, value }) => {
        const [zip, low, high] = zones[index] as (typeof zones)[number];
        const [county, city, town] = (['county', 'city', 'town'] as const).map((layer) => value.includes(layer));
        return boundaryRow({
          type: low === '0000' && high === '9999' ? 'Z' : '4',
          zips: [zip, low, zip, high],
          state: '27',
          from: compact(from),
          to: compact(to),
          ...(county && { county: '053' }),
          ...(city && { place: '43000' }),
          ...(town && { place: '58000' }),
        });
      }),
    );
    const quarter = `${firstDay.slice(0, 4)}Q${(Number(firstDay.slice(5, 7)) + 2) / 3}`;
    const rateOn = (layers: readonly Layer[]): number =>
      layers.reduce((sum, layer) => sum + (valueOn(rates.get(layer) ?? [], firstDay) ?? 0), 68_750);
    const known = rows.map((row) => valueOn(row, firstDay)).map((layers) => layers && rateOn(layers));
    return {
      posted: postedNear(firstDay, random),
      firstDay,
      files: sstFiles('MN', [rateRow('27', '45', '27', '0.06875', '20090701'), ...rateLines], boundaryLines, quarter),
      getRate: (place) => {
        const [zip, plus4] = place.split('-');
        const found = zones.flatMap(([own, low, high], index) =>
          own === zip && (!plus4 || (low <= plus4 && plus4 <= high)) ? (known[index] ?? []) : [],
        );
        return found.length === 0 ? null : Math.min(...found);
      },
    };
  });
  const name = `MN, ${Object.entries(keeps).flatMap(([kind, isKept]) => (isKept ? [`expired ${kind}`] : []))}`;
  const places = ['55401', '55402', '55402-0100', '55402-7000', '55403', '55403-0100', '55403-4000', '55404-1234'];
  return { name, state: 'MN', format: 'sst', byZip: true, isDated: true, places, issues };
};

/** A county with its locality code, or a city with its county. */
const localities: Readonly<Record<string, { readonly code: string; readonly county?: string }>> = {
  'AUTAUGA COUNTY': { code: '7001' },
  'MOBILE COUNTY': { code: '7049' },
  PRATTVILLE: { code: '9146', county: 'AUTAUGA COUNTY' },
  MOBILE: { code: '9102', county: 'MOBILE COUNTY' },
};
const alabamaHeader =
  'Locality Code,Locality Name,County Number,TaxType,Rate Type,Administered,Active Date,Inactive Date,Rate,Indicator,PJ,County Code,PJ_Rate';

/** Monthly files with one name, which list each county's and city's current rate and its first day. */
const alabama = (seed: number): History => {
  const random = choicesFrom(seeded(seed));
  const names = Object.keys(localities);
  const rates = new Map(
    names.map((name): [string, Timeline<number>] => [name, [{ from: begin, value: tenths(random) }]]),
  );
  const getCounty = (place: string) => localities[place]?.county ?? '';
  const issues = firstDays(1).map((firstDay): Issue => {
    for (const [name, timeline] of rates)
      if (random.chance(0.15))
        timeline.push({ from: firstDay, value: getCounty(name) && random.chance(0.15) ? null : tenths(random) });
    const now = new Map([...rates].map(([name, timeline]) => [name, valueOn(timeline, firstDay)]));
    const rows = [...rates].flatMap(([name, timeline]) => {
      const { from, value } = timeline.at(-1) ?? { from: '', value: null };
      const [code, ofCounty] = [localities[name]?.code, localities[getCounty(name)]?.code ?? ''];
      const row = `${code},${name},1,ST,GENER,STATE,${compact(from)},,${percentage(value ?? 0)},RC,N,${ofCounty},0`;
      return value === null ? [] : [row];
    });
    return {
      posted: postedNear(firstDay, random),
      firstDay,
      files: [{ name: 'taxrates_current.csv', content: [alabamaHeader, ...rows].join('\n') }],
      getRate: (place) => {
        const [own, county] = [now.get(place) ?? null, now.get(getCounty(place)) ?? null];
        return own === null || county === null ? null : 40_000 + county + own;
      },
    };
  });
  const places = names.filter(getCounty);
  return {
    name: 'AL, one name for each file',
    state: 'AL',
    format: 'alabama',
    byZip: false,
    isDated: true,
    places,
    issues,
  };
};

const newYorkZips = ['10001', '11201', '12207', '14604'];

/** Tables without dates: their rates apply from the day of the import. */
const undated = (seed: number): History => {
  const random = choicesFrom(seeded(seed));
  const rates = new Map<string, number | null>(newYorkZips.map((zip) => [zip, tenths(random)]));
  const issues = firstDays(1).map((month): Issue => {
    for (const zip of newYorkZips) if (random.chance(0.25)) rates.set(zip, random.chance(0.2) ? null : tenths(random));
    const now = new Map(rates);
    const posted = addDays(month, random.below(20));
    const rows = [...now].flatMap(([zip, rate]) =>
      rate === null ? [] : [`US,NY,${zip},*,${percentage(40_000 + rate)},Tax,1,0,1,`],
    );
    return {
      posted,
      firstDay: posted,
      files: [tableFile('woocommerce', ...rows)],
      getRate: (place) => {
        const rate = now.get(place) ?? null;
        return rate === null ? null : 40_000 + rate;
      },
    };
  });
  const shape = { state: 'NY', format: 'woocommerce', byZip: true, isDated: false } as const;
  return { ...shape, name: 'NY, woocommerce without days', places: newYorkZips, issues };
};

const content = (...args: readonly string[]) => readOutput(contentProgram(), args);

/** Runs at noon of a day by the service's clock. */
const on = <Value>(day: string, run: () => Promise<Value>): Promise<Value> =>
  later(Date.parse(`${day}T12:00:00Z`) - now(), run);

// The gates compare each file with the previous one, and random files change most places.
const activated = ['--activate', '--override', 'vanished,changed,largest,past,cap,built-in,cases'];

const importing = ({ state, format }: History, { files, posted }: Issue) =>
  on(posted, () =>
    withFiles(files, (paths) => {
      const options = importers[format].files.map(({ option }, index) => [`--${option}`, paths[index] ?? '']);
      return content('import', '--format', format, '--state', state, ...options.flat(), ...activated);
    }),
  );

const sampleDays: readonly string[] = Array.from({ length: 52 }, (_, index) => addDays('2026-10-08', index * 16));

type Responses = ReadonlyMap<string, readonly [rate: number | null, ...resolution: unknown[]]>;

/** Returns the rates of all places on all sample days. */
const readResponses = async ({ state, byZip, places }: History, posted: string): Promise<Responses> =>
  on(posted, async () => {
    const addresses = places.map((place) =>
      accepted(readAddress({ state, ...(byZip ? { postal_code: place } : { city: place }) }, '')),
    );
    const releaseFor = await loadContent(addresses);
    const responses = new Map<string, readonly [number | null, ...unknown[]]>();
    for (const day of sampleDays) {
      const responseBy = (content: ReleaseFor, address: TaxAddress) => {
        const { place, resolution } = locate(address, content, day, false);
        const rate =
          place.release && resolution.coverage !== 'none' && placeRate(place.release, place.jurisdictions, day);
        return [rate ? Number(rate) / 100 : null, ...Object.values(resolution)] as const;
      };
      // Excludes releases that apply only to earlier days.
      const recent = await loadContent(addresses, {}, addDays(day, -1));
      for (const [index, address] of addresses.entries()) {
        const response = responseBy(releaseFor, address);
        expect(responseBy(recent, address), `${places[index]} on ${day}, posted ${posted}`).toEqual(response);
        responses.set(`${places[index]} on ${day}`, response);
      }
    }
    return responses;
  });

const dayIn = (key: string): string => key.slice(-10);
const before = (responses: Responses, day: string) =>
  Object.fromEntries([...responses].filter(([key]) => dayIn(key) < day));

/**
 * Imports and activates all files of a history, and checks the rates after each. Returns the number of releases in the
 * last chain, and how many of them apply on the last day.
 */
const live = async (history: History): Promise<{ readonly all: number; readonly recent: number }> => {
  // The first file replaces the built-in tables from the first days of its rates.
  let known: Responses = history.isDated ? new Map() : await readResponses(history, '2026-12-01');
  for (const issue of history.issues) {
    const { firstDay, posted, getRate } = issue;
    await importing(history, issue);
    const responses = await readResponses(history, posted);
    if (known.size > 0)
      expect(before(responses, firstDay), `${history.name}, ${firstDay}`).toEqual(before(known, firstDay));
    for (const [key, response] of responses) {
      if (dayIn(key) < firstDay) continue;
      const expected = getRate(key.slice(0, -14));
      // A place missing from a file keeps the rate of the last file that listed it.
      if (expected !== null) expect([firstDay, key, response[0]]).toEqual([firstDay, key, expected]);
      else if (known.size > 0) expect([firstDay, key, response]).toEqual([firstDay, key, known.get(key)]);
    }
    known = responses;
  }
  const { release } = (await store.readActiveReleases()).states[`US-${history.state}`] ?? {};
  const { chain = [], chain_until: until = [] } = (await store.findHead(release ?? '')) ?? {};
  const lastDay = history.issues.at(-1)?.firstDay ?? '';
  const recent = chain.filter((_, at) => (until[at] ?? lastDay) >= lastDay).length;
  await content('activate', (await readBuiltIn(history.state)) ?? '');
  return { all: chain.length, recent };
};

const readBuiltIn = async (state: string) =>
  (await import('../../shared/catalog/built-in.ts')).builtInRelease(state)?.id;

describe('two years of files', () => {
  it.each([
    streamlined(1, { rates: true, boundaries: true }),
    streamlined(2, { rates: false, boundaries: false }),
    streamlined(3, { rates: true, boundaries: false }),
    alabama(4),
    undated(7),
  ])('keeps the rates of every past day from $name', async (history) => {
    const { all, recent } = await live(history);
    expect(all).toBeGreaterThan(3);
    // Today's rates need at most one release in addition to the newest one.
    expect(recent).toBeLessThanOrEqual(1);
  });
});

it('applies a correction of the same quarter from its first day, with a note in the report and diff', async () => {
  const post = (posted: string, rate: string): Issue => ({
    posted,
    firstDay: '2027-01-01',
    getRate: () => null,
    files: sstFiles(
      'MN',
      rateRows('27', '45 27 0.06875', '00 053 0.004 20200101 20261231', `00 053 ${rate} 20270101`),
      [boundaryRow({ zips: ['55401', '', '55401', ''], state: '27', county: '053' })],
      '2027Q1',
    ),
  });
  const history = { ...streamlined(1, { rates: true, boundaries: true }), places: ['55401'] };
  const said =
    'Results for days before 2027-02-10 also change, starting 2027-01-01, at 1 ZIP or city, by at most 0.25 percentage points (55401 from 7.375% to 7.625% on 2027-01-01).';
  await importing(history, post('2026-12-20', '0.005'));
  const known = await readResponses(history, '2027-02-10');
  expect(known.get('55401 on 2027-01-12')?.[0]).toBe(73_750);
  const out = await importing(history, post('2027-02-10', '0.0075'));
  const corrected = await readResponses(history, '2027-02-11');
  expect(before(corrected, '2027-01-01')).toEqual(before(known, '2027-01-01'));
  expect(corrected.get('55401 on 2027-01-12')?.[0]).toBe(76_250);
  expect(out).toContain(said);
  const { release = '', previous = [] } = (await store.readActiveReleases()).states['US-MN'] ?? {};
  const diff = await on('2027-02-10', () => content('diff', previous[0]?.release ?? '', release ?? ''));
  expect(diff).toContain(said);
});

it('reads a release that applies before and after the days of a newer one', async () => {
  const post = (posted: string, rate: string, days: { readonly from?: string; readonly to?: string }): Issue => ({
    posted,
    firstDay: '2027-01-01',
    getRate: () => null,
    files: sstFiles(
      'MN',
      rateRows('27', '45 27 0.06875', `00 053 ${rate} 20200101`),
      [boundaryRow({ ...days, zips: ['55401', '', '55401', ''], state: '27', county: '053' })],
      '2027Q1',
    ),
  });
  const history = { ...streamlined(1, { rates: true, boundaries: true }), places: ['55401'] };
  await importing(history, post('2026-12-20', '0.005', {}));
  await importing(history, post('2027-01-10', '0.0075', { from: '20270201', to: '20270430' }));
  // The diff compares each day's content with the complete content.
  const responses = await readResponses(history, '2027-01-11');
  const rates = ['2027-01-12', '2027-02-13', '2027-06-21'].map((day) => responses.get(`55401 on ${day}`)?.[0]);
  expect(rates).toEqual([73_750, 76_250, 73_750]);
  const { release = '' } = (await store.readActiveReleases()).states['US-MN'] ?? {};
  expect((await store.findHead(release ?? ''))?.chain_until?.at(0) ?? null).toBeNull();
});
