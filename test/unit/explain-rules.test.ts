import { describe, expect, it } from 'vitest';
import type { Rule } from '../../shared/content/release.ts';
import { ask, releaseOf, rule } from '../support/builders.ts';

const ruleTexts = (others: Partial<Rule>, tax_date: string): string[] => {
  const rules = [rule('all', ['FOOD'], { type: 'taxable' }), rule('one', ['FOOD.GROCERY'], { type: 'exempt' }, others)];
  const of = [{ code: 'US-MI', type: 'state', rate: '0.06' }] as const;
  const [state] = releaseOf({ of }).jurisdictions;
  const release = { ...releaseOf({ of, rules }), jurisdictions: [{ ...state, kind: 'LO' }] as const };
  const { explanation } = ask(
    {
      to: { state: 'MI', postal_code: '48933' },
      tax_date,
      explain: true,
      line_items: [{ product_tax_code: 'FOOD.GROCERY' }],
    },
    { releaseFor: () => release },
  );
  return (explanation ?? []).filter(({ step }) => step === 'rule').map(({ text }) => text);
};

describe('the explanation of a rule', () => {
  it.each([
    { others: { season: { from: '06-01', to: '08-31' } }, words: 'each year from June 1 to August 31' },
    { others: { kinds: ['CP', 'LO'] }, words: 'CP, LO' },
  ])('says that it is limited to $words', ({ others, words }) => {
    expect(ruleTexts(others, '2026-07-01')).toEqual([expect.stringContaining(words)]);
  });

  it.each([
    { others: { season: { from: '06-01', to: '08-31' } }, tax_date: '2026-09-01' },
    { others: { kinds: ['CP'] }, tax_date: '2026-07-01' },
    { others: { counties: ['26065'] }, tax_date: '2026-07-01' },
  ])('is that of another rule where $others does not bind on $tax_date', ({ others, tax_date }) => {
    expect(ruleTexts(others, tax_date)).toEqual([expect.stringContaining('rule all')]);
  });
});
