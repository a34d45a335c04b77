import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Location } from '../../shared/catalog/release.ts';
import type { Rate } from '../../shared/catalog/release-values.ts';
import { compareLocations, compareRules, type LocationChange, type Side } from '../../shared/cli/content/diff.ts';
import {
  addToRateBook,
  compareRates,
  newRateBook,
  type RateBook,
} from '../../shared/importers/releases/compare-rates.ts';
import { pairsByKey } from '../../shared/importers/releases/pairs-by-key.ts';
import { jurisdiction, locationOf, releaseOf, rule } from '../support/builders.ts';

describe('locations', () => {
  const rates: readonly Rate[] = [
    ['A', '0.01'],
    ['B', '0.02'],
    ['C', '0.005'],
  ].map(([jurisdiction = '', rate = '']) => ({
    jurisdiction,
    rate,
    from: '2020-01-01',
    to: null,
    source: 'test',
    confidence: 'high',
  }));

  const side = (locations: readonly Location[], others: Partial<Side['head']> = {}, own = rates): Side => {
    const head = {
      ...releaseOf({ of: [{ code: 'US-XX', type: 'state', rate: '0.06' }], coverage: 'partial' }),
      ...others,
    };
    return { head, part: { key: '55401', jurisdictions: [], rates: own, locations } };
  };
  const area = (low: string, high: string, codes: readonly string[], others: Partial<Location> = {}) =>
    locationOf({ zips: [[low, high]], alternatives: [codes], from: '2020-01-01', ...others });

  const texts = (changes: readonly LocationChange[]) =>
    changes.map(({ zips, from, to, old, new: after }) =>
      [zips.map((range) => range.join('-')).join(' '), from, to ?? 'open', old, after].join(' | '),
    );

  describe('which combined rates of a ZIP differ between two releases', () => {
    it('omits an unchanged ZIP', () => {
      const same = [area('55401', '55401', ['A']), area('554010001', '554010100', ['A', 'B'])];
      expect(compareLocations('55401', side(same), side(same))).toEqual([]);
    });

    it('prefers the narrowest range of an address, by the whole range and not by its part in this ZIP', () => {
      // The first range has only ten addresses of 55401, but it reaches far into 55400 and is wider.
      const ranges = [area('554000000', '554010009', ['A']), area('554010000', '554010999', ['B'])];
      expect(texts(compareLocations('55401', side([]), side(ranges)))).toEqual([
        '554010000-554010999 | 2020-01-01 | open |  | 0.08',
      ]);
    });

    it('takes the lowest of several sets of jurisdictions', () => {
      const old = side([area('55401', '55401', ['B'])]);
      const next = side([area('55401', '55401', [], { alternatives: [['B'], ['A'], ['B', 'C']] })]);
      expect(texts(compareLocations('55401', old, next))).toEqual([
        '554010000-554019999 | 2020-01-01 | open | 0.08 | 0.07',
      ]);
    });

    it('has no rate where a jurisdiction of the location has none on the day', () => {
      const [old, next] = [side([area('55401', '55401', ['A'])]), side([area('55401', '55401', ['A', 'UNKNOWN'])])];
      expect(texts(compareLocations('55401', old, next))).toEqual([
        '554010000-554019999 | 2020-01-01 | open | 0.07 | ',
      ]);
    });

    it('has the state rate after its last day if the release has no other local taxes', () => {
      const complete = { coverage: 'complete' } as const;
      const old = side([area('55401', '55401', ['A'], { to: '2026-03-31' })], complete);
      expect(texts(compareLocations('55401', old, side([area('55401', '55401', ['A'])], complete)))).toEqual([
        '554010000-554019999 | 2026-04-01 | open | 0.06 | 0.07',
      ]);
    });

    it('follows a rate that changes on a day, and the rate of the state', () => {
      const later: readonly Rate[] = [
        { ...(rates[0] as Rate), to: '2026-12-31' },
        { ...(rates[0] as Rate), rate: '0.0125', from: '2027-01-01' },
      ];
      const locations = [area('55401', '55401', ['A'])];
      expect(texts(compareLocations('55401', side(locations), side(locations, {}, later)))).toEqual([
        '554010000-554019999 | 2027-01-01 | open | 0.07 | 0.0725',
      ]);
      const state = { rates: [{ ...(rates[0] as Rate), jurisdiction: 'US-XX', rate: '0.07' }] };
      expect(texts(compareLocations('55401', side(locations, state), side(locations)))).toEqual([
        '554010000-554019999 | 2020-01-01 | open | 0.08 | 0.07',
      ]);
    });

    it('compares a city that is known by its name', () => {
      const city = (codes: readonly string[]) =>
        side([locationOf({ cities: ['DULUTH'], alternatives: [codes], from: '2020-01-01' })]);
      expect(compareLocations('DULUTH', city(['A']), city(['B']))).toEqual([
        { key: 'DULUTH', zips: [], from: '2020-01-01', to: null, old: '0.07', new: '0.08' },
      ]);
    });

    it('matches look-ups of every address and day', () => {
      const days = ['2020-01-01', '2020-06-30', '2020-07-01', '2021-12-31', '2022-01-01', '2023-05-05'];
      const someArea = fc
        .record({
          low: fc.integer({ min: 0, max: 40 }),
          length: fc.integer({ min: 0, max: 40 }),
          from: fc.constantFrom('2020-01-01', '2020-07-01', '2022-01-01'),
          to: fc.constantFrom(null, '2020-06-30', '2021-12-31'),
          codes: fc.subarray(['A', 'B', 'C']),
        })
        .map(({ low, length, from, to, codes }) =>
          area(String(554010000 + low), String(554010000 + low + length), codes, { from, to }),
        );
      const lookUp = ({ part, head }: Side, address: number, day: string): number | null => {
        let best: { width: number; locations: Location[] } | null = null;
        for (const location of part?.locations ?? [])
          for (const [low, high] of location.zips) {
            const holds = Number(low) <= address && address <= Number(high);
            const isNow = (location.from as string) <= day && (location.to === null || day <= location.to);
            const width = Number(high) - Number(low);
            if (!holds || !isNow) continue;
            if (best === null || width < best.width) best = { width, locations: [location] };
            else if (width === best.width) best.locations.push(location);
          }
        if (best === null) return head.coverage === 'complete' ? 6000 : null;
        const each = { A: 1000, B: 2000, C: 500 } as Record<string, number>;
        const sums = best.locations.map(({ alternatives: [codes = []] }) =>
          codes.reduce((sum, code) => sum + (each[code] ?? 0), 6000),
        );
        return Math.min(...sums);
      };
      const found = (changes: readonly LocationChange[], address: number, day: string) =>
        changes.filter(
          ({ zips, from, to }) =>
            from <= day &&
            (to === null || day <= to) &&
            zips.some(([low, high]) => Number(low) <= address && address <= Number(high)),
        );
      const thousandths = (rate: string | null) => (rate === null ? null : Math.round(Number(rate) * 100_000));
      fc.assert(
        fc.property(fc.array(someArea, { maxLength: 6 }), fc.array(someArea, { maxLength: 6 }), (before, after) => {
          const [old, next] = [side(before), side(after)];
          const changes = compareLocations('55401', old, next);
          for (const day of days)
            for (let offset = 0; offset <= 82; offset += 1) {
              const address = 554010000 + offset;
              const [was, is] = [lookUp(old, address, day), lookUp(next, address, day)];
              const here = found(changes, address, day);
              expect(here.map((change) => [thousandths(change.old), thousandths(change.new)])).toEqual(
                was === is ? [] : [[was, is]],
              );
            }
        }),
        { numRuns: 150 },
      );
    });
  });
});

