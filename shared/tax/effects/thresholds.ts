import * as z from 'zod/mini';
import { type Decimal, decimal, rescale } from '../../money/decimal.ts';
import { assess, partly, ratedAs, scaledRate, taxed, untaxed } from '../assessment.ts';
import { compareUnitPrice, min, oneUnit, partOfPrice, ruleKey, timesQuantity } from './base.ts';
import { always, amount, asTaxable, defineEffect, flag, percent, rate, typed, unchanged } from './definition.ts';
import { determineUse } from './use-split.ts';

/** Effects with a threshold on the price of a unit. */

/** Describes the side of a limit that a price is on: `above it` or `not above it`. */
const describeSide = (isOn: boolean, side: 'above' | 'below'): string => `${isOn ? '' : 'not '}${side} it`;

/**
 * Exempt below the amount (or at it, if inclusive); above it, the whole price is taxed (New York clothing), or only its
 * first `cap` (local taxes on vehicles in Arkansas). Below `reduced_below`, `reduced_rate` applies.
 */
export const thresholdCliff = defineEffect({
  schema: () =>
    typed('threshold_cliff', {
      amount: amount(),
      inclusive: flag(),
      cap: z.exactOptional(amount()),
      reduced_below: z.exactOptional(amount()),
      reduced_rate: z.exactOptional(rate()),
    }).check(
      z.refine(
        (effect) => (effect.reduced_below === undefined) === (effect.reduced_rate === undefined),
        'Use `reduced_below` and `reduced_rate` together.',
      ),
    ),
  isInMoney: always,
  // If the rate below `reduced_below` exceeds the general rate, the tax falls at that amount.
  isMonotonic: ({ reduced_rate }, general) => scaledRate(reduced_rate ?? '0').units <= general,
  withoutOwnRate: ({ reduced_below: _, reduced_rate: __, ...effect }) => effect,
  resolve: (effect, { general }) => {
    const limit = decimal(effect.amount);
    const highestExempt = effect.inclusive ? 0 : -1;
    const cap = effect.cap === undefined ? null : decimal(effect.cap);
    const reducedBelow = decimal(effect.reduced_below ?? '0');
    const reduced = ratedAs(scaledRate(effect.reduced_rate ?? '0'), general);
    return {
      ...(cap && { limitsTax: true }),
      assess: (treatment, base) => {
        const compare = (amount: Decimal) => compareUnitPrice(base, amount, treatment.includesShipping);
        if (compare(limit) <= highestExempt) return untaxed(treatment, base.net, 'product_exempt');
        const rated = compare(reducedBelow) < 0 ? reduced : treatment.general;
        const taxable = cap ? min(base.net, timesQuantity(cap, base, base.exponent)) : base.net;
        return partly(treatment, base, taxable, rated, 'taxable_basis_reduced');
      },
    };
  },
  describe: ({ amount, inclusive, cap, reduced_below, reduced_rate }) =>
    [
      inclusive ? `exempt up to ${amount} a unit` : `exempt below ${amount} a unit`,
      ...(reduced_below ? [`taxed at the rate ${reduced_rate} below ${reduced_below}`] : []),
      `${inclusive ? 'above it,' : 'otherwise'} the ${cap ? `first ${cap} of each unit` : 'whole price'} is taxed`,
    ].join('; '),
  explain: ({ amount, inclusive, cap }, { price, isTaxed, perUnit }) => {
    const side = describeSide(isTaxed === inclusive, inclusive ? 'above' : 'below');
    const taxed = cap ? `at most ${perUnit(cap)} of it is taxed` : 'all of it is taxed';
    return `The limit is ${perUnit(amount)}. The price of ${price} is ${side}, so ${isTaxed ? taxed : 'it is exempt'}.`;
  },
  coverageTerm: () => 'threshold',
});

/**
 * Taxes the whole price up to the amount (or below it, if inclusive); above it, the price is exempt (bullion in New
 * York). The amount is for a unit, or for all goods of the order to which the rule applies. Net plus tax falls at the
 * amount, as the law requires. Included tax can still be extracted: net plus tax rises up to the amount, and goods
 * whose gross reaches the amount are exempt.
 */
