/** Effects that tax part of the price or limit the tax. */
import * as z from 'zod/mini';
import { rateDecimals } from '../../catalog/release-values.ts';
import { decimal, rescale } from '../../money/decimal.ts';
import {
  assess,
  partly,
  type ResolvedEffect,
  ratedAs,
  scaledRate,
  type Treatment,
  taxed,
  untaxed,
} from '../assessment.ts';
import { max, min, partOfPrice, timesQuantity } from './base.ts';
import { always, amount, asTaxable, defineEffect, percent, rate, typed, unchanged } from './definition.ts';

/**
 * Taxes only the first `amount` of each unit or of all units of a line. An item (Florida's surtax) is one unit, but the
 * units of a set may count as one item.
 */
export const baseCap = defineEffect({
  schema: () =>
    typed('base_cap', {
      amount: amount(),
      per: z.exactOptional(z.enum(['item', 'line'], 'Use "item" or "line", or omit it for a limit per unit.')),
    }),
  isInMoney: always,
  withoutOwnRate: unchanged,
  resolve: (effect) => {
    const cap = decimal(effect.amount);
    return {
      itemCap: effect.per === 'item' ? cap : undefined,
      limitsTax: true,
      assess: (treatment, base) => {
        const most = effect.per === 'line' ? rescale(cap, base.exponent) : timesQuantity(cap, base, base.exponent);
        return partly(treatment, base, min(base.net, most), treatment.general, 'taxable_basis_reduced');
      },
    };
  },
  describe: (effect) => `taxed on the first ${effect.amount} of each ${effect.per ?? 'unit'}`,
  explain: (effect, { price, taxable, exempt, perUnit }) =>
    `At most ${effect.per === 'line' ? effect.amount : perUnit(effect.amount)} is taxable. ${taxable} of the price of ${price} is taxed and ${exempt} is not.`,
  coverageTerm: () => 'capped',
});

/** Taxes a fraction of the price (Texas data processing, `"0.8"`). */
export const basePercent = defineEffect({
  schema: () => typed('base_percent', { percent: percent() }),
  withoutOwnRate: unchanged,
  resolve: (effect) => ({
    assess: (treatment, base) =>
      partly(treatment, base, partOfPrice(base, effect.percent), treatment.general, 'taxable_basis_reduced'),
  }),
  describe: (effect) => `taxed on the fraction ${effect.percent} of the price`,
  explain: (effect, { price, taxable }) =>
    `The fraction ${effect.percent} of the price of ${price} is taxed: ${taxable}.`,
  coverageTerm: () => 'part_of_price',
});

/**
 * Taxes at a special rate, at most `amount` of tax per unit (South Carolina's maximum tax). The base and the rate of
 * the row do not change. With `total`, the amount limits the sum of all jurisdictions' taxes, and this jurisdiction
 * gets the rest after the taxes of all others (boats in Florida).
 */
export const taxCap = defineEffect({
  schema: () =>
    typed('tax_cap', {
      rate: rate(),
      amount: amount(),
      total: z.exactOptional(
        z.literal(true, 'Use true, or omit the field for a limit on the tax of this jurisdiction.'),
      ),
    }),
  isInMoney: always,
  needsNoRate: true,
  taxesWithoutGeneralRate: true,
  withoutOwnRate: asTaxable,
  resolve: (effect, { general }) => {
    const perUnit = decimal(effect.amount);
    const own = ratedAs(scaledRate(effect.rate), general);
    const limitedWith = (others: readonly Treatment[]): ResolvedEffect => ({
      limitsTax: true,
      assess: (treatment, base) => {
        const assessment = taxed(treatment, base.net, own);
        const maximum = timesQuantity(perUnit, base, base.exponent + rateDecimals);
        const left = others.reduce((rest, other) => rest - assess(other, base).exact, maximum);
        return { ...assessment, exact: max(min(assessment.exact, left), 0n) };
      },
    });
    return { ...limitedWith([]), ...(effect.total && { limitedWith }) };
  },
  describe: ({ rate, amount, total }) =>
    `taxed at the rate ${rate}, at most ${amount} of tax for each unit${total ? ', with the tax of all localities' : ''}`,
  explain: ({ amount, total }, { perUnit }) =>
    `The tax is at most ${perUnit(amount)}${total ? ', with the tax of all localities' : ''}.`,
  coverageTerm: () => 'capped',
});

/**
 * Taxes at the general rate if the tax of all jurisdictions on the goods is at most `amount` per unit. If it is more,
 * the seller collects none, because the buyer pays a limited tax to the state (boats in Louisiana). Net plus tax falls
 * at the amount, as with `exempt_above`. The tax on shipping is not compared with the amount.
 */
export const collectedUpTo = defineEffect({
  schema: () => typed('collected_up_to', { amount: amount() }),
  isInMoney: always,
  withoutOwnRate: unchanged,
  resolve: (effect) => {
    const perUnit = decimal(effect.amount);
    const collect: ResolvedEffect['assess'] = (treatment, { net }) => taxed(treatment, net, treatment.general);
    const limitedWith = (others: readonly Treatment[]): ResolvedEffect => ({
      assess: (treatment, base) => {
        const goods = { ...base, net: base.goods };
        const tax = others.reduce((sum, one) => sum + assess(one, goods).exact, collect(treatment, goods).exact);
        return tax > timesQuantity(perUnit, base, base.exponent + rateDecimals)
          ? untaxed(treatment, base.net, 'product_exempt')
          : collect(treatment, base);
      },
    });
    return { assess: collect, limitedWith };
  },
  describe: ({ amount }) => `taxable, but not by the seller if the tax of all jurisdictions is above ${amount} a unit`,
  explain: ({ amount }, { isTaxed, perUnit }) =>
    `The limit is ${perUnit(amount)}. The tax of all jurisdictions on the goods is ${isTaxed ? 'not above it' : 'above it, so the seller collects none'}.`,
  coverageTerm: () => 'threshold',
});
