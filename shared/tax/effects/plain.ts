import * as z from 'zod/mini';
import { type RatedAs, type ResolvedEffect, ratedAs, scaledRate, taxed, untaxed } from '../assessment.ts';
import { asTaxable, defineEffect, rate as rateField, typed, unchanged } from './definition.ts';

/** Effects that do not depend on the price. */

/** Taxed at the general rate, like goods without a rule. */
export const taxedAtGeneralRate: ResolvedEffect = {
  wholeRate: 'general',
  assess: (treatment, { net }) => taxed(treatment, net, treatment.general),
};

export const taxable = defineEffect({
  schema: () => typed('taxable', {}),
  withoutOwnRate: unchanged,
  resolve: () => taxedAtGeneralRate,
  describe: () => 'taxable',
  coverageTerm: () => 'taxable',
});

const resolvedExempt: ResolvedEffect = { assess: (treatment, { net }) => untaxed(treatment, net, 'product_exempt') };

export const exempt = defineEffect({
  schema: () => typed('exempt', {}),
  needsNoRate: true,
  appliesToAdditionalJurisdictions: true,
  withoutOwnRate: unchanged,
  resolve: () => resolvedExempt,
  describe: () => 'exempt',
  coverageTerm: () => 'exempt',
});

/** Returns an effect that taxes at a rate other than the general one. */
export const taxedAt = (own: RatedAs): ResolvedEffect => ({
  wholeRate: own,
  assess: (treatment, { net }) => taxed(treatment, net, own),
});

/** Taxed at a rate other than the general one. */
export const rate = defineEffect({
  schema: () => typed('rate', { rate: rateField() }),
  needsNoRate: true,
  taxesWithoutGeneralRate: true,
  withoutOwnRate: asTaxable,
  resolve: (effect, { general }) => taxedAt(ratedAs(scaledRate(effect.rate), general)),
  describe: (effect) => `taxed at the rate ${effect.rate}`,
  coverageTerm: (effect, general) => (scaledRate(effect.rate).units < general ? 'reduced_rate' : 'higher_rate'),
});

/**
 * Shipping that is taxed like the goods it delivers (`shipping.ts`). As a separate line it is taxed, but bands do not
 * apply.
 */
export const followsGoods = defineEffect({
  schema: () => typed('follows_goods', {}),
  appliesToAdditionalJurisdictions: true,
  withoutOwnRate: unchanged,
  resolve: () => ({
    ...taxedAtGeneralRate,
    kind: 'follows_goods',
    assess: (treatment, { net }) =>
      treatment.isAdditional ? untaxed(treatment, net, 'not_subject_to_tax') : taxed(treatment, net, treatment.general),
  }),
  describe: () => 'taxed like the goods it ships with',
  coverageTerm: () => 'follows_goods',
});

/** All shipping is taxed if any line is taxed (`shipping.ts`). A document with only shipping is taxed. */
export const anyTaxable = defineEffect({
  schema: () => typed('any_taxable', {}),
  withoutOwnRate: unchanged,
  resolve: () => ({ ...taxedAtGeneralRate, kind: 'any_taxable' }),
  describe: () => 'taxable if any of the goods it ships with are taxable',
  coverageTerm: () => 'any_taxable',
});

const reasonAdvice = 'Use a sentence of at most 600 characters that explains why the treatment is not established.';

/** Taxed like general goods, because the treatment is not established. `reason` states what is known. */
export const notEstablished = defineEffect({
  schema: () =>
    typed('not_established', {
      reason: z.string(reasonAdvice).check(z.minLength(1, reasonAdvice), z.maxLength(600, reasonAdvice)),
    }),
  withoutOwnRate: unchanged,
  resolve: () => taxedAtGeneralRate,
  describe: () => 'not established; taxed as general goods, with a warning',
  uncertainty: ({ reason }, { product }) => ({
    code: 'taxability_not_established',
    message: `no confirmed treatment of ${product.path}; it was taxed as general goods. ${reason}`,
  }),
  coverageTerm: () => 'not_established',
});

const nameAdvice = 'Use the name of the other tax, such as "motor vehicle excise tax, 5 %": at most 300 characters.';

/** Subject to a different tax in place of sales tax, such as a vehicle excise. Levy does not calculate that tax. */
export const otherTax = defineEffect({
  schema: () =>
    typed('other_tax', { name: z.string(nameAdvice).check(z.minLength(1, nameAdvice), z.maxLength(300, nameAdvice)) }),
  needsNoRate: true,
  taxesWithoutGeneralRate: true,
  appliesToAdditionalJurisdictions: true,
  withoutOwnRate: unchanged,
  resolve: () => ({ assess: (treatment, { net }) => untaxed(treatment, net, 'not_subject_to_tax') }),
  describe: ({ name }) => `not subject to sales tax; another tax applies (${name})`,
  uncertainty: ({ name }) => ({
    code: 'other_tax_applies',
    message: `no sales tax is due, because another tax applies: ${name}. Levy does not calculate it.`,
  }),
  coverageTerm: () => 'other_tax',
});