describe('pairs of parts', () => {
  async function* stream(keys: readonly string[], side: string) {
    for (const key of keys) yield { key, side };
  }
  const paired = async (ones: readonly string[], others: readonly string[]) => {
    const found: string[] = [];
    for await (const { key, left, right } of pairsByKey(stream(ones, 'left'), stream(others, 'right')))
      found.push([key, left?.key === key && left.side, right?.key === key && right.side].filter(Boolean).join(' '));
    return found;
  };

  describe('two streams of parts as left', () => {
    it('has every key once, in order, with the entries of each stream', async () => {
      const zips = ['10001', '10002', '20000', '55401'];
      const keys = fc.uniqueArray(fc.constantFrom(...zips, '29 PALMS', 'A', 'B', 'SAINT PAUL', 'ZUMBRO'));
      const inOrder = (some: readonly string[]) => [
        ...zips.filter((zip) => some.includes(zip)),
        ...some.filter((key) => !zips.includes(key)).sort(),
      ];
      await fc.assert(
        fc.asyncProperty(keys, keys, async (ones, others) => {
          const expected = inOrder([...new Set([...ones, ...others])]).map((key) =>
            [key, ones.includes(key) && 'left', others.includes(key) && 'right'].filter(Boolean).join(' '),
          );
          expect(await paired(inOrder(ones), inOrder(others))).toEqual(expected);
        }),
      );
    });

    it('stops at keys that are not in order', async () => {
      await expect(paired(['2', '1'], ['1'])).rejects.toThrow('The key 1 comes after 2.');
      await expect(paired(['1'], ['1', '1'])).rejects.toThrow('The key 1 comes after 1.');
    });
  });
});

