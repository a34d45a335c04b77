import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import { builtInRelease, builtInReleaseById } from '../../shared/catalog/built-in.ts';
import type { ReleaseHead, ReleasePart } from '../../shared/catalog/content.ts';
import { type ActiveReleases, withActive, withPrevious } from '../../shared/catalog/content.ts';
import { contentLoader } from '../../shared/catalog/loading/content-loader.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { withOwnRules } from '../../shared/catalog/own-rules.ts';
import type { OwnRules, Release, Rule } from '../../shared/catalog/release.ts';
import type { Format } from '../../shared/importers/importers.ts';
import { readNameTables } from '../../shared/importers/releases/import-files.ts';
import type { TestFile } from '../fixtures/imports/harness.ts';
import { getHead, importFiles } from '../fixtures/imports/harness.ts';
import { boundaryRow, rateRow, sstFiles } from '../fixtures/imports/sst.ts';
import { ask, warningCodes } from '../support/builders.ts';

/** Random files of each import format, each with a slow reference reader that is independent of the importers. */

/** A request address, split into the parts that the reference reader compares. */
type Address = { readonly zip: string | null; readonly plus4: string | null; readonly city: string | null };

/** One import: the files, and their combined rate for an address on a day. */
type ImportedFile = {
  readonly state: string;
  readonly format: Format;
  readonly files: readonly TestFile[];
  /** In millionths, including the state rate; `null` if the files have no rate for the address on the day. */
  readonly getRate: (address: Address, day: string) => number | null;
};

/** Formats a fraction as in the files: 82500 millionths are `0.082500`. */
const fraction = (millionths: number): string => `0.${String(millionths).padStart(6, '0')}`;
const percentage = (millionths: number): string => (millionths / 10_000).toFixed(4);
const dayBefore = (day: string): string => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
const compact = (day: string): string => day.replaceAll('-', '');
const lowest = (rates: readonly (number | null)[]): number | null => {
  const known = rates.filter((rate) => rate !== null);
  return known.length === 0 ? null : Math.min(...known);
};

/** The first day used for values without a first day in the built-in releases. */
const established = '2026-01-01';
/** The first day on which the built-in releases have a state's rate. */
const stateRateFrom = '2022-01-01';

/** The ZIPs and cities in a state's files and requests. */
const placesByState = {
  NY: { zips: ['10001', '11201', '12207', '14604'], cities: ['New York', 'Albany', 'Rochester'] },
  TX: { zips: ['75201', '77002', '78664', '78705'], cities: ['Dallas', 'Austin', 'Round Rock'] },
  MN: { zips: ['55102', '55401', '55402', '55802'], cities: ['Minneapolis', 'St. Paul', 'Duluth'] },
  CA: { zips: ['90012', '94501', '94612', '95112'], cities: ['Los Angeles', 'Alameda', 'Oakland'] },
} as const;
type State = keyof typeof placesByState;

const stateRates = { NY: 40_000, TX: 62_500, MN: 68_750, CA: 72_500 } as const;

const same = (left: string | null, right: string | null): boolean =>
  left !== null && right !== null && left.toUpperCase() === right.toUpperCase();

const Local = fc.integer({ min: 1, max: 60 }).map((steps) => steps * 500);