export const exemptAbove = defineEffect({
  schema: () =>
    typed('exempt_above', {
      amount: amount(),
      inclusive: flag(),
      per: z.exactOptional(z.literal('order', 'Use "order", or omit it for an amount per unit.')),
    }),
  isInMoney: always,
  withoutOwnRate: unchanged,
  resolve: (effect) => {
    const limit = decimal(effect.amount);
    const highestTaxed = effect.inclusive ? -1 : 0;
    return {
      isPerOrder: effect.per !== undefined,
      assess: (treatment, base) => {
        const goods = base.ruleTotals.get(ruleKey(treatment.state, treatment.ruleId)) ?? base.goods;
        const compared = effect.per ? { ...base, goods, quantity: oneUnit } : base;
        return compareUnitPrice(compared, limit, treatment.includesShipping) > highestTaxed
          ? untaxed(treatment, base.net, 'product_exempt')
          : taxed(treatment, base.net, treatment.general);
      },
    };
  },
  describe: ({ amount, inclusive, per }) => {
    const limit = `${amount} ${per ? 'for all such goods of the order' : 'a unit'}`;
    return inclusive ? `exempt from ${limit} on, and taxed below` : `exempt above ${limit}, and taxed up to it`;
  },
  explain: ({ amount, inclusive, per }, { price, isTaxed, sumGoods, perUnit }) => {
    const side = describeSide(isTaxed === inclusive, inclusive ? 'below' : 'above');
    const compared = per ? `The price of all such goods, ${sumGoods()},` : `The price of ${price}`;
    return `The limit is ${per ? amount : perUnit(amount)}. ${compared} is ${side}, so ${price} is ${isTaxed ? 'taxed' : 'exempt'}.`;
  },
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
 * Taxes the first `amount` of each unit at the general rate or at `first_rate`, and the rest at a special rate (large
 * items in Phoenix). The row keeps the first rate; only its tax differs. With `percent`, only this fraction of the price
 * is taxed (manufactured homes in South Carolina).
 */
export const tieredRate = defineEffect({
  schema: () =>
    typed('tiered_rate', {
      amount: amount(),
      rate: rate(),
      first_rate: z.exactOptional(rate()),
      percent: z.exactOptional(percent()),
    }),
  isInMoney: always,
  withoutOwnRate: asTaxable,
  resolve: (effect, { general }) => {
    const perUnit = decimal(effect.amount);
    const first = effect.first_rate === undefined ? null : ratedAs(scaledRate(effect.first_rate), general);
    const above = ratedAs(scaledRate(effect.rate), general);
    const ofPart = above.reason === 'standard_rated' ? 'portion_standard_rated' : 'portion_reduced_rated';
    const reason = effect.percent ? 'taxable_basis_reduced' : ofPart;
    return {
      assess: (treatment, base) => {
        const below = first ?? treatment.general;
        const taxable = effect.percent ? partOfPrice(base, effect.percent) : base.net;
        const lower = min(taxable, timesQuantity(perUnit, base, base.exponent));
        const upper = taxable - lower;
        const exact = lower * below.rate.units + upper * above.rate.units;
        const whole = partly(treatment, base, taxable, below, 'taxable_basis_reduced');
        return upper > 0n ? { ...whole, exact, reason } : whole;
      },
    };
  },
  describe: ({ amount, rate, first_rate, percent }) => {
    const first = first_rate ? `the rate ${first_rate}` : 'the general rate';
    const part = percent ? ` on the fraction ${percent} of the price:` : '';
    return `taxed${part} at ${first} on the first ${amount} of each unit, and at the rate ${rate} on the rest`;
  },
  explain: ({ amount, rate, percent }, { price, taxable, rate: first, perUnit }) =>
    `Of ${percent ? `the taxable ${taxable}` : `the price of ${price}`}, at most ${perUnit(amount)} is taxed at ${first}, and the rest at ${rate}.`,
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
