import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { combinedRate } from '../../shared/catalog/rates.ts';
import type { Location, Release } from '../../shared/catalog/release.ts';
import { createReleaseFor, importFiles } from '../fixtures/imports/harness.ts';
import { boundaryRow, rateRows, sstFiles } from '../fixtures/imports/sst.ts';
import { buildLocation, getRelease } from '../support/builders.ts';

describe('the lookup order', () => {
  /**
   * A slow reference implementation of the lookup order with strings and plain filters, compared with the real one on
   * random content.
   */

  const days = ['2025-12-31', '2026-01-01', '2026-03-31', '2026-04-01', '2026-12-31', '2027-01-01'];
  const codes = ['A', 'B', 'C', 'D'];
  const zips = ['48930', '48931', '48932', '48933'];
  const established = '2026-01-01';
  const [rateEnd, rateStart] = ['2026-03-31', '2026-04-01'];

  const Percents = fc.tuple(...codes.map(() => fc.integer({ min: 0, max: 4 })));
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
    fc
      .tuple(
        fc.constantFrom(...zips),
        fc.subarray(['0000', '0100', '0199', '5000', '9999'], { minLength: 2, maxLength: 2 }),
      )
      .map(([zip, [low, high]]) => [`${zip}${low}`, `${zip}${high}`] as const),
    fc.tuple(NineDigits, NineDigits).map((pair) => pair.toSorted() as unknown as [string, string]),
  );
  const RandomLocation: fc.Arbitrary<Location> = fc
    .record({
      dates: Dates,
      zips: fc.array(Range, { maxLength: 2 }),
      cities: fc.subarray(['LANSING', 'ADA']),
      alternatives: fc.array(Codes, { minLength: 1, maxLength: 2 }),
      within: fc.option(fc.constantFrom('LANSING', 'ADA', 'FLINT'), { freq: 2 }),
      yields: fc.constantFrom(true, false, false),
      crosses: fc.constantFrom(true, false, false, false, false, false, false),
      streets: fc.constantFrom(true, false, false, false, false),
    })
    .map(({ dates, within, yields, crosses, streets, ...location }) => {
      if (streets && location.zips.length > 0)
        return buildLocation({ ...location, ...dates, cities: [], of_streets: true as const });
      return buildLocation({
        ...location,
        ...dates,
        ...(within !== null ? { within_city: within } : {}),
        ...(location.zips.length > 0 && yields ? { yields_to_city: true as const } : {}),
        ...(crosses ? { crosses_borders: true as const } : {}),
      });
    });

  const isOn = ({ from, to }: { from: string | null; to: string | null }, day: string) =>
    day >= (from ?? established) && day <= (to ?? '9999-12-31');
  const sorted = (set: readonly string[]) => [...set].sort().join('+');
  const listSets = (locations: readonly Location[]) => [
    ...new Set(locations.flatMap(({ alternatives }) => alternatives.map(sorted))),
  ];
  const isCrossed = (locations: readonly Location[]) => locations.some((one) => one.crosses_borders === true);

  type Asked = { zip5: string | null; plus4: string | null; city: string | null };
  type Row = { low: string; high: string; location: Location };

  const tightest = (rows: readonly Row[]): readonly Location[] => {
    const width = ({ low, high }: Row) => BigInt(high) - BigInt(low);
    const least = rows.map(width).reduce((left, right) => (right < left ? right : left), 10n ** 12n);
    return rows.filter((row) => width(row) === least).map(({ location }) => location);
  };

  type Found = {
    level: string;
    possible: readonly string[];
    usual: readonly string[];
    /** Whether a tax that is not in `possible` could be due. */
    isUncertain: boolean;
    isPart: boolean;
    isYielding: boolean;
  };

  const holds = ({ low, high }: Row, point: string) => low <= point && point <= high;

  /** Whether the rows leave a gap in the ZIP, which can begin only with the ZIP or right after a row. */
  const hasHole = (rows: readonly Row[], zip5: string) =>
    [`${zip5}0000`, ...rows.map(({ high }) => String(BigInt(high) + 1n).padStart(9, '0'))]
      .filter((point) => point.startsWith(zip5))
      .some((point) => !rows.some((row) => holds(row, point)));

  const buildFound = (level: string, all: readonly Location[], usual: readonly Location[] = all): Found => ({
    level,
    possible: listSets(all),
    usual: listSets(usual),
    isUncertain: isCrossed(all),
    isPart: false,
    isYielding: all.some((one) => one.yields_to_city === true && one.within_city === undefined),
  });

  const among = (rows: readonly Row[], { zip5, plus4 }: Asked): Found | undefined => {
    if (plus4 !== null) {
      const found = tightest(rows.filter((row) => holds(row, `${zip5}${plus4}`)));
      return found.length > 0 ? buildFound('zip9', found) : undefined;
    }
    const holdsAll = (row: Row) => holds(row, `${zip5}0000`) && holds(row, `${zip5}9999`);
    const whole = tightest(rows.filter(holdsAll));
    const parts = rows.filter((row) => !holdsAll(row)).map(({ location }) => location);
    if (whole.length > 0) return buildFound('zip5', [...whole, ...parts], whole);
    if (parts.length === 0) return undefined;
    const found = buildFound('zip5', parts);
    return hasHole(rows, zip5 as string) ? { ...found, isPart: true } : found;
  };

  const mergeFound = (found: Found, others: Found | undefined): Found => ({
    ...found,
    possible: [...new Set([...found.possible, ...(others?.possible ?? [])])],
  });

  const inZip = (rows: readonly Row[], asked: Asked): Found | undefined => {
    const streets = rows.filter(({ location }) => location.of_streets === true).map(({ location }) => location);
    const others = rows.filter(({ location }) => location.of_streets !== true);
    const found = inZipWithoutStreets(others, asked);
    if (streets.length === 0) return found;
    const ofStreets = buildFound('zip5', streets);
    return found ? mergeFound(found, ofStreets) : { ...ofStreets, isPart: others.length > 0 };
  };

  const inZipWithoutStreets = (rows: readonly Row[], asked: Asked): Found | undefined => {
    const { city } = asked;
    const findAmong = (some: (location: Location) => boolean) =>
      among(
        rows.filter(({ location }) => some(location)),
        asked,
      );
    const isMine = ({ within_city }: Location) => city !== null && within_city === city;
    const isSettled = ({ within_city, yields_to_city }: Location) =>
      within_city !== undefined && yields_to_city !== true;
    const [mine, all] = [findAmong(isMine), findAmong(({ within_city }) => within_city === undefined)];
    const [settled, ofCities] = [findAmong(isSettled), findAmong(({ within_city }) => within_city !== undefined)];
    if (mine)
      return rows.some(({ location }) => isMine(location) && isSettled(location)) ? mine : mergeFound(mine, settled);
    if (all) return mergeFound(all, city === null ? ofCities : settled);
    const meant = settled ?? ofCities;
    return meant && city === null ? { ...mergeFound(meant, ofCities), isPart: true } : undefined;
  };

  /** Returns the possible sets, the default sets, and the reason. */
  const slowly = (
    locations: readonly Location[],
    asked: Asked,
    day: string,
    isRestKnown: boolean,
    getRate: (set: string) => number,
  ): Found | undefined => {
    const { zip5, city } = asked;
    const live = locations.filter((location) => isOn(location, day));
    const rows = live.flatMap((location) =>
      location.zips
        .map(([low, high]) => ({ low: low.padEnd(9, '0'), high: high.padEnd(9, '9'), location }))
        .filter(({ low, high }) => zip5 !== null && low <= `${zip5}9999` && `${zip5}0000` <= high),
    );
    const ofCity = live.filter(({ cities }) => city !== null && cities.includes(city));
    const isBound = ({ zips: own, within_city }: Location) => own.length === 0 && within_city !== undefined;
    const [bound, cityRows] = [ofCity.filter(isBound), ofCity.filter((one) => !isBound(one))];
    const isByName = cityRows.some(({ zips: own }) => own.length === 0);
    const byName =
      cityRows.length > 0
        ? { ...buildFound('city', cityRows), isUncertain: isByName || isCrossed(cityRows), isYielding: false }
        : undefined;
    const zipped = new Set(
      locations.filter(({ zips: own }) => own.length > 0).flatMap((one) => one.alternatives.flat()),
    );
    // If all ZIPs of a city are listed, the city's name adds no information to a ZIP.
    const isSilent =
      isRestKnown && cityRows.every(({ alternatives }) => alternatives.flat().every((one) => zipped.has(one)));
    const found = zip5 === null ? undefined : inZip(rows, asked);
    const isTaxed = byName?.possible.some((set) => set !== '') === true;
    if (!found && byName && zip5 !== null && isSilent)
      return isTaxed
        ? {
            ...byName,
            level: asked.plus4 === null ? 'zip5' : 'zip9',
            possible: [...new Set(['', ...byName.possible])],
            usual: [''],
            isUncertain: false,
          }
        : undefined;
    if (!found) return byName;
    if (byName && isSilent && found.possible.every((set) => !byName.possible.includes(set)))
      return mergeFound(found, byName);
    const isMore = byName?.possible.some((set) => set !== '') && found.possible.every((set) => set === '');
    if (byName && isByName && !isSilent && (isMore || found.isYielding)) return byName;
    const isListedHere = rows.some(({ location }) => city !== null && location.within_city === city);
    const otherRates = found.possible.every((set) => !listSets(bound).map(getRate).includes(getRate(set)));
    if (bound.length > 0 && !isListedHere && otherRates) return mergeFound(found, buildFound('city', bound));
    return { ...found, isUncertain: found.isUncertain || (found.isYielding && city === null) };
  };

  const locateIn = (release: Release, asked: Asked, day: string, highest: boolean) => {
    const known = { county: null, isZipKnown: asked.zip5 !== null, isStateGuessed: false };
    return locate({ country: 'US', state: 'MI', ...asked, ...known }, () => release, day, highest);
  };

  it('matches a slow reference implementation on random contents, addresses and days', () => {
    const levels = new Map<string, number>();
    fc.assert(
      fc.property(
        fc.record({
          locations: fc.array(RandomLocation, { maxLength: 7 }),
          old: Percents,
          current: Percents,
          unknown: fc.option(fc.constantFrom('US-MI', 'ARTICLE', ...codes), { freq: 6 }),
          // An additional state tax applies to all places, and may begin later.
          isArticleNew: fc.constantFrom(true, false, false, false, false),
          end: fc.option(Day, { freq: 2 }),
          coverage: fc.constantFrom('partial' as const, 'complete' as const),
          address: fc.record({
            zip5: fc.option(fc.constantFrom(...zips), { freq: 5 }),
            plus4: fc.option(fc.constantFrom('0000', '0001', '0099', '0100', '0150', '5001', '9999'), { freq: 2 }),
            city: fc.option(fc.constantFrom('LANSING', 'ADA', 'NOWHERE')),
          }),
          day: Day,
          highest: fc.boolean(),
        }),
        ({ locations, old, current, unknown, isArticleNew, end, coverage, address, day, highest }) => {
          const { zip5, plus4, city } = address;
          const asked = { zip5, plus4: zip5 === null ? null : plus4, city };
          const getContent = (percents: readonly number[]) =>
            getRelease({
              of: [
                { code: 'US-MI', type: 'state', rate: '0.06' },
                { code: 'ARTICLE', type: 'state', rate: '0.0275' },
                ...codes.map((code, index) => ({ code, type: 'city' as const, rate: `0.0${percents[index]}` })),
              ],
              established_from: established,
              established_to: end,
              coverage,
              locations,
            });
          const rates = [
            ...getContent(old).rates.map((rate) => ({ ...rate, to: rateEnd })),
            ...getContent(current).rates.map((rate) => ({ ...rate, from: rateStart })),
          ].filter(
            ({ jurisdiction, to }) =>
              jurisdiction !== unknown && !(isArticleNew && jurisdiction === 'ARTICLE' && to === rateEnd),
          );
          const { place, resolution } = locateIn({ ...getContent(current), rates }, asked, day, highest);
          const local = sorted(place.jurisdictions.filter(({ type }) => type !== 'state').map(({ code }) => code));
          const percents = day < rateStart ? old : current;
          const percentByZip = (set: string) =>
            set.split('+').reduce((sum, code) => sum + (percents[codes.indexOf(code)] ?? 0), 0);
          const getRate = (set: string) => (unknown !== null && set.includes(unknown) ? -1 : percentByZip(set));
          const expected = slowly(locations, asked, day, coverage === 'complete', getRate);
          const isArticleKnown = !isArticleNew || unknown === 'ARTICLE' || day >= rateStart;
          const isCovered = unknown !== 'US-MI' && isArticleKnown && (end === null || day <= end);
          const level = expected?.level ?? 'none';
          for (const met of [
            level,
            ...(expected?.isPart ? ['part'] : []),
            ...(expected?.isUncertain ? ['uncertain'] : []),
            ...(isCovered ? [] : ['uncovered']),
          ])
            levels.set(met, (levels.get(met) ?? 0) + 1);

          const statewide = place.jurisdictions.filter(({ type }) => type === 'state');
          expect(statewide.map(({ code }) => code)).toEqual(['US-MI', 'ARTICLE']);
          if (!expected) {
            expect(local).toBe('');
            const isState = zip5 === null && locations.length > 0;
            const known = coverage === 'partial' || isState ? 'partial' : 'complete';
            expect(resolution.coverage).toBe(isCovered ? known : 'none');
            expect(resolution.ambiguous).toBe(false);
            return;
          }
          const meant = highest ? expected.possible : expected.usual;
          const known = meant.filter((set) => unknown === null || !set.includes(unknown));
          const knownPercents = known.map(percentByZip);
          const extreme = highest ? Math.max(...knownPercents) : Math.min(...knownPercents);
          expect(resolution).toEqual({
            level: expected.level,
            ambiguous: expected.possible.length > 1 || expected.isUncertain || expected.isPart,
            coverage: known.length === 0 || !isCovered ? 'none' : expected.isPart ? 'partial' : 'complete',
          });
          expect(meant).toContain(local);
          if (known.length > 0) {
            expect(known).toContain(local);
            expect(percentByZip(local)).toBe(extreme);
          }
        },
      ),
      { numRuns: 2000 },
    );
    // Every case must occur at least once.
    for (const level of ['zip9', 'zip5', 'city', 'none', 'part', 'uncertain', 'uncovered'])
      expect(levels.get(level) ?? 0).toBeGreaterThan(50);
  });

  it('throws for a location with an unknown jurisdiction, instead of charging less tax', () => {
    const locations = [buildLocation({ zips: [['48930', '48930']], alternatives: [['GHOST']] })];
    const asked = { zip5: '48930', plus4: null, city: null };
    expect(() => locateIn(getRelease({ locations }), asked, established, false)).toThrow(
      'lacks the jurisdictions GHOST',
    );
  });
});