/** One row per ZIP; the month in the file name is its first day. */
const zipRates = (state: 'NY' | 'TX'): fc.Arbitrary<ImportedFile> =>
  fc
    .record({
      rates: fc.uniqueArray(fc.record({ zip: fc.constantFrom(...placesByState[state].zips), local: fc.nat(20) }), {
        selector: ({ zip }) => zip,
        minLength: 1,
        maxLength: 3,
      }),
      month: fc.constantFrom(null, '202603', '202611', '202612', '202701'),
      risk: fc.constantFrom('1', '1', '3'),
    })
    .map(({ rates, month, risk }) => {
      const own = stateRates[state];
      const rows = rates.map(({ zip, local }) => {
        const [all, part] = [fraction(own + local * 2500), fraction(local * 2500)];
        return `${state},${zip},REGION ${zip},${all},${fraction(own)},0,${part},0,${risk}`;
      });
      const header =
        'State,ZipCode,TaxRegionName,EstimatedCombinedRate,StateRate,EstimatedCountyRate,EstimatedCityRate,EstimatedSpecialRate,RiskLevel';
      const name = month === null ? 'rates.csv' : `TAXRATES_ZIP5_${state}${month}.csv`;
      const first = month === null ? established : `${month.slice(0, 4)}-${month.slice(4)}-01`;
      return {
        state,
        format: 'zip-rates',
        files: [{ name, content: [header, ...rows].join('\n') }],
        getRate: ({ zip }, day) => {
          const found = rates.find((row) => row.zip === zip);
          return found && day >= first ? own + found.local * 2500 : null;
        },
      };
    });

type WooRow = { readonly zips: readonly string[] | null; readonly city: string | null; readonly rate: number };

const wooText = (state: string, { zips, city, rate }: WooRow): string =>
  `US,${state},${zips?.join(';') ?? '*'},${city ?? '*'},${percentage(rate)},Tax,1,0,1,`;

/** Rows for a city within ZIPs take precedence, then rows for ZIPs, then rows for a city. */
const getRank = ({ zips, city }: WooRow): number => (zips === null ? 2 : 0) + (city === null ? 1 : 0);

const firstMatch = (rows: readonly WooRow[], { zip, city }: Pick<Address, 'zip' | 'city'>): WooRow | undefined =>
  rows
    .filter(
      (row) =>
        (row.zips === null || (zip !== null && row.zips.includes(zip))) && (row.city === null || same(row.city, city)),
    )
    .toSorted((a, b) => getRank(a) - getRank(b))[0];

/** A row for the whole state names no place, so it is not a match. */
const wooRate = (rows: readonly WooRow[], { zip, city }: Address): number | null => {
  const named = rows.filter((row) => row.zips !== null || row.city !== null);
  const found = firstMatch(named, { zip, city });
  if (found) return found.rate;
  // Without a city, an address could be in any city that the rows of its ZIP name.
  if (zip === null || city !== null) return null;
  const cities = named.flatMap((row) => (row.zips?.includes(zip) && row.city !== null ? [row.city] : []));
  return lowest(cities.map((one) => firstMatch(named, { zip, city: one })?.rate ?? null));
};

/** Whether only one of two rows can apply to a place that both name. */
const conflict = (a: WooRow, b: WooRow): boolean =>
  getRank(a) === getRank(b) &&
  a.rate !== b.rate &&
  same(a.city ?? '', b.city ?? '') &&
  (a.zips === null || a.zips.some((zip) => b.zips?.includes(zip)));

/** Rows for ZIPs, cities, cities within ZIPs, and the state; they apply on every day of the release. */
const wooCommerce = (state: 'NY' | 'TX'): fc.Arbitrary<ImportedFile> => {
  const { zips, cities } = placesByState[state];
  const Zips = fc.subarray([...zips], { minLength: 1, maxLength: 2 });
  const rate = Local.map((local) => stateRates[state] + local);
  const Row: fc.Arbitrary<WooRow> = fc.oneof(
    fc.record({ zips: Zips, city: fc.constant(null), rate }),
    fc.record({ zips: fc.constant(null), city: fc.constantFrom(...cities), rate }),
    fc.record({ zips: Zips, city: fc.constantFrom(...cities), rate }),
  );
  const Wide = fc.record({
    zips: fc.constant(null),
    city: fc.constant(null),
    rate: fc.constantFrom(stateRates[state], stateRates[state], stateRates[state] + 5000),
  });
  return fc
    .tuple(
      fc
        .array(Row, { minLength: 1, maxLength: 3 })
        .filter((rows) => !rows.some((row, index) => rows.slice(0, index).some((other) => conflict(row, other)))),
      fc.oneof({ arbitrary: fc.constant(null), weight: 3 }, Wide),
    )
    .map(([named, wide]) => {
      const rows = wide ? [...named, wide] : named;
      const header = 'Country code,State code,Postcode / ZIP,City,Rate %,Tax name,Priority,Compound,Shipping,Tax class';
      const content = [header, ...rows.map((row) => wooText(state, row))].join('\n');
      return {
        state,
        format: 'woocommerce',
        files: [{ name: 'tax_rates.csv', content }],
        getRate: (address, day) => (day < established ? null : wooRate(rows, address)),
      };
    });
};

