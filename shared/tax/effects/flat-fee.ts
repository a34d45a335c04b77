import * as z from 'zod/mini';
import { decimal, rescale } from '../../money/decimal.ts';
import { minorUnit, type ScaledRate, untaxed } from '../assessment.ts';
import { timesQuantity } from './base.ts';
import { alwaysTrue, type EffectDefinition } from './definition.ts';
import { amount, typed } from './fields.ts';

type FlatFeeEffect = { readonly type: 'flat_fee'; readonly amount: string; readonly order_minimum: string | null };

const noRate: ScaledRate = { text: '0', units: 0n };

/**
 * A fee for each unit at any price, once the taxable goods that the document brings to the state reach
 * `order_minimum` (Minnesota's retail delivery fee). `null` is always. It is no part of a base. It is rounded by itself, so
 * that no cent of it moves to another row. Local jurisdictions need a rule of their own that exempts it.
 *
 * A line without a price has the fee charged as tax. With a price, the seller states the fee: the price is not taxed, and
 * nothing is added to it.
 */
export const flatFee: EffectDefinition<FlatFeeEffect> = {
  schema: () => typed('flat_fee', { amount: amount(), order_minimum: z.nullable(amount()) }),
  isInMoney: alwaysTrue,
  taxesWithoutGeneralRate: true,
  resolve: (effect) => {
    const perUnit = decimal(effect.amount);
    const minimum = effect.order_minimum === null ? null : decimal(effect.order_minimum);
    return {
      kind: 'flat_fee',
      assess: (treatment, base) => {
        if (base.isPriced) return { ...untaxed(treatment, base.net, 'product_exempt'), rate: noRate };
        const isDue = minimum === null || base.order >= rescale(minimum, base.exponent);
        const assessment = { ...untaxed(treatment, base.net, 'not_subject_to_tax'), rate: noRate };
        return isDue
          ? { ...assessment, reason: 'standard_rated', exact: timesQuantity(perUnit, base, base.exponent) * minorUnit }
          : assessment;
      },
    };
  },
  describe: ({ amount: fee, order_minimum }) =>
    `charged a fee of ${fee} for each unit${order_minimum === null ? '' : `, once the taxable goods reach ${order_minimum}`}`,
  explain: (effect, { reason, perUnit }) => {
    if (reason === 'product_exempt') return 'The price of the line is the fee, so none is added.';
    return reason === 'standard_rated'
      ? `The fee is ${perUnit(effect.amount)}, whatever the price.`
      : `The taxable goods of the order are below ${effect.order_minimum}, so no fee is due.`;
  },
  coverageTerm: () => 'taxable',
};