describe('street rows', () => {
  /** A slow oracle of street rows on plain values, without parsing rows or addresses. */

  const zip = '05401';
  const places = ['', '10675', '66175'] as const;
  const percentByZip = { '': 6, '10675': 7, '66175': 8 } as const;
  type Place = (typeof places)[number];

  /** Words of a street with alternative spellings of each. */
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
    /** Whether the house numbers are missing. */
    isUnread: boolean;
    from: string;
    place: Place;
  };
  type Address = { street: Street; house: number; unit: Unit | null };

  const days = ['2021-06-01', '2023-06-01'] as const;
  const listKeys = <Key extends string>(table: Readonly<Record<Key, unknown>>) =>
    fc.constantFrom(...(Object.keys(table) as Key[]));

  const AnyStreet: fc.Arbitrary<Street> = fc.record({
    pre: listKeys(pres),
    name: fc.constantFrom(...names),
    suffix: listKeys(suffixes),
  });
  /** Most rows have the same street, so that rows and addresses match. */
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
          designator: listKeys(designators),
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

  /** The place of an address by the rows; `null` if no row matches, `undefined` if the rows are ambiguous. */
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

  it('matches a slow reference implementation on 150 random files with 10 addresses each', async () => {
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
            const { place, resolution } = locate(read.value, createReleaseFor(imported), day, false);
            const live = rows.filter(({ from }) => from <= day.replaceAll('-', ''));
            const found = slowly(live, address);
            const kind = found === undefined ? 'undecided' : found === null ? 'outside' : 'found';
            met.set(kind, (met.get(kind) ?? 0) + 1);
            const codes = place.jurisdictions.map(({ code }) => code);
            const rate = place.release && combinedRate(place.release, codes, day);
            const ofStreets = live.map((row) => row.place);
            if (found !== undefined && found !== null) {
              expect([line1, resolution]).toEqual([line1, { level: 'street', ambiguous: false, coverage: 'complete' }]);
              expect(rate).toBe(BigInt(percentByZip[found]) * 1_000_000n);
            } else if (whole === null && live.length === 0) expect(resolution.coverage).toBe('partial');
            else {
              // The row of the whole ZIP applies, or else the lowest rate of its streets.
              const usual = whole === null ? ofStreets : [whole];
              const possible = whole !== null && kind === 'outside' ? usual : [...usual, ...ofStreets];
              const ambiguous = new Set(possible).size > 1;
              expect([line1, resolution]).toEqual([line1, { level: 'zip5', ambiguous, coverage: 'complete' }]);
              expect(rate).toBe(BigInt(Math.min(...usual.map((one) => percentByZip[one]))) * 1_000_000n);
            }
          }
        },
      ),
      { numRuns: 75 },
    );
    // Every case must occur at least once.
    for (const kind of ['found', 'outside', 'undecided']) expect(met.get(kind) ?? 0).toBeGreaterThan(75);
  });
});
