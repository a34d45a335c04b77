import fc from 'fast-check';
import { expect, it } from 'vitest';
import { locate } from '../../shared/content/location/place.ts';
import type { Location } from '../../shared/content/release.ts';
import { locationOf, releaseOf } from '../support/builders.ts';

/** A slow reading of the look-up order, on text and plain filters, held against the real one on random content. */

const days = ['2025-12-31', '2026-01-01', '2026-03-31', '2026-04-01', '2026-12-31', '2027-01-01'];
const codes = ['A', 'B', 'C', 'D'];
const zips = ['48930', '48931', '48932', '48933'];
const established = '2026-01-01';

const Day = fc.constantFrom(...days);
const Dates = fc.record({ from: fc.option(Day), to: fc.option(Day) });
const Codes = fc.subarray(codes, { maxLength: 2 });
const NineDigits = fc
  .tuple(fc.constantFrom(...zips), fc.constantFrom('0000', '0001', '0100', '0199', '5000', '9998', '9999'))
  .map(([zip, plus4]) => zip + plus4);
const Range = fc.oneof(
  fc.constantFrom(...zips).map((zip) => [zip, zip] as const),
  fc
    .tuple(fc.constantFrom(...zips), fc.constantFrom(...zips))
    .map((pair) => pair.toSorted() as unknown as [string, string]),
  fc.tuple(NineDigits, NineDigits).map((pair) => pair.toSorted() as unknown as [string, string]),
);
const RandomLocation: fc.Arbitrary<Location> = fc
  .record({
    dates: Dates,
    zips: fc.array(Range, { maxLength: 2 }),
    cities: fc.subarray(['LANSING', 'ADA']),
    alternatives: fc.array(Codes, { minLength: 1, maxLength: 2 }),
  })
  .map(({ dates, ...location }) => locationOf({ ...location, ...dates }));

const isOn = ({ from, to }: { from: string | null; to: string | null }, day: string) =>
  day >= (from ?? established) && day <= (to ?? '9999-12-31');
const sorted = (set: readonly string[]) => [...set].sort().join('+');
const setsOf = (locations: readonly Location[]) => [
  ...new Set(locations.flatMap(({ alternatives }) => alternatives.map(sorted))),
];

type Asked = { zip5: string | null; plus4: string | null; city: string | null };
type Row = { low: string; high: string; location: Location };

const tightest = (rows: readonly Row[]): readonly Location[] => {
  const width = ({ low, high }: Row) => BigInt(high) - BigInt(low);
  const least = rows.map(width).reduce((one, other) => (other < one ? other : one), 10n ** 12n);
  return rows.filter((row) => width(row) === least).map(({ location }) => location);
};

type Found = { level: string; possible: readonly string[]; usual: readonly string[]; isByName?: boolean };

/** Which sets are possible, which of them are usual, and by what. */
const slowly = (locations: readonly Location[], { zip5, plus4, city }: Asked, day: string): Found | undefined => {
  const live = locations.filter((location) => isOn(location, day));
  const rows = live.flatMap((location) =>
    location.zips.map(([low, high]) => ({ low: low.padEnd(9, '0'), high: high.padEnd(9, '9'), location })),
  );
  const cityRows = live.filter(({ cities }) => city !== null && cities.includes(city));
  const named = setsOf(cityRows);
  const isByName = cityRows.some(({ zips: own }) => own.length === 0);
  const byName = named.length > 0 ? { level: 'city', possible: named, usual: named, isByName } : undefined;
  const isLess = (sets: readonly string[]) =>
    isByName && sets.every((set) => set === '') && named.some((set) => set !== '');
  if (zip5 !== null && plus4 !== null) {
    const found = tightest(rows.filter(({ low, high }) => low <= zip5 + plus4 && zip5 + plus4 <= high));
    if (found.length > 0 && !isLess(setsOf(found)))
      return { level: 'zip9', possible: setsOf(found), usual: setsOf(found) };
    if (found.length > 0) return byName;
  }
  if (zip5 !== null) {
    const holdsAll = ({ low, high }: Row) => low <= `${zip5}0000` && `${zip5}9999` <= high;
    const holdsSome = ({ low, high }: Row) => low <= `${zip5}9999` && `${zip5}0000` <= high;
    const whole = tightest(rows.filter(holdsAll));
    const parts = rows.filter((row) => holdsSome(row) && !holdsAll(row)).map(({ location }) => location);
    const possible = setsOf([...whole, ...parts]);
    if (possible.length > 0 && !isLess(possible))
      return { level: 'zip5', possible, usual: whole.length > 0 ? setsOf(whole) : possible };
  }
  return byName;
};

