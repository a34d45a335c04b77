/** Determines how a state taxes a product, for lists of product tax codes. */

import { generalRateOn } from '../catalog/rates.ts';
import type { Effect, Release } from '../catalog/release.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import { decidingAttributes, findRule } from '../tax/deciding-attributes.ts';
import { effectDefinition } from '../tax/effects/effects.ts';
import type { DecidingRule } from '../tax/rule-choice.ts';
import { effectInWords, sentence } from '../tax/rule-words.ts';
import { type ProductTaxCode, requireProduct } from '../vocabulary/product-tax-code.ts';
import type { ProductTaxability } from '../vocabulary/schema.ts';

type Treated = Pick<ProductTaxability, 'treatment' | 'text' | 'rule_id'>;

const noRule = 'No rule is established: taxed as general goods, with a warning.';
const noTax = 'The state has no general sales tax.';
const noStateTax = 'The state has no general sales tax; its cities or counties may tax.';

/** Returns the effect for a buyer whose use is stated by an attribute. */
const effectForUse = (effect: Effect, attribute: string | undefined): Effect => {
  if (effect.type !== 'use_split') return effect;
  if (attribute === '_BUSINESS_USE') return effect.business;
  return attribute === '_PERSONAL_USE' ? effect.personal : effect;
};

/** Returns the state's jurisdiction that taxes a product. A state fee is a separate jurisdiction. */
const taxingState = (release: Release, product: ProductTaxCode, day: string): Jurisdiction =>
  release.jurisdictions.find(
    (jurisdiction) =>
      jurisdiction.tax_type === 'fee' && findRule(release, jurisdiction, product, day)?.effect.type === 'flat_fee',
  ) ?? release.jurisdictions[0];

const hasLocals = ({ coverage, local, fallback }: Release): boolean =>
  fallback ? hasLocals(fallback) : coverage !== 'complete' || local !== undefined;

/** `attribute` is the attribute by which the rule was chosen. */
const treated = (release: Release, day: string, rule: DecidingRule | undefined, attribute?: string): Treated => {
  const general = generalRateOn(release, day);
  const effect = rule && effectForUse(rule.effect, attribute);
  const taxesAnyway = effect && effectDefinition(effect).taxesWithoutGeneralRate === true;
  if (general === 0n && !taxesAnyway)
    return {
      treatment: 'not_subject_to_tax',
      text: hasLocals(release) ? noStateTax : noTax,
      rule_id: rule?.id ?? null,
    };
  if (!effect) return { treatment: 'taxable', text: noRule, rule_id: null };
  return {
    treatment: effectDefinition(effect).coverageTerm(effect, general ?? 0n),
    text: [sentence(effectInWords(effect)), rule.assumption ?? ''].join(' ').trim(),
    rule_id: rule.id,
  };
};

/**
 * Returns how the state itself taxes a product on a day (`YYYY-MM-DD`), and the attributes that change the treatment.
 * Local jurisdictions, holidays and seasonal rules are not included.
 */
export const findTaxability = (release: Release, code: string, day: string): ProductTaxability => {
  const product = requireProduct(code);
  const state = taxingState(release, product, day);
  const rule = findRule(release, state, product, day);
  const own = treated(release, day, rule);
  const attributes = decidingAttributes(release, state, product, day)
    .map(({ attribute: { code, name }, rule }) => ({ code, name, ...treated(release, day, rule, code) }))
    // Without a general rate, different effects can have the same result.
    .filter(({ treatment, text }) => treatment !== own.treatment || text !== own.text);
  return {
    state: release.state.slice('US-'.length),
    ...own,
    confidence: rule?.confidence ?? null,
    source: rule ? (release.sources[rule.source] ?? rule.source) : null,
    attributes,
  };
};
