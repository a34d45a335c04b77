/** Effects that the price does not matter for. */
import * as z from 'zod/mini';
import { taxed, untaxed } from '../assessment.ts';
import type { RatedAs } from '../document.ts';
import { ratedAs, scaledRate } from '../general-rate.ts';
import { type EffectDefinition, never, type ResolvedEffect } from './definition.ts';
import { rate as rateField } from './fields.ts';

const typeOnly = <const Type extends string>(type: Type) => z.strictObject({ type: z.literal(type) });

export type TaxableEffect = { readonly type: 'taxable' };
export type ExemptEffect = { readonly type: 'exempt' };
type FollowsGoodsEffect = { readonly type: 'follows_goods' };
type AnyTaxableEffect = { readonly type: 'any_taxable' };

/** Taxed at the general rate. Goods without a rule are taxed so too. */
export const taxedAtGeneralRate: ResolvedEffect = {
  type: 'taxable',
  wholeRate: 'general',
  assess: (treatment, { net }) => taxed(treatment, net, treatment.general),
};

export const taxable: EffectDefinition<TaxableEffect> = {
  schema: () => typeOnly('taxable'),
  isInMoney: never,
  resolve: () => taxedAtGeneralRate,
  describe: () => 'taxable',
  coverageTerm: () => 'taxable',
};

const resolvedExempt: ResolvedEffect = {
  type: 'exempt',
  assess: (treatment, { net }) => untaxed(treatment, net, 'product_exempt'),
};

export const exempt: EffectDefinition<ExemptEffect> = {
  schema: () => typeOnly('exempt'),
  isInMoney: never,
  isWholeAnswer: true,
  appliesToBandJurisdictions: true,
  resolve: () => resolvedExempt,
  describe: () => 'exempt',
  coverageTerm: () => 'exempt',
};

/** Taxed at a rate of its own. */
export const taxedAt = (own: RatedAs): ResolvedEffect => ({
  type: 'rate',
  wholeRate: own,
  assess: (treatment, { net }) => taxed(treatment, net, own),
});

const rateSchema = () => z.strictObject({ type: z.literal('rate'), rate: rateField() });
export type RateEffect = Readonly<z.infer<ReturnType<typeof rateSchema>>>;

/** Another rate than the general one. */
export const rate: EffectDefinition<RateEffect> = {
  schema: rateSchema,
  isInMoney: never,
  isWholeAnswer: true,
  taxesWithoutGeneralRate: true,
  resolve: (effect, { general }) => taxedAt(ratedAs(scaledRate(effect.rate), general)),
  describe: (effect) => `taxed at the rate ${effect.rate}`,
  coverageTerm: (effect, general) => (scaledRate(effect.rate).units < general ? 'reduced_rate' : 'higher_rate'),
};

/** Shipping that is taxed like the goods it brings (`shipping.ts`). As a line by itself it is taxed. */
export const followsGoods: EffectDefinition<FollowsGoodsEffect> = {
  schema: () => typeOnly('follows_goods'),
  isInMoney: never,
  appliesToBandJurisdictions: true,
  resolve: () => ({ ...taxedAtGeneralRate, type: 'follows_goods' }),
  describe: () => 'taxed like the goods it ships with',
  coverageTerm: () => 'follows_goods',
};

/** All shipping is taxed once any line is (`shipping.ts`). As a line by itself it is taxed. */
export const anyTaxable: EffectDefinition<AnyTaxableEffect> = {
  schema: () => typeOnly('any_taxable'),
  isInMoney: never,
  resolve: () => ({ ...taxedAtGeneralRate, type: 'any_taxable' }),
  describe: () => 'taxable if any of the goods it ships with is',
  coverageTerm: () => 'any_taxable',
};
