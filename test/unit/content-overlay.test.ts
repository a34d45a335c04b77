import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import { builtInRelease, builtInReleaseById } from '../../shared/catalog/built-in.ts';
import type { ReleaseHead, ReleasePart } from '../../shared/catalog/content.ts';
import { type ActiveReleases, withActive, withPrevious } from '../../shared/catalog/content.ts';
import { contentLoader } from '../../shared/catalog/loading/content-loader.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { withOwnRules } from '../../shared/catalog/own-rules.ts';
import type { Rule } from '../../shared/catalog/release.ts';
import type { City, Entry, Span } from '../../shared/importers/importer.ts';
import { buildEntries, getHead } from '../fixtures/imports/harness.ts';
import { always, ask, warningCodes } from '../support/builders.ts';
import { buildOwnRules, builtIn } from '../support/local-content.ts';

/** A request address, split into the parts that an import can name. */
type Address = { readonly zip: string | null; readonly plus4: string | null; readonly city: string | null };

/** The ZIPs and cities of a state's imports and requests, and its rate in millionths. The first two ZIPs are adjacent. */
const placesByState = {
  NY: { zips: ['10001', '10002', '12207', '14604'], cities: ['New York', 'Albany', 'Rochester'], own: 40_000 },
  TX: { zips: ['75201', '75202', '78664', '78705'], cities: ['Dallas', 'Austin', 'Round Rock'], own: 62_500 },
  MN: { zips: ['55401', '55402', '55102', '55802'], cities: ['Minneapolis', 'St. Paul', 'Duluth'], own: 68_750 },
  CA: { zips: ['90012', '90013', '94501', '95112'], cities: ['Los Angeles', 'Alameda', 'Oakland'], own: 72_500 },
} as const;
type State = keyof typeof placesByState;

/** The first day of values without a first day in the built-in releases. */
const established = '2026-01-01';

/** A place in an import, and its local rate in millionths with a first day. Before that day, the rate is unknown. */
type Row = { readonly place: Span | City; readonly local: number; readonly rateFrom: string };

const localCode = (state: string, { local, rateFrom }: Omit<Row, 'place'>) => `US-${state}-${local}-FROM-${rateFrom}`;

/** Returns the rows of the narrowest match: the ZIP+4, the narrowest ZIP range, parts of the ZIP, or the city. */
const decidingRows = (rows: readonly Row[], { zip, plus4, city }: Address, day: string): readonly Row[] => {
  const width = ({ place }: Row) => (place.kind === 'city' ? 9999 : Number(place.high) - Number(place.low));
  const there = rows.filter(({ place }) => {
    if (day < (place.from ?? established) || day > (place.to ?? '9999-12-31')) return false;
    if (place.kind === 'city') return city !== null && place.city === city.toUpperCase().replace('.', '');
    return zip !== null && place.low.slice(0, 5) <= zip && zip <= place.high.slice(0, 5);
  });
  const [ranges, whole] = [there.filter((row) => width(row) < 9999), there.filter((row) => width(row) >= 9999)];
  const holding = ranges.filter(({ place }) => place.kind === 'span' && plus4 && isBetween(place, `${zip}${plus4}`));
  if (holding.length > 0) return holding;
  const least = Math.min(...whole.map(width));
  return whole.length > 0 ? whole.filter((row) => width(row) === least) : plus4 === null ? ranges : [];
};
const isBetween = ({ low, high }: Span, zip9: string): boolean => low <= zip9 && zip9 <= high;

/** The combined rate of an import at an address, in millionths; `null` if the import does not apply there. */
const rateIn = ({ state, rows }: ImportedRows, address: Address, day: string): number | null => {
  const known = decidingRows(rows, address, day).filter(({ rateFrom }) => rateFrom <= day);
  return known.length === 0 ? null : placesByState[state].own + Math.min(...known.map(({ local }) => local));
};

type ImportedRows = { readonly state: State; readonly rows: readonly Row[]; readonly completeFrom: string | null };

