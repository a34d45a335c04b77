import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { combinedRate } from '../../shared/catalog/location/combined-rate.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { importFiles, releaseForOf } from '../fixtures/imports/harness.ts';
import { boundaryRow, rateRows, sstFiles } from '../fixtures/imports/sst.ts';

/** A slow oracle of street rows on plain values, without parsing rows or addresses. */

const zip = '05401';
const places = ['', '10675', '66175'] as const;
const percentOf = { '': 6, '10675': 7, '66175': 8 } as const;
type Place = (typeof places)[number];

/** Words of a street with other spellings of each. */
const pres = { '': [''], N: ['N', 'North', 'N.'], S: ['S', 'SOUTH'] } as const;
const suffixes = { '': [''], ST: ['St', 'STREET', 'Str.'], AVE: ['Ave', 'avenue', 'AV'] } as const;
const names = ['Main', 'LAKE OAK', 'Parker'] as const;
const designators = { APT: ['Apt', 'APARTMENT'], STE: ['Ste.', 'Suite'] } as const;

type Street = { pre: keyof typeof pres; name: (typeof names)[number]; suffix: keyof typeof suffixes };
type Unit = { designator: keyof typeof designators | '#'; number: number };
type Row = {
  street: Street;
  low: number;
  high: number;
  parity: 'E' | 'O' | 'B';
  unit: { designator: keyof typeof designators; low: number; high: number } | null;
  /** Whether its house numbers are missing. */
  isUnread: boolean;
  from: string;
  place: Place;
};
type Address = { street: Street; house: number; unit: Unit | null };

const days = ['2021-06-01', '2023-06-01'] as const;
const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>) =>
  fc.constantFrom(...(Object.keys(table) as Key[]));

const AnyStreet: fc.Arbitrary<Street> = fc.record({
  pre: keysOf(pres),
  name: fc.constantFrom(...names),
  suffix: keysOf(suffixes),
});
/** Mostly one street, so that rows and addresses meet. */
const SomeStreet = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Street>({ pre: '', name: 'Main', suffix: 'ST' }) },
  AnyStreet,
);
const House = fc.integer({ min: 1, max: 12 });
const RandomRow: fc.Arbitrary<Row> = fc
  .record({
    street: SomeStreet,
    ends: fc.tuple(House, House),
    parity: fc.constantFrom('E' as const, 'O' as const, 'B' as const, 'B' as const),
    unit: fc.option(
      fc.record({
        designator: keysOf(designators),
        ends: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
      }),
      { freq: 2 },
    ),
    isUnread: fc.constantFrom(true, ...Array.from({ length: 9 }, () => false)),
    from: fc.constantFrom('20200101', '20200101', '20220101'),
    place: fc.constantFrom(...places),
  })
  .map(({ ends, unit, ...row }) => ({
    ...row,
    low: Math.min(...ends),
    high: Math.max(...ends),
    unit: unit && { designator: unit.designator, low: Math.min(...unit.ends), high: Math.max(...unit.ends) },
  }));
const RandomAddress: fc.Arbitrary<Address> = fc.record({
  street: SomeStreet,
  house: House,
  unit: fc.option(
    fc.record({
      designator: fc.constantFrom('APT' as const, 'STE' as const, '#' as const),
      number: fc.integer({ min: 1, max: 5 }),
    }),
  ),
});

const same = (a: Street, b: Street) => a.pre === b.pre && a.name === b.name && a.suffix === b.suffix;
const hasHouse = (row: Row, house: number) =>
  row.isUnread ||
  (row.low <= house && house <= row.high && (row.parity === 'B' || (row.parity === 'E') === (house % 2 === 0)));

/** Which place the rows give for an address; `null`: they do not have it; `undefined`: they do not decide. */
const slowly = (rows: readonly Row[], { street, house, unit }: Address): Place | null | undefined => {
  const ofName = rows.filter((row) => row.street.name === street.name);
  const own = ofName.filter((row) => same(row.street, street));
  const there = own.filter((row) => hasHouse(row, house));
  if (!ofName.some((row) => hasHouse(row, house))) return own.length > 0 ? null : undefined;
  const whole: Row[] = [];
  const inUnit: Row[] = [];
  const uncertain: Row[] = [];
  for (const row of there) {
    if (row.isUnread) uncertain.push(row);
    else if (!row.unit) whole.push(row);
    else if (!unit || (unit.designator !== '#' && unit.designator !== row.unit.designator)) uncertain.push(row);
    else if (row.unit.low <= unit.number && unit.number <= row.unit.high) inUnit.push(row);
  }
  const certain = inUnit.length > 0 ? inUnit : whole;
  const found = new Set([...certain, ...uncertain].map(({ place }) => place));
  return certain.length > 0 && found.size === 1 ? [...found][0] : undefined;
};

