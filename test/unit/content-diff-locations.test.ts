import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Location } from '../../shared/catalog/release.ts';
import type { Rate } from '../../shared/catalog/release-values.ts';
import { compareLocations, type LocationChange, type Side } from '../../shared/cli/content/compare-locations.ts';
import { locationOf, releaseOf } from '../support/builders.ts';

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
    expect(texts(compareLocations('55401', old, next))).toEqual(['554010000-554019999 | 2020-01-01 | open | 0.07 | ']);
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
