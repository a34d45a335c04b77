import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Location, Release, Rule } from '../../shared/catalog/release.ts';
import type { Rate } from '../../shared/catalog/release-values.ts';
import { compareRules } from '../../shared/cli/content/diff.ts';
import { addToRateBook, compareRates, newRateBook } from '../../shared/importers/releases/compare-rates.ts';
import { computeImpact } from '../../shared/importers/releases/impact.ts';
import { buildLocation, getRelease, jurisdiction, rule } from '../support/builders.ts';
import { changesAt } from '../support/local-content.ts';

/** Parses `A 0.01 2020-01-01..2020-12-31`, then optional rates on food and on sales from other states. */
const readRates = (texts: readonly string[]): readonly Rate[] =>
  texts.map((text) => {
    const [code = '', value = '', days = '', food_rate, interstate] = text.split(' ');
    const [from, to] = days.split('..');
    const terms = { from: from || null, to: to || null, source: 'test', confidence: 'high' } as const;
    const food = food_rate !== undefined && { food_rate };
    const remote = interstate !== undefined && { interstate: { rate: interstate } };
    return { ...terms, jurisdiction: code, rate: value, ...food, ...remote };
  });

describe('the changed combined rates', () => {
  const of = [
    { code: 'US-XX', type: 'state', rate: '0.06' },
    { code: 'A', type: 'city', rate: '0.01' },
    { code: 'B', type: 'city', rate: '0.02' },
    { code: 'C', type: 'district', rate: '0.005' },
  ] as const;
  const complete = (locations: readonly Location[]) => getRelease({ of, locations, coverage: 'complete' });
  const area = (low: string, high: string, codes: readonly string[], others: Partial<Location> = {}) =>
    buildLocation({ zips: [[low, high]], alternatives: [codes], from: '2020-01-01', ...others });
  const texts = async (key: string, before: readonly Location[], after: readonly Location[]) =>
    (await changesAt('XX', [key], { before: complete(before), after: complete(after) }, '2026-11-22')).map(
      ({ zips, from, to, old, new: next }) =>
        [zips.map((range) => range.join('-')).join(' '), from, to ?? 'open', old, next].join(' | '),
    );

  const city = (code: string) => buildLocation({ cities: ['DULUTH'], alternatives: [[code]], from: '2020-01-01' });
  const [before, ...ranges] = [
    area('55401', '55401', ['A']),
    area('554010100', '554010199', ['B']),
    area('554010300', '554010399', ['B']),
  ] as const;
  const both = '554010100-554010199 554010300-554010399 | 2020-01-01 | open | 0.07 | 0.08';

  it.each<[because: string, key: string, before: Location[], after: Location[], changes: string]>([
    ['a city that is found by name', 'DULUTH', [city('A')], [city('B')], ' | 2020-01-01 | open | 0.07 | 0.08'],
    ['one entry for ranges with the same change', '55401', [before], [before, ...ranges], both],
  ])('lists %s', async (_, key, before, after, changes) => expect(await texts(key, before, after)).toEqual([changes]));

  it('lists the same changes as a lookup of each address on each day', async () => {
    const days = ['2020-01-01', '2020-06-30', '2020-07-01', '2021-12-31', '2022-01-01', '2023-05-05'];
    const someArea = fc
      .record({
        low: fc.integer({ min: 0, max: 40 }),
        length: fc.integer({ min: 0, max: 40 }),
        from: fc.constantFrom('2020-01-01', '2020-07-01', '2022-01-01'),
        to: fc.constantFrom(null, '2020-06-30', '2021-12-31'),
        codes: fc.subarray(['A', 'B', 'C']),
      })
      .map(({ low, length, codes, ...dates }) =>
        area(String(554010000 + low), String(554010000 + low + length), codes, dates),
      );
    const lookUp = (locations: readonly Location[], address: number, day: string): number => {
      const there = locations
        .filter(({ from, to }) => (from as string) <= day && (to === null || day <= to))
        .flatMap(({ zips, alternatives: [codes = []] }) =>
          zips.map(([low, high]) => ({ low: Number(low), high: Number(high), codes })),
        )
        .filter(({ low, high }) => low <= address && address <= high);
      const least = Math.min(...there.map(({ low, high }) => high - low));
      const each: Record<string, number> = { A: 1000, B: 2000, C: 500 };
      const sums = there
        .filter(({ low, high }) => high - low === least)
        .map(({ codes }) => codes.reduce((sum, code) => sum + (each[code] ?? 0), 6000));
      return sums.length === 0 ? 6000 : Math.min(...sums);
    };
    const thousandths = (text: string | null) => (text === null ? null : Math.round(Number(text) * 100_000));
    const check = async (before: readonly Location[], after: readonly Location[]) => {
      // If the ZIP had no location before, only the whole ZIP is compared.
      const [was, is] = [before, after].map((areas) => [...areas, area('55401', '55401', [])] as const);
      if (!was || !is) return;
      const releases = { before: complete(was), after: complete(is) };
      const changes = await changesAt('XX', ['55401'], releases, '2026-11-22');
      for (const day of days) {
        const ofDay = changes.filter(({ from, to }) => from <= day && (to === null || day <= to));
        for (let address = 554010000; address <= 554010082; address += 1) {
          const isIn = ([low, high]: readonly [string, string]) => Number(low) <= address && address <= Number(high);
          const here = ofDay.filter(({ zips }) => zips.some(isIn));
          const found = here.map((change) => [thousandths(change.old), thousandths(change.new)]);
          const [old, next] = [lookUp(was, address, day), lookUp(is, address, day)];
          expect(found).toEqual(old === next ? [] : [[old, next]]);
        }
      }
    };
    const areas = fc.array(someArea, { maxLength: 6 });
    await fc.assert(fc.asyncProperty(areas, areas, check), { numRuns: 150 });
  });
});

