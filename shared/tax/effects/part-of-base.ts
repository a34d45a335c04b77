/** Effects that tax part of the price or limit the tax. */
import * as z from 'zod/mini';
import { rateDecimals } from '../../catalog/release-values.ts';
import { decimal, multiply, rescale } from '../../money/decimal.ts';
import { partly, ratedAs, scaledRate, taxed } from '../assessment.ts';
import { min, timesQuantity } from './base.ts';
import { always, amount, asTaxable, defineEffect, rate, typed, unchanged } from './definition.ts';

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

const percentAdvice = 'Use a fraction above 0 and below 1 as a string, such as "0.8" for 80 %: at most 4 decimals.';

/** Taxes a fraction of the price (Texas data processing, `"0.8"`). */
export const basePercent = defineEffect({
  schema: () =>
    typed('base_percent', {
      percent: z.string(percentAdvice).check(z.regex(/^0\.(?=\d{0,3}[1-9])\d{1,4}$/, percentAdvice)),
    }),
  withoutOwnRate: unchanged,
  resolve: (effect) => {
    const fraction = decimal(effect.percent);
    return {
      assess: (treatment, base) => {
        const { net, exponent } = base;
        const taxable = multiply({ units: net, scale: exponent }, fraction, exponent);
        return partly(treatment, base, taxable, treatment.general, 'taxable_basis_reduced');
      },
    };
  },
  describe: (effect) => `taxed on the fraction ${effect.percent} of the price`,
  explain: (effect, { price, taxable }) =>
    `The fraction ${effect.percent} of the price of ${price} is taxed: ${taxable}.`,
  coverageTerm: () => 'part_of_price',
});

/**
 * Taxes at a special rate, at most `amount` of tax per unit (South Carolina's maximum tax). The base and the rate of
 * the row do not change.
 */
export const taxCap = defineEffect({
  schema: () => typed('tax_cap', { rate: rate(), amount: amount() }),
  isInMoney: always,
  needsNoRate: true,
  taxesWithoutGeneralRate: true,
  withoutOwnRate: asTaxable,
  resolve: (effect, { general }) => {
    const perUnit = decimal(effect.amount);
    const own = ratedAs(scaledRate(effect.rate), general);
    return {
      limitsTax: true,
      assess: (treatment, base) => {
        const assessment = taxed(treatment, base.net, own);
        const maximum = timesQuantity(perUnit, base, base.exponent + rateDecimals);
        return assessment.exact <= maximum ? assessment : { ...assessment, exact: maximum };
      },
    };
  },
  describe: (effect) => `taxed at the rate ${effect.rate}, at most ${effect.amount} of tax for each unit`,
  explain: (effect, { perUnit }) => `The tax is at most ${perUnit(effect.amount)}.`,
  coverageTerm: () => 'capped',
});