/** One or two rates for each city, each from its first day. */
const cdtfa: fc.Arbitrary<ImportedFile> = fc
  .uniqueArray(
    fc.record({
      city: fc.constantFrom(...placesByState.CA.cities),
      first: fc.constantFrom('2021-07-01', '2026-05-01', '2026-11-15', '2027-01-01'),
      local: fc.integer({ min: 0, max: 14 }).map((steps) => steps * 2500),
    }),
    { selector: ({ city, first }) => `${city} ${first}`, minLength: 1, maxLength: 3 },
  )
  .map((rows) => {
    const american = (day: string) =>
      `${Number(day.slice(5, 7))}/${Number(day.slice(8))}/${day.slice(0, 4)} 12:00:00 AM`;
    const lines = rows.map(
      ({ city, first, local }) => `${city.toUpperCase()},ANY,${fraction(72_500 + local)},${american(first)}`,
    );
    return {
      state: 'CA',
      format: 'cdtfa',
      files: [{ name: 'cdtfa.csv', content: ['City_name,County_name,RATE,START_DATE', ...lines].join('\n') }],
      getRate: ({ city }, day) => {
        const begun = rows.filter((row) => same(row.city, city) && row.first <= day);
        const current = begun.toSorted((a, b) => (a.first < b.first ? 1 : -1))[0];
        return current && day >= stateRateFrom ? 72_500 + current.local : null;
      },
    };
  });

type SstRate = { readonly first: string; readonly rate: number; readonly next: { day: string; rate: number } | null };
type SstRow = {
  readonly zips: readonly [string, string];
  readonly range: readonly [string, string] | null;
  readonly from: string;
  readonly to: string | null;
  readonly isInCity: boolean;
};

const quarter = '2026-10-01';

/** The rate of a county or city on a day: zero before its first row back to the start of the file, unknown before that. */
const sstLocalRate = ({ first, rate, next }: SstRate, completeFrom: string, day: string): number | null => {
  if (day < first) return day < completeFrom ? null : 0;
  return next && day >= next.day ? next.rate : rate;
};

const SstRateRows = (first: string): fc.Arbitrary<SstRate> =>
  fc.record({
    first: fc.constantFrom(first, first, first, '2026-11-15'),
    rate: Local,
    next: fc.option(fc.record({ day: fc.constantFrom('2026-11-20', '2027-01-01'), rate: Local })),
  });

const SstRows: fc.Arbitrary<SstRow> = fc
  .record({
    zips: fc
      .constantFrom(...(['55102', '55401', '55402'] as const))
      .chain((zip) => fc.constantFrom<[string, string]>([zip, zip], [zip, zip], ['55401', '55402'])),
    range: fc.option(fc.constantFrom<[string, string]>(['0001', '1999'], ['2000', '2999'])),
    from: fc.constantFrom('2020-01-01', '2026-05-01', '2026-11-15', '2027-01-01'),
    to: fc.option(fc.constantFrom('2027-01-31', '2026-12-31'), { freq: 3 }),
    isInCity: fc.boolean(),
  })
  .map((row) => (row.range === null ? row : { ...row, zips: [row.zips[0], row.zips[0]] as const }))
  .filter(({ from, to }) => to === null || from <= to);