describe('the impact of a release', () => {
  const releaseFrom = (from: string, to: string | null, rate: string) => {
    const release = getRelease({ established_from: '2020-01-01' });
    return { ...release, rates: release.rates.map((one) => ({ ...one, rate, from, to })) };
  };
  const getImpact = async (before: Release, after: Release) => {
    async function* blocks() {
      yield ['55401'];
    }
    const places = { state: 'XX', blocks: blocks(), before: async () => () => before, after: async () => () => after };
    return computeImpact({ ...places, today: '2026-11-22' });
  };

  it.each<[because: string, inForce: number, days: readonly (readonly [from: string | null, to: string | null])[]]>([
    [
      'have ended',
      0,
      [
        ['2020-01-01', '2022-03-31'],
        ['2020-01-01', '2026-11-21'],
      ],
    ],
    ['begin later', 0, [['2026-11-23', null]]],
    [
      'have ended or begin later',
      0,
      [
        ['2021-01-01', '2026-11-21'],
        ['2026-11-23', null],
      ],
    ],
    [
      'are in force, one of them on its last day',
      2,
      [
        ['2020-01-01', '2026-11-22'],
        [null, null],
      ],
    ],
  ])('counts the locations of a release in force today if they %s', async (_, inForce, days) => {
    const locations = days.map(([from, to]) =>
      buildLocation({ zips: [['55401', '55401']], alternatives: [[]], from, to }),
    );
    const release = { ...releaseFrom('2020-01-01', null, '0.06'), locations };
    expect(await getImpact(release, release)).toMatchObject({ zips: 1, cities: 0, inForce, changed: 0 });
  });

  it('counts a ZIP as lost if its rate is unknown after a future day', async () => {
    const [before, after] = [releaseFrom('2020-01-01', null, '0.06'), releaseFrom('2020-01-01', '2026-12-31', '0.06')];
    expect(await getImpact(before, after)).toMatchObject({ changed: 1, lost: 1, gained: 0, largest: null });
    expect(await getImpact(after, before)).toMatchObject({ changed: 1, lost: 0, gained: 1, largest: null });
  });

  it('does not count days without an earlier rate as past changes', async () => {
    const [before, after] = [releaseFrom('2026-06-01', null, '0.06'), releaseFrom('2026-03-01', null, '0.06')];
    const unchanged = { changed: 0, firstDay: null, largest: null };
    expect(await getImpact(before, after)).toMatchObject({ changed: 0, past: unchanged });
    expect(await getImpact(after, before)).toMatchObject({
      past: { changed: 1, firstDay: '2026-03-01', largest: null },
    });
  });
});

