import { expect, it } from 'vitest';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import { withOwnRules } from '../../shared/catalog/own-rules.ts';
import type { OwnRules, Release, Rule } from '../../shared/catalog/release.ts';

const release = builtInRelease('MN') as Release;
const content = release.rules.find(({ id }) => id === 'mn-clothing') as Rule;
const spanOf = ({ from, to }: Rule) => [from, to];

/** The days of the content's rule beside own rules with its id. */
const daysBeside = (...spans: readonly (readonly [string, string | null])[]) => {
  const rules = spans.map(([from, to]) => ({ ...content, from, to, source: 'own:ruling' }));
  const own: OwnRules = {
    ...{ sources: { 'own:ruling': 'A ruling' }, jurisdictions: [], rates: [], rules },
    settings: { sourcing: [], shipping: [], rounding: [], coupons: [] },
  };
  const left = withOwnRules(release, own).rules.filter(
    ({ id, source }) => id === content.id && source !== 'own:ruling',
  );
  return left.map(spanOf);
};

it('leaves the rule of the content in force on days without an own rule, including between two own rules', () => {
  const [from, to] = spanOf(content);
  expect(to).toBeNull();
  expect(daysBeside(['2026-01-01', null])).toEqual([[from, '2025-12-31']]);
  expect(daysBeside(['2026-01-01', '2026-03-31'], ['2026-07-01', '2026-09-30'])).toEqual([
    [from, '2025-12-31'],
    ['2026-04-01', '2026-06-30'],
    ['2026-10-01', null],
  ]);
  expect(daysBeside(['2026-07-01', '2026-09-30'], ['2026-10-01', null])).toEqual([[from, '2026-06-30']]);
});

it("prefers an own policy on coupons to the content's", () => {
  const policy = {
    policy: 'reduces_price',
    from: '2026-07-01',
    to: null,
    source: 'own:ruling',
    confidence: 'high',
  } as const;
  const own: OwnRules = {
    ...{ sources: { 'own:ruling': 'A ruling' }, jurisdictions: [], rates: [], rules: [] },
    settings: { sourcing: [], shipping: [], rounding: [], coupons: [policy] },
  };
  const { coupons = [] } = withOwnRules(release, own).settings;
  expect(coupons.map(({ policy: name }) => name)).toEqual(['reduces_price', 'full_price']);
});
