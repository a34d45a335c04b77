import { describe, expect, it } from 'vitest';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import type { Release } from '../../shared/catalog/release.ts';
import type { Bracket } from '../../shared/catalog/release-values.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import { monotonicityProblems } from '../../shared/tax/monotonicity.ts';
import { documentOf, lineOf, placeOf, releaseOf, rule } from '../support/builders.ts';
import { drawFrom, effectOf } from '../support/random-orders.ts';

const grossOf = (release: Release, amount: string): bigint => {
  const line = calculateTax(documentOf([lineOf(placeOf(release), { amount })])).lines[0];
  return (line?.net ?? 0n) + (line?.tax ?? 0n);
};

/** Whether net plus tax falls between two neighboring cents around the amounts that effects change at. */
const falls = (release: Release): boolean =>
  [0, 50, 99, 109, 110, 175, 250, 1000, 1175, 1999].some((dollars) => {
    const grosses = [-1, 0, 1, 2, 98, 99, 100, 101].map((cents) =>
      grossOf(release, (Math.max(0, dollars * 100 + cents) / 100).toFixed(2)),
    );
    return grosses.some((gross, index) => gross < (grosses[index - 1] ?? 0n));
  });

describe('the monotonicity of tax', () => {
  it('holds in every built-in release', () => {
    expect(builtInReleases().flatMap(monotonicityProblems)).toEqual([]);
  });

  it('is checked where a higher price is taxed at a lower rate', () => {
    const luxury = rule('luxury', ['GENERAL'], { type: 'threshold_rate', amount: '1000', rate: '0.05' });
    expect(monotonicityProblems(releaseOf({ rules: [luxury] }))).toEqual([expect.stringContaining('Rule luxury')]);
    expect(monotonicityProblems(releaseOf({ rules: [{ ...luxury, levels: ['city'] }] }))).toEqual([]);
    expect(monotonicityProblems(releaseOf({ rules: [{ ...luxury, to: '1999-12-31' }] }))).toEqual([]);
    const food = releaseOf({ rules: [luxury] });
    const rates = food.rates.map((rate) => ({ ...rate, rate: '0.04', food_rate: '0.06' }));
    expect(monotonicityProblems({ ...food, rates })).toEqual([expect.stringContaining('0.06')]);
  });

  it('is checked of statutory tables', () => {
    const bracket = { jurisdiction: 'US-XX', rate: '0.01', nothing_below: null };
    const withSteps = (steps: Bracket['steps']) =>
      releaseOf({ rounding: { method: 'bracket', brackets: [{ ...bracket, steps }] } });
    expect(monotonicityProblems(withSteps(['0.50']))).toEqual([]);
    expect(monotonicityProblems(withSteps(['0.20', '0.50']))).toEqual([expect.stringContaining('US-XX')]);
  });

  it('is what the tax core calculates, for random effects', () => {
    const seen = { holds: 0, falls: 0 };
    for (let seed = 1; seed <= 400; seed += 1) {
      const release = releaseOf({ rules: [rule('random', ['GENERAL'], effectOf(drawFrom(seed)))] });
      const isFine = monotonicityProblems(release).length === 0;
      seen[isFine ? 'holds' : 'falls'] += 1;
      if (isFine) expect(falls(release), JSON.stringify(release.rules[0]?.effect)).toBe(false);
    }
    expect(Math.min(seen.holds, seen.falls)).toBeGreaterThan(10);
  });
});
