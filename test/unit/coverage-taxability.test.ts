import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import type { Rule } from '../../shared/catalog/release.ts';
import { findTaxability } from '../../shared/coverage/taxability.ts';
import { taxabilityPage } from '../../shared/coverage/taxability-page.ts';
import { vocabulary } from '../../shared/vocabulary/vocabulary.ts';
import { releaseOf, rule } from '../support/builders.ts';
import { builtIn } from '../support/local-content.ts';

const day = '2026-11-26';
const inState = (state: string, code: string) => findTaxability(builtIn(state), code, day);

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

  it('is taxable without a rule, with a note that none is established', () => {
    const rules: Rule[] = [
      rule('flour', ['FOOD.CANDY'], { type: 'exempt' }, { attributes: { any: ['_CONTAINS_FLOUR'], none: [] } }),
    ];
    const candy = findTaxability(releaseOf({ rules }), 'FOOD.CANDY', day);
    expect(candy).toMatchObject({ treatment: 'taxable', rule_id: null, confidence: null, source: null });
    expect(candy.attributes).toMatchObject([{ code: '_CONTAINS_FLOUR', treatment: 'exempt', rule_id: 'flour' }]);
  });

  it('is no tax in a state without a general sales tax, even where its cities tax', () => {
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
});

describe('the page of taxability', () => {
  const page = taxabilityPage(builtInReleases());
  const states = (/^\| Code \| (.*) \|$/m.exec(page)?.[1] ?? '').split(' | ');
  const rows = new Map(
    [...page.matchAll(/^\| `(.*)` \| (.*) \|$/gm)].map(([, code = '', cells = '']) => [code, cells.split(' | ')]),
  );
  const cell = (code: string, state: string) => rows.get(code)?.[states.indexOf(state)];

  it('matches the content: after a change, run `npm run content -- coverage --write`', () => {
    expect(readFileSync(new URL('../../infra/docs/taxability.md', import.meta.url), 'utf8')).toBe(page);
  });

  it('has a cell for each code in each of the 47 states and territories with a general sales tax', () => {
    expect(states).toHaveLength(47);
    expect([...rows.keys()]).toEqual(vocabulary().productTaxCodes);
    expect([...rows.values()].filter((cells) => cells.length !== states.length)).toEqual([]);
    for (const state of ['AK', 'DE', 'MT', 'NH', 'OR', 'AE']) expect(states).not.toContain(state);
  });

  it.each([
    // N.Y. Tax Law 1115(a)(30): clothing below 110 dollars. Minn. Stat. 297A.67 subd. 8. Tex. Tax Code 151.351: 80 % of it.
    ['CLOTHING.APPAREL', 'NY', 'D'],
    ['CLOTHING.APPAREL', 'MN', 'E'],
    ['SERVICES.DATA_PROCESSING', 'TX', 'P'],
    // Ohio R.C. 5739.01(B)(3)(e): in business.
    ['SOFTWARE.SAAS', 'OH', 'U'],
    ['GENERAL', 'CA', 'T'],
  ])('shows %s in %s as %s', (code, state, letter) => {
    expect(cell(code, state)?.replace('\\*', '')).toBe(letter);
  });

  it('explains every sign in its legend, and no other one', () => {
    const legend = [...page.matchAll(/^\| (\S{1,2}) \| /gm)].map(([, sign]) => sign);
    const used = [...rows.values()]
      .flat()
      .flatMap((text) => (text.endsWith('\\*') ? [text.slice(0, -2), '\\*'] : [text]));
    expect(new Set(used)).toEqual(new Set(legend));
    expect(new Set(legend).size).toBe(legend.length);
  });
});
