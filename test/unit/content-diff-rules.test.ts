import { describe, expect, it } from 'vitest';
import { compareRules } from '../../shared/cli/content/compare-rules.ts';
import { releaseOf, rule } from '../support/builders.ts';

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
    expect(compareRules(releaseOf({ rules: [clothing, old] }), releaseOf({ rules: [next, clothing] })).rules).toEqual([
      { id: 'grocery', old, new: next },
    ]);
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
