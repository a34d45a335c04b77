import { describe, expect, it } from 'vitest';
import { newestBuiltInReleases } from '../../shared/content/built-in.ts';
import type { Rule } from '../../shared/content/release.ts';
import { taxabilityOf } from '../../shared/coverage/taxability.ts';
import { vocabulary } from '../../shared/vocabulary/vocabulary.ts';
import { releaseOf, rule } from '../support/builders.ts';
import { builtIn } from '../support/local-content.ts';

const day = '2026-11-26';
const inState = (state: string, code: string) => taxabilityOf(builtIn(state), code, day);

describe('the taxability of a code in a state', () => {
  it('has the treatment, the rule with its source, and the attributes that change it', () => {
    // 86 Ill. Adm. Code 130.310: candy is taxed at the general rate, candy with flour as food, which the state taxes at 0 %.
    const candy = inState('IL', 'FOOD.CANDY');
    expect(candy).toMatchObject({ state: 'IL', treatment: 'taxable', rule_id: 'il-candy-and-soft-drinks' });
    expect(candy.source).not.toBe('');
    expect(candy.attributes.map(({ code, treatment }) => [code, treatment])).toEqual([
      ['_CONTAINS_FLOUR', 'reduced_rate'],
      ['_REFRIGERATED', 'reduced_rate'],
    ]);
  });

  it('names what applies to each use where business and personal buyers are taxed differently', () => {
    // Ohio R.C. 5739.01(B)(3)(e).
    expect(inState('OH', 'SOFTWARE.SAAS')).toMatchObject({
      treatment: 'by_use',
      attributes: [
        { code: '_BUSINESS_USE', treatment: 'taxable' },
        { code: '_PERSONAL_USE', treatment: 'exempt' },
      ],
    });
  });

  it('is taxable without a rule, and says that none is established', () => {
    const rules: Rule[] = [
      rule('flour', ['FOOD.CANDY'], { type: 'exempt' }, { attributes: { any: ['_CONTAINS_FLOUR'], none: [] } }),
    ];
    const candy = taxabilityOf(releaseOf({ rules }), 'FOOD.CANDY', day);
    expect(candy).toMatchObject({ treatment: 'taxable', rule_id: null, confidence: null, source: null });
    expect(candy.attributes).toMatchObject([{ code: '_CONTAINS_FLOUR', treatment: 'exempt', rule_id: 'flour' }]);
  });

  it('is no tax in a state without a general sales tax, also where its cities tax', () => {
    for (const state of ['OR', 'DE', 'MT', 'NH', 'AK'])
      expect(inState(state, 'GENERAL')).toMatchObject({ treatment: 'not_subject_to_tax', attributes: [] });
    expect(inState('AK', 'GENERAL').text).not.toBe(inState('OR', 'GENERAL').text);
  });

  it('is the fee of the state where it charges one', () => {
    expect(inState('CO', 'FEES.RETAIL_DELIVERY_FEE').rule_id).toBe('co-retail-delivery-fee-2026');
  });

  it('is the policy on shipping where no rule names a charge', () => {
    expect(inState('IA', 'SHIPPING.DELIVERY')).toMatchObject({
      treatment: 'exempt',
      rule_id: 'ia-shipping',
      attributes: [{ code: '_INCLUDED_IN_PRICE', treatment: 'follows_goods' }],
    });
  });

  it('is known for every code in every state, and each attribute changes it', () => {
    for (const release of newestBuiltInReleases())
      for (const code of vocabulary().productTaxCodes) {
        const { attributes, treatment, text } = taxabilityOf(release, code, day);
        expect(attributes.filter((other) => other.treatment === treatment && other.text === text)).toEqual([]);
      }
  });
});