describe('rates', () => {
  const rate = (
    code: string,
    value: string,
    from: string | null,
    to: string | null = null,
    others: object = {},
  ): Rate => ({
    jurisdiction: code,
    rate: value,
    from,
    to,
    source: 'test',
    confidence: 'high',
    ...others,
  });

  const bookOf = (rates: readonly Rate[], establishedFrom = '2026-01-01'): RateBook => {
    const book = newRateBook({ established_from: establishedFrom });
    const codes = [...new Set(rates.map((each) => each.jurisdiction))];
    addToRateBook(book, { jurisdictions: codes.map((code) => jurisdiction(code, 'city')), rates });
    return book;
  };

  const changes = (old: RateBook, next: RateBook) =>
    compareRates(old, next).map(({ jurisdiction: code, kind, from, to, old, new: after }) =>
      [code, kind, from, to, old, after].join(' '),
    );

  describe('which rates of jurisdictions differ between two releases', () => {
    it('omits equal rates, however they are written', () => {
      const old = bookOf([rate('A', '0.0050', '2020-01-01', '2024-03-31'), rate('A', '0.015', '2024-04-01')]);
      const next = bookOf([rate('A', '0.005', '2020-01-01', '2024-03-31'), rate('A', '0.0150', '2024-04-01')]);
      expect(changes(old, next)).toEqual([]);
    });

    it('prints a rate that changes on a day before and after that day', () => {
      const old = bookOf([rate('A', '0.005', '2020-01-01')]);
      const next = bookOf([rate('A', '0.005', '2020-01-01', '2026-12-31'), rate('A', '0.0075', '2027-01-01')]);
      expect(changes(old, next)).toEqual(['A general 2027-01-01  0.005 0.0075']);
    });

    it('prints the days that a past correction affects, and no others', () => {
      const old = bookOf([rate('A', '0.01', '2020-01-01', '2021-06-30'), rate('A', '0.02', '2021-07-01')]);
      const next = bookOf([rate('A', '0.01', '2020-01-01', '2021-03-31'), rate('A', '0.02', '2021-04-01')]);
      expect(changes(old, next)).toEqual(['A general 2021-04-01 2021-06-30 0.01 0.02']);
    });

    it('joins adjacent days with equal changes, even if the rows are divided differently', () => {
      const old = bookOf([rate('A', '0.01', '2020-01-01')]);
      const next = bookOf([rate('A', '0.02', '2020-01-01', '2020-12-31'), rate('A', '0.02', '2021-01-01')]);
      expect(changes(old, next)).toEqual(['A general 2020-01-01  0.01 0.02']);
    });

    it('names a jurisdiction that is new, and one that is gone', () => {
      const old = bookOf([rate('A', '0.01', '2020-01-01')]);
      const next = bookOf([rate('B', '0.02', '2020-01-01', '2020-12-31')]);
      expect(changes(old, next)).toEqual(['A general 2020-01-01  0.01 ', 'B general 2020-01-01 2020-12-31  0.02']);
    });

    it('counts a first day that is not established from the day that its release names', () => {
      const old = bookOf([rate('A', '0.01', null)], '2026-10-01');
      const next = bookOf([rate('A', '0.01', '2020-01-01')]);
      expect(changes(old, next)).toEqual(['A general 2020-01-01 2026-09-30  0.01']);
    });

    it('distinguishes food and sales across the border from the general rate', () => {
      const old = bookOf([rate('A', '0.04', '2020-01-01', null, { food_rate: '0', interstate: { rate: '0.03' } })]);
      const next = bookOf([rate('A', '0.04', '2020-01-01', null, { food_rate: '0.01', interstate: { rate: '0.04' } })]);
      expect(changes(old, next)).toEqual(['A food 2020-01-01  0 0.01', 'A general_interstate 2020-01-01  0.03 0.04']);
    });

    it('takes a jurisdiction that many parts repeat once', () => {
      const book = newRateBook({ established_from: '2026-01-01' });
      const part = { jurisdictions: [jurisdiction('A', 'city')], rates: [rate('A', '0.01', '2020-01-01')] };
      addToRateBook(book, part);
      addToRateBook(book, part);
      expect(changes(book, bookOf([rate('A', '0.02', '2020-01-01')]))).toEqual(['A general 2020-01-01  0.01 0.02']);
    });
  });
});