/** A random import: rows of ZIPs and ZIP+4 ranges, or rows of cities. */
const anyImport = (state: State): fc.Arbitrary<ImportedRows> => {
  const { zips, cities } = placesByState[state];
  const zip = fc
    .tuple(
      fc.constantFrom([zips[0], zips[1]], ...zips.map((one) => [one, one])),
      fc.constantFrom(['0000', '9999'], ['0000', '9999'], ['0001', '1999'], ['2000', '2999']),
    )
    .map(([[low, high], [first, last]]) => ({
      kind: 'span' as const,
      low: `${low}${first}`,
      high: `${first === '0000' ? high : low}${last}`,
    }));
  const city = fc
    .constantFrom(...cities)
    .map((name) => ({ kind: 'city' as const, city: name.toUpperCase().replace('.', '') }));
  const anyRow = (place: typeof zip | typeof city): fc.Arbitrary<Row> =>
    fc
      .record({
        place,
        from: fc.constantFrom(null, '2026-05-01', '2026-11-15', '2027-01-01'),
        to: fc.constantFrom(null, null, '2026-12-31', '2027-01-31'),
        local: fc.integer({ min: 0, max: 60 }).map((steps) => steps * 500),
        rateFrom: fc.constantFrom('2020-01-01', '2020-01-01', '2026-11-20'),
      })
      .filter(({ from, to }) => from === null || to === null || from <= to)
      .map(({ place: where, from, to, ...rate }) => ({
        place: { ...where, from, to, locals: [localCode(state, rate)] },
        ...rate,
      }));
  // The rates of a ZIP's parts make it ambiguous. A city has one rate.
  const citiesOnce = { selector: ({ place }: Row) => place.kind === 'city' && place.city, minLength: 1 };
  return fc.record({
    state: fc.constant(state),
    rows: fc.oneof(fc.array(anyRow(zip), { minLength: 1, maxLength: 4 }), fc.uniqueArray(anyRow(city), citiesOnce)),
    completeFrom: fc.constantFrom(null, null, '2026-02-28', '2026-11-15'),
  });
};

const toEntries = ({ state, rows, completeFrom }: ImportedRows): readonly Entry[] => [
  ...(completeFrom === null ? [] : [{ kind: 'complete_from' as const, day: completeFrom }]),
  ...rows.flatMap(({ place, local, rateFrom }): Entry[] => {
    const code = localCode(state, { local, rateFrom });
    return [
      place,
      {
        kind: 'tax',
        jurisdiction: { code, name: code, type: 'city', tax_type: 'sales' },
        rates: [{ rate: `0.${String(local).padStart(6, '0')}`, from: rateFrom, to: null }],
      },
    ];
  }),
];

/**
 * Imports that overlay each other and the built-in release, compared with a list of layers that is searched from the
 * top.
 */