const sstRateRows = (type: string, code: string, { first, rate, next }: SstRate): string[] =>
  next === null
    ? [rateRow('27', type, code, fraction(rate), compact(first))]
    : [
        rateRow('27', type, code, fraction(rate), compact(first), compact(dayBefore(next.day))),
        rateRow('27', type, code, fraction(next.rate), compact(next.day)),
      ];

const sstBoundaryRow = ({ zips: [low, high], range, from, to, isInCity }: SstRow): string =>
  boundaryRow({
    type: range ? '4' : 'Z',
    zips: [low, range?.[0] ?? '', high, range?.[1] ?? ''],
    state: '27',
    county: '053',
    from: compact(from),
    to: to === null ? '29991231' : compact(to),
    ...(isInCity ? { place: '43000', placeType: '01' } : {}),
  });

/** The deciding rows: for a ZIP+4 the ranges that contain it, then the rows of the fewest whole ZIPs, then the ranges. */
const sstDeciding = (rows: readonly SstRow[], { zip, plus4 }: Address, day: string): readonly SstRow[] => {
  if (zip === null) return [];
  const there = rows.filter(
    ({ zips: [low, high], from, to }) => low <= zip && zip <= high && from <= day && (to === null || day <= to),
  );
  const ranges = there.filter(({ range }) => range !== null);
  const holding = ranges.filter(({ range }) => plus4 !== null && range && range[0] <= plus4 && plus4 <= range[1]);
  if (holding.length > 0) return holding;
  const whole = there.filter(({ range }) => range === null);
  const single = whole.filter(({ zips: [low, high] }) => low === high);
  if (whole.length > 0) return single.length > 0 ? single : whole;
  return plus4 === null ? ranges : [];
};

/** Minnesota's rate and boundary files: one county, one city, rows for ZIPs and for ZIP+4 ranges. */
const sst: fc.Arbitrary<ImportedFile> = fc
  .record({
    county: SstRateRows('2020-01-01'),
    city: SstRateRows('2024-01-01'),
    rows: fc.array(SstRows, { minLength: 1, maxLength: 4 }),
  })
  .map(({ county, city, rows }) => {
    const rates = [
      rateRow('27', '45', '27', '0.06875', '20090701'),
      ...sstRateRows('00', '053', county),
      ...sstRateRows('01', '43000', city),
    ];
    const completeFrom = [quarter, ...[county, city].flatMap(({ next }) => next?.day ?? [])].toSorted()[0] as string;
    return {
      state: 'MN',
      format: 'sst',
      files: sstFiles('MN', rates, rows.map(sstBoundaryRow)),
      getRate: (address, day) =>
        lowest(
          sstDeciding(rows, address, day).map(({ isInCity }) => {
            const parts = [county, ...(isInCity ? [city] : [])].map((one) => sstLocalRate(one, completeFrom, day));
            return parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 68_750);
          }),
        ),
    };
  });

/** A random file of a state. */
const fileByState: Readonly<Record<State, fc.Arbitrary<ImportedFile>>> = {
  NY: fc.oneof(zipRates('NY'), wooCommerce('NY')),
  TX: fc.oneof(zipRates('TX'), wooCommerce('TX')),
  MN: sst,
  CA: cdtfa,
};