describe('rules and settings', () => {
  const clothing = rule('clothing', ['CLOTHING'], { type: 'exempt' });
  const grocery = (rate: string) => rule('grocery', ['FOOD.GROCERY'], { type: 'rate', rate });

  describe('which rules and settings differ between two releases', () => {
    it('omits a rule with the same effect, independent of its source', () => {
      const confirmed = { ...clothing, source: 'law', confidence: 'medium' as const, note: 'read again' };
      expect(compareRules(releaseOf({ rules: [clothing] }), releaseOf({ rules: [confirmed] }))).toEqual({
        rules: [],
        settings: [],
      });
    });

    it('returns a rule whose effect, goods or days change, before and after', () => {
      const [old, next] = [grocery('0.07'), grocery('0.05')];
      expect(compareRules(releaseOf({ rules: [clothing, old] }), releaseOf({ rules: [next, clothing] })).rules).toEqual(
        [{ id: 'grocery', old, new: next }],
      );
      const later = { ...clothing, from: '2027-01-01' };
      expect(compareRules(releaseOf({ rules: [clothing] }), releaseOf({ rules: [later] })).rules).toEqual([
        { id: 'clothing', old: clothing, new: later },
      ]);
    });

    it.each([{ kinds: ['LO'] }, { counties: ['36061'] }, { season: { from: '06-01', to: '08-31' } }])(
      'gives a rule that is limited to %o',
      (limits) => {
        const next = { ...clothing, ...limits };
        expect(compareRules(releaseOf({ rules: [clothing] }), releaseOf({ rules: [next] })).rules).toEqual([
          { id: 'clothing', old: clothing, new: next },
        ]);
      },
    );

    it('returns new and removed rules by name', () => {
      const next = grocery('0.05');
      expect(compareRules(releaseOf({ rules: [next] }), releaseOf({ rules: [clothing] })).rules).toEqual([
        { id: 'clothing', old: null, new: clothing },
        { id: 'grocery', old: next, new: null },
      ]);
    });

    it('names settings that change', () => {
      const before = releaseOf({ shipping: 'follows_goods', coverage: 'partial' });
      const after = releaseOf({ shipping: 'always_taxable', coverage: 'complete' });
      expect(compareRules(before, after).settings).toEqual(['shipping', 'coverage']);
    });

    it('names the policy on coupons where one release has none', () => {
      const coupons = [{ policy: 'reduces_price', from: null, to: null, source: 'law', confidence: 'high' }] as const;
      expect(compareRules(releaseOf(), releaseOf({ settings: { coupons } })).settings).toEqual(['coupons']);
      expect(compareRules(releaseOf(), releaseOf({ settings: { coupons: [] } })).settings).toEqual([]);
    });
  });
});