it('agrees with a slow reading of the order, on 6,000 random contents, addresses and days', () => {
  const levels = new Map<string, number>();
  fc.assert(
    fc.property(
      fc.record({
        locations: fc.array(RandomLocation, { maxLength: 7 }),
        percents: fc.tuple(...codes.map(() => fc.integer({ min: 0, max: 4 }))),
        unknown: fc.option(fc.constantFrom(...codes), { freq: 6 }),
        isListed: fc.boolean(),
        address: fc.record({
          zip5: fc.option(fc.constantFrom(...zips), { freq: 5 }),
          plus4: fc.option(fc.constantFrom('0000', '0001', '0099', '0100', '0150', '5001', '9999')),
          city: fc.option(fc.constantFrom('LANSING', 'ADA', 'NOWHERE')),
        }),
        day: Day,
        highest: fc.boolean(),
      }),
      ({ locations, percents, unknown, isListed, address: { zip5, plus4, city }, day, highest }) => {
        const asked = { zip5, plus4: zip5 === null ? null : plus4, city };
        const base = releaseOf({
          of: [
            { code: 'US-MI', type: 'state', rate: '0.06' },
            ...codes.map((code, index) => ({ code, type: 'city' as const, rate: `0.0${percents[index]}` })),
          ],
          established_from: established,
          coverage: 'partial',
          locations,
          ...(isListed ? { locals: 'listed' as const } : {}),
        });
        const release = { ...base, rates: base.rates.filter(({ jurisdiction }) => jurisdiction !== unknown) };
        const address = { country: 'US', state: 'MI', ...asked, isZipKnown: zip5 !== null, isStateGuessed: false };
        const { place, resolution } = locate(address, () => release, day, highest);
        const local = sorted(place.jurisdictions.slice(1).map(({ code }) => code));
        const expected = slowly(locations, asked, day);
        levels.set(expected?.level ?? 'none', (levels.get(expected?.level ?? 'none') ?? 0) + 1);

        if (!expected) {
          const isGap = isListed && zip5 !== null;
          expect(place.jurisdictions).toHaveLength(isGap ? 0 : 1);
          expect(resolution.coverage).toBe(isGap ? 'none' : 'partial');
          expect(resolution.ambiguous).toBe(false);
          return;
        }
        const percentOf = (set: string) =>
          set.split('+').reduce((sum, code) => sum + (percents[codes.indexOf(code)] ?? 0), 0);
        const meant = highest ? expected.possible : expected.usual;
        const known = meant.filter((set) => unknown === null || !set.includes(unknown));
        const rates = known.map(percentOf);
        const extreme = highest ? Math.max(...rates) : Math.min(...rates);
        expect(resolution).toEqual({
          level: expected.level,
          ambiguous: expected.possible.length > 1 || expected.isByName === true,
          coverage: known.length > 0 ? 'complete' : 'none',
        });
        expect(meant).toContain(local);
        if (known.length > 0) {
          expect(known).toContain(local);
          expect(percentOf(local)).toBe(extreme);
        }
      },
    ),
    { numRuns: 6000 },
  );
  // What is never met is not tested.
  for (const level of ['zip9', 'zip5', 'city', 'none']) expect(levels.get(level) ?? 0).toBeGreaterThan(200);
});
