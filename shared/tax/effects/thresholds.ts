import * as z from 'zod/mini';
import { decimal, rescale } from '../../money/decimal.ts';
import { assess, partly, ratedAs, scaledRate, taxed, untaxed } from '../assessment.ts';
import { compareUnitPrice, min, timesQuantity } from './base.ts';
import { always, amount, asTaxable, defineEffect, flag, rate, typed, unchanged } from './definition.ts';
import { determineUse } from './use-split.ts';

/** Effects with a threshold on the price of a unit. */

/** Exempt below the amount (or at it, if inclusive); above it, the whole price is taxed (New York clothing). */
export const thresholdCliff = defineEffect({
  schema: () => typed('threshold_cliff', { amount: amount(), inclusive: flag() }),
  isInMoney: always,
  withoutOwnRate: unchanged,
  resolve: (effect) => {
    const limit = decimal(effect.amount);
    const highestExempt = effect.inclusive ? 0 : -1;
    return {
      assess: (treatment, base) =>
        compareUnitPrice(base, limit, treatment.includesShipping) > highestExempt
          ? taxed(treatment, base.net, treatment.general)
          : untaxed(treatment, base.net, 'product_exempt'),
    };
  },
  describe: (effect) =>
    effect.inclusive
      ? `exempt up to ${effect.amount} a unit; above it, the whole price is taxed`
      : `exempt below ${effect.amount} a unit; otherwise the whole price is taxed`,
  explain: (effect, { price, isTaxed, perUnit }) =>
    `The limit is ${perUnit(effect.amount)}. The price of ${price} is ${
      isTaxed
        ? `${effect.inclusive ? 'above it' : 'not below it'}, so all of it is taxed`
        : `${effect.inclusive ? 'not above it' : 'below it'}, so it is exempt`
    }.`,
  coverageTerm: () => 'threshold',
});

/** Taxes only the part above the amount (Massachusetts clothing). */
export const thresholdExcess = defineEffect({
  schema: () => typed('threshold_excess', { amount: amount() }),
  isInMoney: always,
  withoutOwnRate: unchanged,
  resolve: (effect) => {
    const perUnit = decimal(effect.amount);
    return {
      sharesProportion: true,
      assess: (treatment, base) => {
        const free = timesQuantity(perUnit, base, base.exponent);
        return base.net <= free
          ? untaxed(treatment, base.net, 'product_exempt')
          : partly(treatment, base, base.net - free, treatment.general, 'portion_product_exempt');
      },
    };
  },
  describe: (effect) => `taxed on the part of the price above ${effect.amount} a unit`,
  explain: (effect, { price, taxable, perUnit }) =>
    `The exempt amount is ${perUnit(effect.amount)}. ${taxable} of the price of ${price} is above it and is taxed.`,
  coverageTerm: () => 'threshold',
});

/** Taxes the whole price at a special rate above the amount (Connecticut luxury goods). */
export const thresholdRate = defineEffect({
  schema: () => typed('threshold_rate', { amount: amount(), rate: rate() }),
  isInMoney: always,
  // With a lower rate above the amount, the tax falls at the threshold.
  isMonotonic: (effect, general) => scaledRate(effect.rate).units >= general,
  withoutOwnRate: asTaxable,
  resolve: (effect, { general }) => {
    const limit = decimal(effect.amount);
    const own = ratedAs(scaledRate(effect.rate), general);
    return {
      assess: (treatment, base) =>
        taxed(
          treatment,
          base.net,
          compareUnitPrice(base, limit, treatment.includesShipping) > 0 ? own : treatment.general,
        ),
    };
  },
  describe: (effect) => `taxable; above ${effect.amount} a unit, the whole price is taxed at the rate ${effect.rate}`,
  explain: (effect, { price, rate: applied, perUnit }) =>
    `The limit is ${perUnit(effect.amount)}. The price of ${price} is taxed at ${applied}.`,
  coverageTerm: () => 'threshold',
});

/**
 * A sales tax holiday. Units below the amount (or at it, if inclusive) are exempt. Above it, the rule that applies
 * without the holiday is used. `amount: null` means no limit. With `personal_use`, that rule also applies to business
 * buyers, and a buyer of unknown use is treated as a person.
 */