/** Days before, on and after the first days of the files, and before the built-in releases begin. */
const days = [
  ...['2025-12-31', '2026-02-28', '2026-04-30', '2026-09-30', '2026-11-01', '2026-11-14'],
  ...['2026-11-15', '2026-12-01', '2027-01-01', '2027-02-01'],
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
type Responses = readonly Outcome[];

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
const readResponses = async (service: Service, state: State, settingsSnapshot = {}): Promise<Responses> => {
  const addresses = listAddresses(state);
  const releaseFor = await contentFor(service, state, addresses, settingsSnapshot);
  return addresses.flatMap((address) =>
    days.map((tax_date) => ask({ to: requestAddress(state, address), tax_date, line_items: million }, { releaseFor })),
  );
};

const cases = (state: State) => listAddresses(state).flatMap((address) => days.map((day) => ({ address, day })));

/** An imported file with the layers below it, nearest first. */
type Layer = { readonly id: string; readonly file: ImportedRows; readonly below: readonly Layer[] };

/** The rate of the first layer that is complete on the day, or else of the layer that reaches furthest back. */
const findRate = (layers: readonly Layer[], address: Address, day: string): number | null => {
  const there = layers.flatMap(({ file }) => {
    const rate = rateIn(file, address, day);
    return rate === null ? [] : [{ rate, completeFrom: file.completeFrom ?? '' }];
  });
  const first = there.find(({ completeFrom }) => completeFrom <= day);
  const earliest = there.find((one) => there.every(({ completeFrom }) => one.completeFrom <= completeFrom));
  return (first ?? earliest)?.rate ?? null;
};

const getLayers = (top: Layer | null): readonly Layer[] => (top ? [top, ...top.below] : []);

/** Stores a file over the active layers, with the positions that the import command writes into the head. */
const importOver = async (service: Service, file: ImportedRows, active: Layer | null, id: string) => {
  const { state } = file;
  const builtIn = builtInRelease(state);
  const bottom = builtIn?.id ?? '';
  const position = { below: active?.id ?? bottom, chain: getLayers(active).map((layer) => layer.id), bottom };
  const imported = await buildEntries(state, toEntries(file), builtIn, { position });
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
const expectResponses = (state: State, active: Layer | null, responses: Responses, builtIn: Responses) => {
  for (const [index, { address, day }] of cases(state).entries()) {
    const rate = findRate(getLayers(active), address, day);
    const mistake = mistakeIn(responses[index] as Outcome, builtIn[index] as Outcome, active, rate);
    if (mistake) expect({ active: active?.id, address, day, actual: mistake.actual }).toEqual(mistake.expected);
  }
};

type Step =
  | { readonly kind: 'import'; readonly file: ImportedRows; readonly activates: boolean }
  | { readonly kind: 'activate'; readonly which: number }
  | { readonly kind: 'rollback' };

const listSteps = (state: State): fc.Arbitrary<Step[]> => {
  const Import = fc.record({
    kind: fc.constant('import' as const),
    file: anyImport(state),
    activates: fc.constantFrom(true, true, true, false),
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
      const layer = await importOver(service, step.file, history.at(-1) ?? null, id);
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

// Three imports of Albany. Only the second one is incomplete: before its first complete day, the first one applies.
const albany = { kind: 'city', city: 'ALBANY', from: null, to: null } as const;
const overlaid = [1000, 2000, 3000].map((local): Step => {
  const rate = { local, rateFrom: '2020-01-01' };
  const rows = [{ place: { ...albany, locals: [localCode('NY', rate)] }, ...rate }];
  const completeFrom = local === 2000 ? '2026-11-15' : null;
  return { kind: 'import', file: { state: 'NY', rows, completeFrom }, activates: true };
});

const builtInResponses = new Map<State, Promise<Responses>>();
const readBuiltInResponses = (state: State): Promise<Responses> => {
  const known = builtInResponses.get(state) ?? readResponses(createService(10_000_000), state);
  builtInResponses.set(state, known);
  return known;
};

it('applies imports to the addresses and days in their files, and leaves the rest to the fallback releases', async () => {
  await fc.assert(
    fc.asyncProperty(Run, async ({ state, steps, charactersMax }) => {
      const service = createService(charactersMax);
      const builtIn = await readBuiltInResponses(state);
      const seen = new Map<string | null, Responses>([[null, builtIn]]);
      await play(service, { state, steps }, async (active) => {
        const responses = await readResponses(service, state);
        expectResponses(state, active, responses, builtIn);
        // A rollback, or a new activation, restores every field of every response.
        const id = active?.id ?? null;
        expect(JSON.stringify(responses)).toBe(JSON.stringify(seen.get(id) ?? responses));
        seen.set(id, responses);
      });
      for (const [id, responses] of seen)
        if (id !== null) {
          const settingsSnapshot = await readResponses(service, state, { [`US-${state}`]: id });
          expect(JSON.stringify(settingsSnapshot)).toBe(JSON.stringify(responses));
        }
    }),
    { numRuns: 8, examples: [[{ state: 'NY', steps: overlaid, charactersMax: 20_000 }]] },
  );
});

describe('custom rules', () => {
  const release = builtIn('MN');
  const content = release.rules.find(({ id }) => id === 'mn-clothing') as Rule;
  const getSpan = ({ from, to }: Rule) => [from, to];

  /** Days with the built-in rule, between custom rules with the same id. */
  const daysBeside = (...spans: readonly (readonly [string, string | null])[]) => {
    const rules = spans.map(([from, to]) => ({ ...content, from, to, source: 'own:ruling' }));
    const left = withOwnRules(release, buildOwnRules({ rules })).rules.filter(
      ({ id, source }) => id === content.id && source !== 'own:ruling',
    );
    return left.map(getSpan);
  };

  it('keeps the built-in rule in force on days without a custom rule, including between two custom rules', () => {
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

  it('overrides the built-in policy on coupons', () => {
    const policy = { ...always, policy: 'reduces_price' as const, from: '2026-07-01', source: 'own:ruling' };
    const settings = { sourcing: [], shipping: [], rounding: [], coupons: [policy] };
    const { coupons = [] } = withOwnRules(release, buildOwnRules({ settings })).settings;
    expect(coupons.map(({ policy: name }) => name)).toEqual(['reduces_price', 'full_price']);
  });
});
