import fc from 'fast-check';
import type { Format } from '../../shared/importers/importers.ts';
import type { TestFile } from '../fixtures/imports/harness.ts';
import { boundaryRow, rateRow, sstFiles } from '../fixtures/imports/sst.ts';

/** Random files of each import format, each with a slow reading of its own that no importer took part in. */

/** An address of a request, split into the parts that the slow reference reader compares. */
export type Address = { readonly zip: string | null; readonly plus4: string | null; readonly city: string | null };

/** One import: the files, and the combined rate that they give for an address on a day. */
export type ImportedFile = {
  readonly state: string;
  readonly format: Format;
  readonly files: readonly TestFile[];
  /** Millionths, the state's rate included; `null` where the files have no rate for the address on the day. */
  readonly rateOf: (address: Address, day: string) => number | null;
};

/** A fraction as files write it: 82500 millionths are `0.082500`. */
const fraction = (millionths: number): string => `0.${String(millionths).padStart(6, '0')}`;
const percentage = (millionths: number): string => (millionths / 10_000).toFixed(4);
const dayBefore = (day: string): string => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
const compact = (day: string): string => day.replaceAll('-', '');
const lowest = (rates: readonly (number | null)[]): number | null => {
  const known = rates.filter((rate) => rate !== null);
  return known.length === 0 ? null : Math.min(...known);
};

/** The first day of every value that has none, in the built-in releases. */
const established = '2026-01-01';
/** The first day on which the built-in releases have the rate of a state. */
const stateRateFrom = '2022-01-01';

/** The ZIP codes and cities that the files and the requests of a state name. */
export const placesOf = {
  NY: { zips: ['10001', '11201', '12207', '14604'], cities: ['New York', 'Albany', 'Rochester'] },
  TX: { zips: ['75201', '77002', '78664', '78705'], cities: ['Dallas', 'Austin', 'Round Rock'] },
  MN: { zips: ['55102', '55401', '55402', '55802'], cities: ['Minneapolis', 'St. Paul', 'Duluth'] },
  CA: { zips: ['90012', '94501', '94612', '95112'], cities: ['Los Angeles', 'Alameda', 'Oakland'] },
} as const;
export type State = keyof typeof placesOf;

const stateRates = { NY: 40_000, TX: 62_500, MN: 68_750, CA: 72_500 } as const;

const same = (left: string | null, right: string | null): boolean =>
  left !== null && right !== null && left.toUpperCase() === right.toUpperCase();

const Local = fc.integer({ min: 1, max: 60 }).map((steps) => steps * 500);

/** One row for each ZIP; the month in the file's name is its first day. */
const zipRates = (state: 'NY' | 'TX'): fc.Arbitrary<ImportedFile> =>
  fc
    .record({
      rates: fc.uniqueArray(fc.record({ zip: fc.constantFrom(...placesOf[state].zips), local: fc.nat(20) }), {
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
        rateOf: ({ zip }, day) => {
          const found = rates.find((row) => row.zip === zip);
          return found && day >= first ? own + found.local * 2500 : null;
        },
      };
    });

type WooRow = { readonly zips: readonly string[] | null; readonly city: string | null; readonly rate: number };

const wooText = (state: string, { zips, city, rate }: WooRow): string =>
  `US,${state},${zips?.join(';') ?? '*'},${city ?? '*'},${percentage(rate)},Tax,1,0,1,`;

/** A row of a city in ZIPs comes first, then a row of ZIPs, then a row of a city. */
const rankOf = ({ zips, city }: WooRow): number => (zips === null ? 2 : 0) + (city === null ? 1 : 0);

const firstMatch = (rows: readonly WooRow[], { zip, city }: Pick<Address, 'zip' | 'city'>): WooRow | undefined =>
  rows
    .filter(
      (row) =>
        (row.zips === null || (zip !== null && row.zips.includes(zip))) && (row.city === null || same(row.city, city)),
    )
    .toSorted((a, b) => rankOf(a) - rankOf(b))[0];

/** A row of the whole state names no place, so that it is no answer. */
const wooRate = (rows: readonly WooRow[], { zip, city }: Address): number | null => {
  const named = rows.filter((row) => row.zips !== null || row.city !== null);
  const found = firstMatch(named, { zip, city });
  if (found) return found.rate;
  // Without a city, an address may be in each of the cities that the rows of its ZIP name.
  if (zip === null || city !== null) return null;
  const cities = named.flatMap((row) => (row.zips?.includes(zip) && row.city !== null ? [row.city] : []));
  return lowest(cities.map((one) => firstMatch(named, { zip, city: one })?.rate ?? null));
};

/** Whether only one of two rows can apply at a place that both name. */
const conflict = (a: WooRow, b: WooRow): boolean =>
  rankOf(a) === rankOf(b) &&
  a.rate !== b.rate &&
  same(a.city ?? '', b.city ?? '') &&
  (a.zips === null || a.zips.some((zip) => b.zips?.includes(zip)));

/** Rows of ZIPs, of cities, of cities within ZIPs, and of the state; they apply on every day of the release. */
const wooCommerce = (state: 'NY' | 'TX'): fc.Arbitrary<ImportedFile> => {
  const { zips, cities } = placesOf[state];
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
        rateOf: (address, day) => (day < established ? null : wooRate(rows, address)),
      };
    });
};

/** One or two rates for each city, each from its first day. */
const cdtfa: fc.Arbitrary<ImportedFile> = fc
  .uniqueArray(
    fc.record({
      city: fc.constantFrom(...placesOf.CA.cities),
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
      rateOf: ({ city }, day) => {
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

/** The rate of a county or city on a day: none before its first row as far back as the file is complete, else unknown. */
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

/**
 * The rows that decide: for a ZIP+4 the ranges that contain it, else the rows of the fewest whole ZIPs, else the
 * ranges.
 */
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

/** Minnesota's rate file and boundary file: one county, one city, rows of ZIPs and of ZIP+4 ranges. */
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
      rateOf: (address, day) =>
        lowest(
          sstDeciding(rows, address, day).map(({ isInCity }) => {
            const parts = [county, ...(isInCity ? [city] : [])].map((one) => sstLocalRate(one, completeFrom, day));
            return parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 68_750);
          }),
        ),
    };
  });

/** A random file of a state. */
export const fileOf: Readonly<Record<State, fc.Arbitrary<ImportedFile>>> = {
  NY: fc.oneof(zipRates('NY'), wooCommerce('NY')),
  TX: fc.oneof(zipRates('TX'), wooCommerce('TX')),
  MN: sst,
  CA: cdtfa,
};