export const holiday = defineEffect({
  schema: () =>
    typed('holiday', {
      amount: z.nullable(amount()),
      inclusive: flag(),
      personal_use: z.exactOptional(z.literal(true, 'Use true, or omit the field if the holiday is for any use.')),
    }),
  isInMoney: (effect) => effect.amount !== null,
  appliesToAdditionalJurisdictions: true,
  withoutOwnRate: unchanged,
  resolve: (effect, context) => {
    const limit = effect.amount === null ? null : decimal(effect.amount);
    const lowestTaxed = effect.inclusive ? 1 : 0;
    const beyondLimit = context.withoutRule();
    const isForBuyer = !effect.personal_use || determineUse(context) !== 'business';
    return {
      kind: 'holiday',
      beyondLimit,
      assess: (treatment, base) =>
        isForBuyer && (limit === null || compareUnitPrice(base, limit, treatment.includesShipping) < lowestTaxed)
          ? untaxed(treatment, base.net, 'product_exempt_holiday')
          : assess(beyondLimit, base),
    };
  },
  uncertainty: (effect, context) =>
    effect.personal_use && determineUse(context) === null
      ? {
          code: 'taxability_assumed',
          message:
            "the holiday is only for personal use. The buyer's use is not known, so the product was treated as bought for personal use. Send `customer.use`.",
        }
      : null,
  describe: (effect) =>
    [
      'exempt on the holiday',
      ...(effect.amount === null ? [] : [`${effect.inclusive ? 'up to' : 'below'} ${effect.amount} a unit`]),
      ...(effect.personal_use ? ['for personal use'] : []),
    ].join(' '),
  explain: (effect, { price, perUnit }) =>
    effect.amount === null
      ? 'The holiday has no limit.'
      : `The holiday's limit is ${perUnit(effect.amount)}. The price of ${price} is ${effect.inclusive ? 'not above it' : 'below it'}.`,
  coverageTerm: () => 'taxable',
});

/**
 * Taxes the first `amount` of each unit at the general rate, and the rest at a special rate (large items in Phoenix).
 * The row keeps the general rate; only its tax differs.
 */
export const tieredRate = defineEffect({
  schema: () => typed('tiered_rate', { amount: amount(), rate: rate() }),
  isInMoney: always,
  withoutOwnRate: asTaxable,
  resolve: (effect, { general }) => {
    const perUnit = decimal(effect.amount);
    const above = ratedAs(scaledRate(effect.rate), general);
    const reason = above.reason === 'standard_rated' ? 'portion_standard_rated' : 'portion_reduced_rated';
    return {
      assess: (treatment, base) => {
        const { general: below } = treatment;
        const lower = min(base.net, timesQuantity(perUnit, base, base.exponent));
        const upper = base.net - lower;
        const exact = lower * below.rate.units + upper * above.rate.units;
        return { ...taxed(treatment, base.net, below), ...(upper > 0n ? { exact, reason } : {}) };
      },
    };
  },
  describe: (effect) =>
    `taxed at the general rate on the first ${effect.amount} of each unit, and at the rate ${effect.rate} on the rest`,
  explain: (effect, { price, rate: general, perUnit }) =>
    `Of the price of ${price}, at most ${perUnit(effect.amount)} is taxed at ${general}, and the rest at ${effect.rate}.`,
  coverageTerm: () => 'threshold',
});

/**
 * Taxes the part of each unit above `above` and up to `to` at a separate rate (Tennessee's single article tax).
 *
 * A band on top of the state's tax is a separate jurisdiction of type `state`. Its rule names the code in
 * `jurisdictions`, and the jurisdiction has no rate. It has a row only if it taxes something. Other rules apply to it
 * only with `appliesToAdditionalJurisdictions`: a special state rate on the goods does not remove the band.
 */
export const band = defineEffect({
  schema: () =>
    typed('band', { above: amount(), to: amount(), rate: rate() }).check(
      z.refine(
        ({ above, to }) => rescale(decimal(above), 2) < rescale(decimal(to), 2),
        '`to` must be greater than `above`.',
      ),
    ),
  isInMoney: always,
  taxesWithoutGeneralRate: true,
  withoutOwnRate: asTaxable,
  resolve: (effect, { general }) => {
    const [above, to] = [decimal(effect.above), decimal(effect.to)];
    const own = ratedAs(scaledRate(effect.rate), general);
    const reason = own.reason === 'reduced_rated' ? 'portion_reduced_rated' : 'portion_standard_rated';
    return {
      assess: (treatment, base) => {
        const below = min(base.net, timesQuantity(above, base, base.exponent));
        const taxable = min(base.net, timesQuantity(to, base, base.exponent)) - below;
        return taxable === 0n
          ? untaxed(treatment, base.net, 'product_exempt')
          : partly(treatment, base, taxable, own, reason);
      },
    };
  },
  describe: (effect) =>
    `taxed at the rate ${effect.rate} on the part of each unit above ${effect.above} and up to ${effect.to}`,
  explain: (effect, { price, taxable, perUnit }) =>
    `The band goes from ${perUnit(effect.above)} to ${perUnit(effect.to)}. ${taxable} of the price of ${price} is in it.`,
  coverageTerm: () => 'capped',
});