const spelt = (texts: readonly string[], pick: number): string => texts[pick % texts.length] ?? '';

const rowText = ({ street, low, high, parity, unit, isUnread, from, place }: Row, pick: number): string =>
  boundaryRow({
    type: 'A',
    zips: zip,
    state: '50',
    place,
    from,
    street: [
      ...(isUnread ? ['', ''] : [String(low).padStart(pick % 8, '0'), String(high)]),
      parity,
      spelt(pres[street.pre], pick).replace('.', ''),
      street.name.toUpperCase(),
      spelt(suffixes[street.suffix], pick + 1).replace('.', ''),
      '',
      ...(unit ? [unit.designator, String(unit.low), String(unit.high), 'B'] : []),
    ],
  });

const lineText = ({ street, house, unit }: Address, pick: number): string =>
  [
    house,
    spelt(pres[street.pre], pick),
    pick % 2 === 0 ? street.name : street.name.toLowerCase(),
    spelt(suffixes[street.suffix], pick),
    ...(unit ? [unit.designator === '#' ? '#' : spelt(designators[unit.designator], pick), unit.number] : []),
  ]
    .filter((word) => word !== '')
    .join(' ');

const rates = rateRows('50', '45 50 0.06', '01 10675 0.01', '01 66175 0.02');

it('agrees with a slow reading of the rows, on 150 random files with 10 addresses each', async () => {
  const met = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(RandomRow, { minLength: 1, maxLength: 6 }),
      fc.array(RandomAddress, { minLength: 10, maxLength: 10 }),
      fc.option(fc.constantFrom(...places)),
      fc.nat(50),
      async (rows, addresses, whole, pick) => {
        const zipRow = whole === null ? [] : [boundaryRow({ zips: [zip, '', zip, ''], state: '50', place: whole })];
        const texts = rows.map((row, index) => rowText(row, pick + index));
        const imported = await importFiles('sst', 'VT', sstFiles('VT', rates, [...zipRow, ...texts]));
        for (const [index, address] of addresses.entries()) {
          const day = days[index % 2] ?? days[0];
          const line1 = lineText(address, pick + index);
          const read = readAddress({ state: 'VT', postal_code: zip, line1 }, '');
          if (!read.ok) throw new Error(line1);
          const { place, resolution } = locate(read.value, releaseForOf(imported), day, false);
          const live = rows.filter(({ from }) => from <= day.replaceAll('-', ''));
          const found = slowly(live, address);
          const kind = found === undefined ? 'undecided' : found === null ? 'outside' : 'found';
          met.set(kind, (met.get(kind) ?? 0) + 1);
          const codes = place.jurisdictions.map(({ code }) => code);
          const rate = place.release && combinedRate(place.release, codes, day);
          const ofStreets = live.map((row) => row.place);
          if (found !== undefined && found !== null) {
            expect([line1, resolution]).toEqual([line1, { level: 'street', ambiguous: false, coverage: 'complete' }]);
            expect(rate).toBe(BigInt(percentOf[found]) * 1_000_000n);
          } else if (whole !== null) {
            const isAmbiguous = kind === 'undecided' && ofStreets.some((one) => one !== whole);
            expect([line1, resolution]).toEqual([
              line1,
              { level: 'zip5', ambiguous: isAmbiguous, coverage: 'complete' },
            ]);
            expect(rate).toBe(BigInt(percentOf[whole]) * 1_000_000n);
          } else if (live.length === 0) expect(resolution.coverage).toBe('partial');
          else {
            const isAmbiguous = new Set(ofStreets).size > 1;
            expect([line1, resolution]).toEqual([
              line1,
              { level: 'zip5', ambiguous: isAmbiguous, coverage: 'complete' },
            ]);
            expect(rate).toBe(BigInt(Math.min(...ofStreets.map((one) => percentOf[one]))) * 1_000_000n);
          }
        }
      },
    ),
    { numRuns: 150 },
  );
  // Every case must occur at least once.
  for (const kind of ['found', 'outside', 'undecided']) expect(met.get(kind) ?? 0).toBeGreaterThan(150);
});
