/** Effects that the price does not matter for. */

import { type RatedAs, type ResolvedEffect, taxed, untaxed } from '../assessment.ts';
import { ratedAs, scaledRate } from '../general-rate.ts';
import { alwaysFalse, type EffectDefinition } from './definition.ts';
import { rate as rateField, typed } from './fields.ts';

export type TaxableEffect = { readonly type: 'taxable' };
export type ExemptEffect = { readonly type: 'exempt' };
type FollowsGoodsEffect = { readonly type: 'follows_goods' };
type AnyTaxableEffect = { readonly type: 'any_taxable' };

/** Taxed at the general rate. Goods without a rule are taxed so too. */
export const taxedAtGeneralRate: ResolvedEffect = {
  wholeRate: 'general',
  assess: (treatment, { net }) => taxed(treatment, net, treatment.general),
};

export const taxable: EffectDefinition<TaxableEffect> = {
  schema: () => typed('taxable', {}),
  isInMoney: alwaysFalse,
  resolve: () => taxedAtGeneralRate,
  describe: () => 'taxable',
  coverageTerm: () => 'taxable',
};

const resolvedExempt: ResolvedEffect = {
  assess: (treatment, { net }) => untaxed(treatment, net, 'product_exempt'),
};

export const exempt: EffectDefinition<ExemptEffect> = {
  schema: () => typed('exempt', {}),
  isInMoney: alwaysFalse,
  isWholeAnswer: true,
  appliesToAdditionalJurisdictions: true,
  resolve: () => resolvedExempt,
  describe: () => 'exempt',
  coverageTerm: () => 'exempt',
};

/** Taxed at a rate other than the general one. */
export const taxedAt = (own: RatedAs): ResolvedEffect => ({
  wholeRate: own,
  assess: (treatment, { net }) => taxed(treatment, net, own),
});

export type RateEffect = { readonly type: 'rate'; readonly rate: string };

/** Another rate than the general one. */
export const rate: EffectDefinition<RateEffect> = {
  schema: () => typed('rate', { rate: rateField() }),
  isInMoney: alwaysFalse,
  isWholeAnswer: true,
  taxesWithoutGeneralRate: true,
  resolve: (effect, { general }) => taxedAt(ratedAs(scaledRate(effect.rate), general)),
  describe: (effect) => `taxed at the rate ${effect.rate}`,
  coverageTerm: (effect, general) => (scaledRate(effect.rate).units < general ? 'reduced_rate' : 'higher_rate'),
};

/** Shipping that is taxed like the goods it brings (`shipping.ts`). As a line by itself it is taxed, but is in no band. */
export const followsGoods: EffectDefinition<FollowsGoodsEffect> = {
  schema: () => typed('follows_goods', {}),
  isInMoney: alwaysFalse,
  appliesToAdditionalJurisdictions: true,
  resolve: () => ({
    ...taxedAtGeneralRate,
    kind: 'follows_goods',
    assess: (treatment, { net }) =>
      treatment.isAdditional ? untaxed(treatment, net, 'not_subject_to_tax') : taxed(treatment, net, treatment.general),
  }),
  describe: () => 'taxed like the goods it ships with',
  coverageTerm: () => 'follows_goods',
};

/** All shipping is taxed once any line is (`shipping.ts`). As a line by itself it is taxed. */
export const anyTaxable: EffectDefinition<AnyTaxableEffect> = {
  schema: () => typed('any_taxable', {}),
  isInMoney: alwaysFalse,
  resolve: () => ({ ...taxedAtGeneralRate, kind: 'any_taxable' }),
  describe: () => 'taxable if any of the goods it ships with is',
  coverageTerm: () => 'any_taxable',
};