describe('imports', () => {
  /**
   * Imports that overlay each other and the built-in release, compared with a list of layers that is searched from the
   * top.
   */

  /** Days before, on and after the first days of the files, and before the built-in releases begin. */
  const days = [
    '2025-12-31',
    '2026-02-28',
    '2026-04-30',
    '2026-09-30',
    '2026-11-01',
    '2026-11-14',
    '2026-11-15',
    '2026-12-01',
    '2027-01-01',
    '2027-02-01',
  ];

  const listAddresses = (state: State): readonly Address[] => {
    const { zips, cities } = placesByState[state];
    const [first, second] = zips;
    const [home, away] = cities;
    return [
      ...zips.map((zip) => ({ zip, plus4: null, city: null })),
      { zip: first, plus4: null, city: home },
      { zip: second, plus4: null, city: away },
      { zip: second, plus4: null, city: 'Nowhere' },
      { zip: second, plus4: '1234', city: null },
      { zip: second, plus4: '2500', city: null },
      { zip: second, plus4: '9000', city: home },
      ...cities.map((city) => ({ zip: null, plus4: null, city })),
      { zip: null, plus4: null, city: null },
    ];
  };

  const requestAddress = (state: string, { zip, plus4, city }: Address) => ({
    state,
    ...(zip === null ? {} : { postal_code: plus4 === null ? zip : `${zip}-${plus4}` }),
    ...(city === null ? {} : { city }),
  });

  type Stored = { readonly head: ReleaseHead; readonly parts: ReadonlyMap<string, ReleasePart> };

  /** A Content table, its directory and a loader, as in one Lambda instance. */
  const createService = (charactersMax: number) => {
    const stored = new Map<string, Stored>();
    const state = { directory: { version: 0, states: {} } as ActiveReleases, nowMs: 0 };
    const measured = <Value>(value: Value | undefined) =>
      value === undefined ? undefined : { value: structuredClone(value), characters: JSON.stringify(value).length };
    const { loadContent } = contentLoader(
      {
        readActive: async () => state.directory,
        readContent: async (heads, names) => ({
          heads: heads.map((id) => measured(stored.get(id)?.head)),
          parts: names.map(({ release, key }) => measured(stored.get(release)?.parts.get(key))),
        }),
        builtIn: builtInRelease,
        builtInById: builtInReleaseById,
        now: () => state.nowMs,
      },
      charactersMax,
    );
    const change = (next: (directory: ActiveReleases) => ActiveReleases) => {
      state.directory = next(state.directory);
      state.nowMs += 60_000;
    };
    return { stored, loadContent, change };
  };

  type Service = ReturnType<typeof createService>;
  type Answers = readonly Outcome[];

  const contentFor = async (
    { loadContent }: Service,
    state: string,
    addresses: readonly Address[],
    settingsSnapshot = {},
  ) =>
    loadContent(
      addresses.flatMap((address) => {
        const read = readAddress(requestAddress(state, address), '');
        return read.ok ? [read.value] : [];
      }),
      settingsSnapshot,
    );

  const million = [{ unit_price: '1000000.00' }];

  /** Calculates every address on every day; `days` is the inner loop. */
  const readAnswers = async (service: Service, state: State, settingsSnapshot = {}): Promise<Answers> => {
    const addresses = listAddresses(state);
    const releaseFor = await contentFor(service, state, addresses, settingsSnapshot);
    return addresses.flatMap((address) =>
      days.map((tax_date) =>
        ask({ to: requestAddress(state, address), tax_date, line_items: million }, { releaseFor }),
      ),
    );
  };

  const cases = (state: State) => listAddresses(state).flatMap((address) => days.map((day) => ({ address, day })));

  /** An imported file with the layers below it, nearest first. */
  type Layer = { readonly id: string; readonly file: ImportedFile; readonly below: readonly Layer[] };

  const getLayers = (top: Layer | null): readonly Layer[] => (top ? [top, ...top.below] : []);

  /** Stores a file over the active layers, with the positions that the import command writes into the head. */
  const importOver = async (
    service: Service,
    file: ImportedFile,
    active: Layer | null,
    id: string,
    onActive: boolean,
  ) => {
    const { state, format, files } = file;
    const builtIn = builtInRelease(state);
    const under = active && service.stored.get(active.id)?.head;
    const bottom = builtIn?.id ?? '';
    const position = { below: active?.id ?? bottom, chain: getLayers(active).map((layer) => layer.id), bottom };
    const imported = await importFiles(format, state, files, {
      position,
      ...(onActive && under ? { base: under } : {}),
    });
    expect(imported.built.summary.bad.count).toBe(0);
    service.stored.set(id, { head: { ...getHead(imported), id }, parts: imported.parts });
    return { id, file, below: getLayers(active) };
  };

  const isNotCovered = (outcome: Outcome) => warningCodes(outcome).includes('not_covered');

  /** Returns the difference of one result, or `null`. Comparing JSON strings is faster than comparing objects. */
  const mistakeIn = (actual: Outcome, builtIn: Outcome, active: Layer | null, rate: number | null) => {
    const releases = active ? { [`US-${active.file.state}`]: active.id } : builtIn.content_releases;
    if (rate !== null && actual.tax_amount !== `${rate}.00`) return { actual: actual.tax_amount, expected: rate };
    const expected = rate === null ? { ...builtIn, content_releases: releases } : actual;
    if (JSON.stringify(actual) !== JSON.stringify(expected)) return { actual, expected };
    if (JSON.stringify(actual.content_releases) !== JSON.stringify(releases)) return { actual, expected: releases };
    return isNotCovered(actual) && !isNotCovered(builtIn) ? { actual, expected: 'covered' } : null;
  };

  /** Compares the results of a service with its layers and with the built-in release alone. */
  const expectAnswers = (state: State, active: Layer | null, answers: Answers, builtIn: Answers) => {
    for (const [index, { address, day }] of cases(state).entries()) {
      const rates = getLayers(active).map(({ file }) => file.getRate(address, day));
      const rate = rates.find((one) => one !== null) ?? null;
      const mistake = mistakeIn(answers[index] as Outcome, builtIn[index] as Outcome, active, rate);
      if (mistake) expect({ active: active?.id, address, day, actual: mistake.actual }).toEqual(mistake.expected);
    }
  };

  /** Creates a service with one active release. */
  const serviceWith = (state: State, id: string, content: Stored) => {
    const service = createService(10_000_000);
    service.stored.set(id, content);
    service.change((directory) => withActive(directory, `US-${state}`, id, '2026-11-22T00:00:00Z'));
    return service;
  };

  type Step =
    | { readonly kind: 'import'; readonly file: ImportedFile; readonly activates: boolean; readonly onActive: boolean }
    | { readonly kind: 'activate'; readonly which: number }
    | { readonly kind: 'rollback' };

  const listSteps = (state: State): fc.Arbitrary<Step[]> => {
    const Import = fc.record({
      kind: fc.constant('import' as const),
      file: fileByState[state],
      activates: fc.constantFrom(true, true, true, false),
      onActive: fc.boolean(),
    });
    const Activate = fc.record({ kind: fc.constant('activate' as const), which: fc.nat(5) });
    const Rollback = fc.constant({ kind: 'rollback' as const });
    return fc
      .tuple(Import, fc.array(fc.oneof({ arbitrary: Import, weight: 3 }, Activate, Rollback), { maxLength: 5 }))
      .map(([first, others]) => [{ ...first, activates: true }, ...others]);
  };

  const Run = fc.constantFrom<State>('NY', 'TX', 'MN', 'CA').chain((state) =>
    fc.record({
      state: fc.constant(state),
      steps: listSteps(state),
      charactersMax: fc.constantFrom(20_000, 10_000_000),
    }),
  );

  /** The previously active releases, earliest first. */
  const activated = (history: readonly (Layer | null)[], layer: Layer | null): readonly (Layer | null)[] => {
    if (layer === (history.at(-1) ?? null)) return history;
    const known = history.indexOf(layer);
    return known < 0 ? [...history, layer] : history.slice(0, known + 1);
  };

  /** Runs the steps, and calls back after each one with the release that must be active then. */
  const play = async (
    service: Service,
    { state, steps }: { readonly state: State; readonly steps: readonly Step[] },
    onStep: (active: Layer | null, layers: readonly Layer[]) => Promise<void>,
  ) => {
    const layers: Layer[] = [];
    let history: readonly (Layer | null)[] = [];
    const code = `US-${state}`;
    const activate = (layer: Layer | null) => {
      history = activated(history, layer);
      service.change((directory) => withActive(directory, code, layer?.id ?? null, '2026-11-22T00:00:00Z'));
    };
    for (const step of steps) {
      if (step.kind === 'import') {
        const id = `${code}@2026-11-22.${101 + layers.length}`;
        const layer = await importOver(service, step.file, history.at(-1) ?? null, id, step.onActive);
        layers.push(layer);
        if (step.activates) activate(layer);
      } else if (step.kind === 'activate') {
        activate([null, ...layers][step.which % (layers.length + 1)] ?? null);
      } else {
        history = history.slice(0, -1);
        service.change((directory) => withPrevious(directory, code, '2026-11-22T00:00:00Z'));
      }
      await onStep(history.at(-1) ?? null, layers);
    }
  };

  const builtInAnswers = new Map<State, Promise<Answers>>();
  const readBuiltInAnswers = (state: State): Promise<Answers> => {
    const known = builtInAnswers.get(state) ?? readAnswers(createService(10_000_000), state);
    builtInAnswers.set(state, known);
    return known;
  };

  describe('imports over the active release', () => {
    it('apply to the addresses and days in their files, and leave the rest to the fallback releases', async () => {
      await fc.assert(
        fc.asyncProperty(Run, async ({ state, steps, charactersMax }) => {
          const service = createService(charactersMax);
          const builtIn = await readBuiltInAnswers(state);
          const seen = new Map<string | null, Answers>([[null, builtIn]]);
          await play(service, { state, steps }, async (active) => {
            const answers = await readAnswers(service, state);
            expectAnswers(state, active, answers, builtIn);
            // A rollback, or a new activation, restores every field of every response.
            const id = active?.id ?? null;
            expect(JSON.stringify(answers)).toBe(JSON.stringify(seen.get(id) ?? answers));
            seen.set(id, answers);
          });
          for (const [id, answers] of seen)
            if (id !== null) {
              const settingsSnapshot = await readAnswers(service, state, { [`US-${state}`]: id });
              expect(JSON.stringify(settingsSnapshot)).toBe(JSON.stringify(answers));
            }
        }),
        { numRuns: 8 },
      );
    });
  });

  /** Creates a service with a file over the built-in release. */
  const serviceOfFile = async (state: State, { format, files }: Pick<ImportedFile, 'format' | 'files'>) => {
    const id = `US-${state}@2026-11-22.101`;
    const bottom = builtInRelease(state)?.id ?? '';
    const position = { below: bottom, chain: [], bottom };
    const imported = await importFiles(format, state, files, { names: await readNameTables(state), position });
    const head = { ...getHead(imported), id };
    return { id, imported, service: serviceWith(state, id, { head, parts: imported.parts }) };
  };

  const readTax = async (service: Service, state: State, to: Address, tax_date: string, from?: Address) => {
    const releaseFor = await contentFor(service, state, from ? [to, from] : [to]);
    const ship_from = from ? { ship_from: { address: requestAddress(state, from) } } : {};
    return ask({ to: requestAddress(state, to), tax_date, line_items: million, ...ship_from }, { releaseFor });
  };

  const place = (zip: string | null, city: string | null = null): Address => ({ zip, plus4: null, city });

  describe('a sale within California from or to an imported city', () => {
    const content = 'City_name,County_name,RATE,START_DATE\nALAMEDA,ALAMEDA,0.1200,7/1/2021';
    const files = [{ name: 'cdtfa.csv', content }];
    const [alameda, losAngeles] = [place('94501', 'Alameda'), place('90012', 'Los Angeles')];

    it.each([
      { what: 'from the imported one', from: alameda, to: losAngeles, local: '0.025', tax: '97500.00' },
      { what: 'to the imported one', from: losAngeles, to: alameda, local: '0.0475', tax: '120000.00' },
    ])(
      '$what uses the state of its origin and the districts of its destination, and cites the import',
      async (sale) => {
        const { service, id } = await serviceOfFile('CA', { format: 'cdtfa', files });
        const outcome = await readTax(service, 'CA', sale.to, '2026-11-15', sale.from);
        expect(outcome).toMatchObject({ tax_amount: sale.tax, content_releases: { 'US-CA': id } });
        const rows = outcome.line_items[0]?.taxes ?? [];
        expect(rows.map(({ rate, sourcing, jurisdiction_type }) => [jurisdiction_type, rate, sourcing])).toEqual([
          ['state', '0.0725', 'origin'],
          ['district', sale.local, 'destination'],
        ]);
        expect(outcome.line_items[0]?.address_resolution.coverage).toBe('complete');
      },
    );

    // Only an address with the city is in the import; the fallback release has a different rate for the same
    // jurisdiction.
    it.each([
      { what: 'to the imported one', from: place('94501'), to: alameda, tax: '120000.00' },
      { what: 'from the imported one', from: alameda, to: place('94501'), tax: '107500.00' },
    ])('$what uses the rate of the release that covers its destination', async ({ from, to, tax }) => {
      const { service } = await serviceOfFile('CA', { format: 'cdtfa', files });
      const outcome = await readTax(service, 'CA', to, '2026-11-15', from);
      const codes = outcome.line_items[0]?.taxes.map(({ jurisdiction_code }) => jurisdiction_code);
      expect([outcome.tax_amount, codes]).toEqual([tax, ['US-CA', 'US-CA-001-00562']]);
    });
  });
});

