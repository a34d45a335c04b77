import { describe, expect, it } from 'vitest';
import type { Effect, Rule } from '../../shared/content/release.ts';
import { decidingAttributes } from '../../shared/tax/deciding-attributes.ts';
import { attributesFor } from '../../shared/vocabulary/product-tax-code.ts';
import { jurisdiction, productOf, releaseOf, rule } from '../support/builders.ts';
import { builtIn } from '../support/local-content.ts';

const day = '2026-11-26';

/** The deciding attributes of a code in the built-in release of a state, with the type of the effect that then applies. */
const inState = (state: string, code: string) => {
  const release = builtIn(state);
  return Object.fromEntries(
    decidingAttributes(release, release.jurisdictions[0], productOf(code), day).map(({ attribute, rule }) => [
      attribute.code,
      rule?.effect.type ?? 'general rate',
    ]),
  );
};

describe('the attributes that decide in the built-in content', () => {
  // The expected values follow from the laws, not from the rules: Tex. Tax Code 151.313 exempts drugs for people with and
  // without a prescription; 86 Ill. Adm. Code 130.310 treats candy with flour or that needs refrigeration as food;
  // Ohio R.C. 5739.01(B)(3)(e) taxes automatic data processing for use in business.
  it.each([
    { state: 'TX', code: 'HEALTH.DRUGS', expected: { _ANIMAL_USE: 'taxable' } },
    { state: 'IL', code: 'FOOD.CANDY', expected: { _CONTAINS_FLOUR: 'rate', _REFRIGERATED: 'rate' } },
    { state: 'OH', code: 'SOFTWARE.SAAS', expected: { _BUSINESS_USE: 'use_split', _PERSONAL_USE: 'use_split' } },
    { state: 'OH', code: 'SOFTWARE.SAAS._BUSINESS_USE', expected: {} },
    { state: 'TX', code: 'GENERAL', expected: {} },
  ])('are known for $code in $state', ({ state, code, expected }) => {
    expect(inState(state, code)).toEqual(expected);
  });
});

describe('the attributes that decide', () => {
  const exempt: Effect = { type: 'exempt' };
  const reduced: Effect = { type: 'rate', rate: '0.01' };
  const michigan = jurisdiction('US-MI', 'state');
  const codesOf = (rules: readonly Rule[], code: string, taxing = michigan) =>
    decidingAttributes(releaseOf({ rules }), taxing, productOf(code), day).map(({ attribute }) => attribute.code);
  const candy = ['FOOD.CANDY'];

  it('include one that a rule excludes, so that no rule applies', () => {
    const rules = [rule('no-flour', candy, exempt, { attributes: { any: [], none: ['_CONTAINS_FLOUR'] } })];
    const [only, ...others] = decidingAttributes(releaseOf({ rules }), michigan, productOf('FOOD.CANDY'), day);
    expect(only).toMatchObject({ attribute: { code: '_CONTAINS_FLOUR' }, rule: undefined });
    expect(others).toEqual([]);
  });

  it('leave out one whose rule has an equal effect, or the effect of no rule', () => {
    const flour = { attributes: { any: ['_CONTAINS_FLOUR'], none: [] } };
    expect(codesOf([rule('all', candy, reduced), rule('flour', candy, { ...reduced }, flour)], 'FOOD.CANDY')).toEqual(
      [],
    );
    expect(codesOf([rule('flour', candy, { type: 'taxable' }, flour)], 'FOOD.CANDY')).toEqual([]);
    expect(codesOf([rule('all', candy, reduced), rule('flour', candy, exempt, flour)], 'FOOD.CANDY')).toEqual([
      '_CONTAINS_FLOUR',
    ]);
  });

  it('leave out what the product carries or cannot carry', () => {
    const rules = [
      rule('prescription', ['HEALTH.DRUGS'], exempt, { attributes: { any: ['_PRESCRIPTION'], none: [] } }),
      rule('counter', ['HEALTH.DRUGS'], reduced, { attributes: { any: ['_OVER_THE_COUNTER'], none: [] } }),
      // It does not apply to drugs.
      rule('adults', ['HEALTH.DRUGS'], exempt, { attributes: { any: ['_FOR_ADULTS'], none: [] } }),
    ];
    expect(codesOf(rules, 'HEALTH.DRUGS')).toEqual(['_OVER_THE_COUNTER', '_PRESCRIPTION']);
    expect(codesOf(rules, 'HEALTH.DRUGS._PRESCRIPTION')).toEqual([]);
    expect(codesOf(rules, 'HEALTH.DRUGS._HUMAN_USE')).toEqual(['_OVER_THE_COUNTER', '_PRESCRIPTION']);
  });

  it('leave out holidays, seasons, other days and other jurisdictions', () => {
    const flour = { any: ['_CONTAINS_FLOUR'], none: [] };
    const holiday: Effect = { type: 'holiday', amount: null, inclusive: false };
    expect(codesOf([rule('holiday', candy, holiday, { attributes: flour })], 'FOOD.CANDY')).toEqual([]);
    const season = { from: '11-01', to: '12-31' };
    expect(codesOf([rule('season', candy, exempt, { attributes: flour, season })], 'FOOD.CANDY')).toEqual([]);
    expect(codesOf([rule('later', candy, exempt, { attributes: flour, from: '2027-01-01' })], 'FOOD.CANDY')).toEqual(
      [],
    );
    const local = [rule('local', candy, exempt, { attributes: flour, levels: ['county'] })];
    expect(codesOf(local, 'FOOD.CANDY')).toEqual([]);
    expect(codesOf(local, 'FOOD.CANDY', jurisdiction('US-MI-00-001', 'county'))).toEqual(['_CONTAINS_FLOUR']);
  });

  it('are attributes of the code, in every state', () => {
    for (const state of ['NY', 'CT', 'IA', 'WA']) {
      for (const code of ['CLOTHING.APPAREL', 'SHIPPING.DELIVERY', 'DIGITAL.EBOOKS']) {
        const applicable = attributesFor(code);
        const codes = applicable.ok ? applicable.value.map((attribute) => attribute.code) : [];
        expect(codes).toEqual(expect.arrayContaining(Object.keys(inState(state, code))));
      }
    }
  });
});