describe('the changed jurisdiction rates', () => {
  const getBook = (rates: readonly Rate[]) => {
    const book = newRateBook({ established_from: '2026-01-01' });
    // Many parts repeat a jurisdiction and its rates.
    for (const part of [rates, rates])
      addToRateBook(book, { jurisdictions: part.map((one) => jurisdiction(one.jurisdiction, 'city')), rates: part });
    return book;
  };

  it.each<[because: string, before: string[], after: string[], changes: string[]]>([
    [
      'equal rates in different notation are omitted',
      ['A 0.0050 2020-01-01..2024-03-31', 'A 0.015 2024-04-01..'],
      ['A 0.005 2020-01-01..2024-03-31', 'A 0.0150 2024-04-01..'],
      [],
    ],
    [
      'a past correction affects only its days',
      ['A 0.01 2020-01-01..2021-06-30', 'A 0.02 2021-07-01..'],
      ['A 0.01 2020-01-01..2021-03-31', 'A 0.02 2021-04-01..'],
      ['A general 2021-04-01 2021-06-30 0.01 0.02'],
    ],
    [
      'adjacent days with equal changes are merged',
      ['A 0.01 2020-01-01..'],
      ['A 0.02 2020-01-01..2020-12-31', 'A 0.02 2021-01-01..'],
      ['A general 2020-01-01  0.01 0.02'],
    ],
    [
      'a jurisdiction is added and another is removed',
      ['A 0.01 2020-01-01..'],
      ['B 0.02 2020-01-01..2020-12-31'],
      ['A general 2020-01-01  0.01 ', 'B general 2020-01-01 2020-12-31  0.02'],
    ],
    [
      'a rate without a first day applies from the day of its release',
      ['A 0.01 ..'],
      ['A 0.01 2020-01-01..'],
      ['A general 2020-01-01 2025-12-31  0.01'],
    ],
    [
      'food and sales from other states are separate kinds',
      ['A 0.04 2020-01-01.. 0 0.03'],
      ['A 0.04 2020-01-01.. 0.01 0.04'],
      ['A food 2020-01-01  0 0.01', 'A general_interstate 2020-01-01  0.03 0.04'],
    ],
  ])('includes a jurisdiction if %s', (_, before, after, changes) => {
    const found = compareRates(getBook(readRates(before)), getBook(readRates(after)));
    expect(
      found.map(({ jurisdiction: code, kind, from, to, old, new: next }) =>
        [code, kind, from, to, old, next].join(' '),
      ),
    ).toEqual(changes);
  });
});

describe('the changed rules and settings', () => {
  const clothing = rule('clothing', ['CLOTHING'], { type: 'exempt' });
  const [seven, five] = ['0.07', '0.05'].map((percent) =>
    rule('grocery', ['FOOD.GROCERY'], { type: 'rate', rate: percent }),
  );
  const limited = [{ kinds: ['LO'] }, { counties: ['36061'] }, { season: { from: '06-01', to: '08-31' } }];

  it.each([
    {
      because: 'the source is ignored',
      before: [clothing],
      after: [{ ...clothing, source: 'law', confidence: 'medium' as const, note: 'read again' }],
      ids: [],
    },
    { because: 'an effect changes', before: [clothing, seven], after: [five, clothing], ids: ['grocery'] },
    { because: 'the days change', before: [clothing], after: [{ ...clothing, from: '2027-01-01' }], ids: ['clothing'] },
    {
      because: 'one rule is added and one is removed',
      before: [five],
      after: [clothing],
      ids: ['clothing', 'grocery'],
    },
    ...limited.map((limits) => ({
      because: `it is limited to ${JSON.stringify(limits)}`,
      before: [clothing],
      after: [{ ...clothing, ...limits }],
      ids: ['clothing'],
    })),
  ])('includes a rule if $because', ({ before, after, ids }) => {
    const [old = [], next = []] = [before, after].map((rules) => rules.flatMap((one) => one ?? []));
    const { rules } = compareRules(getRelease({ rules: old }), getRelease({ rules: next }));
    const named = (all: readonly Rule[], id: string) => all.find((one) => one.id === id) ?? null;
    expect(rules).toEqual(ids.map((id) => ({ id, old: named(old, id), new: named(next, id) })));
  });

  it('includes changed settings, and a policy that only one release has', () => {
    const coupons = [{ policy: 'reduces_price', from: null, to: null, source: 'law', confidence: 'high' }] as const;
    const before = getRelease({ shipping: 'follows_goods', coverage: 'partial' });
    const after = getRelease({ shipping: 'always_taxable', coverage: 'complete', settings: { coupons } });
    expect(compareRules(before, after).settings).toEqual(['shipping', 'coupons', 'coverage']);
    expect(compareRules(getRelease(), getRelease({ settings: { coupons: [] } })).settings).toEqual([]);
  });
});