describe('custom rules', () => {
  const release = builtInRelease('MN') as Release;
  const content = release.rules.find(({ id }) => id === 'mn-clothing') as Rule;
  const getSpan = ({ from, to }: Rule) => [from, to];

  /** Days with the built-in rule, between custom rules with the same id. */
  const daysBeside = (...spans: readonly (readonly [string, string | null])[]) => {
    const rules = spans.map(([from, to]) => ({ ...content, from, to, source: 'own:ruling' }));
    const own: OwnRules = {
      sources: { 'own:ruling': 'A ruling' },
      jurisdictions: [],
      rates: [],
      rules,
      settings: { sourcing: [], shipping: [], rounding: [], coupons: [] },
    };
    const left = withOwnRules(release, own).rules.filter(
      ({ id, source }) => id === content.id && source !== 'own:ruling',
    );
    return left.map(getSpan);
  };

  it('leave the built-in rule in force on days without a custom rule, including between two custom rules', () => {
    const [from, to] = getSpan(content);
    expect(to).toBeNull();
    expect(daysBeside(['2026-01-01', null])).toEqual([[from, '2025-12-31']]);
    expect(daysBeside(['2026-01-01', '2026-03-31'], ['2026-07-01', '2026-09-30'])).toEqual([
      [from, '2025-12-31'],
      ['2026-04-01', '2026-06-30'],
      ['2026-10-01', null],
    ]);
    expect(daysBeside(['2026-07-01', '2026-09-30'], ['2026-10-01', null])).toEqual([[from, '2026-06-30']]);
  });

  it('override the built-in policy on coupons', () => {
    const policy = {
      policy: 'reduces_price',
      from: '2026-07-01',
      to: null,
      source: 'own:ruling',
      confidence: 'high',
    } as const;
    const own: OwnRules = {
      sources: { 'own:ruling': 'A ruling' },
      jurisdictions: [],
      rates: [],
      rules: [],
      settings: { sourcing: [], shipping: [], rounding: [], coupons: [policy] },
    };
    const { coupons = [] } = withOwnRules(release, own).settings;
    expect(coupons.map(({ policy: name }) => name)).toEqual(['reduces_price', 'full_price']);
  });
});
