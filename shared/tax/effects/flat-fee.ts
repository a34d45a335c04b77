import * as z from 'zod/mini';
import { decimal, rescale } from '../../money/decimal.ts';
import { minorUnit, type ScaledRate, untaxed } from '../assessment.ts';
import { type FeeBase, timesQuantity } from './base.ts';
import { always, amount, codes, defineEffect, flag, typed, unchanged } from './definition.ts';

const noRate: ScaledRate = { text: '0', units: 0n };

const feeSchema = () =>
  typed('flat_fee', {
    amount: amount(),
    order_minimum: z.nullable(amount()),
    // Due once per order, regardless of the quantity. Absent: due for each unit.
    once_per: z.exactOptional(z.literal('order', 'Use "order", or omit the field to charge the fee per unit.')),
    // Absent: the base is the taxable goods of the order without delivery charges, and the fee is due even if there are
    // none.
    base: z.exactOptional(z.strictObject({ also: codes(), never: codes(), shipping: flag() })),
  });

const inWords = ({ also, never, shipping }: FeeBase): string =>
  [
    'the taxable goods',
    ...(also.length > 0 ? [`with ${also.join(', ')}`] : []),
    ...(never.length > 0 ? [`without ${never.join(', ')}`] : []),
    ...(shipping ? ['and their delivery charges'] : []),
  ].join(' ');

const dependsOn = ({ base, once_per }: z.infer<ReturnType<typeof feeSchema>>) => ({
  kind: 'flat_fee' as const,
  feeBase: base ?? null,
  isOncePerOrder: once_per === 'order',
});

const describeCondition = ({ order_minimum, base }: z.infer<ReturnType<typeof feeSchema>>): string => {
  const goods = base ? inWords(base) : 'the taxable goods';
  if (order_minimum !== null) return `, once ${goods} reach ${order_minimum}`;
  return base ? `, if the order has any of ${goods}` : '';
};

/**
 * A fee that does not depend on the price, per unit or once per order, if the goods delivered to the state reach
 * `order_minimum` (Minnesota's retail delivery fee). `null` is any amount. The fee is not part of a taxable base, and
 * it is rounded separately, so no cent moves to a different row. It is not a sale, so no other jurisdiction has a row.
 * The rule names a jurisdiction of type `state` that exists only for the fee, so returns list the fee separately from
 * the tax.
 *
 * On a line without a price, and in tax-inclusive documents, the fee is charged as tax. Any other price is the seller's
 * fee: it is not taxed, and nothing is added.
 */
export const flatFee = defineEffect({
  schema: feeSchema,
  isInMoney: always,
  taxesWithoutGeneralRate: true,
  withoutOwnRate: unchanged,
  // Whether goods reach the minimum is not known, but without goods no fee is due.
  resolveWithoutAmounts: (effect) => ({
    ...dependsOn(effect),
    assess: (treatment, { net, order }) => {
      const mayBeDue = order !== null && (order > 0n || (effect.order_minimum === null && !effect.base));
      return { ...untaxed(treatment, net, mayBeDue ? 'not_supported' : 'not_subject_to_tax'), rate: noRate };
    },
  }),
  resolve: (effect) => {
    const fee = decimal(effect.amount);
    const minimum = effect.order_minimum === null ? null : decimal(effect.order_minimum);
    return {
      ...dependsOn(effect),
      assess: (treatment, base) => {
        const least = minimum ? rescale(minimum, base.exponent) : effect.base ? 1n : 0n;
        const assessment = { ...untaxed(treatment, base.net, 'not_subject_to_tax'), rate: noRate };
        if (base.isPriced || base.order === null || base.order < least) return assessment;
        const due = effect.once_per ? rescale(fee, base.exponent) : timesQuantity(fee, base, base.exponent);
        return { ...assessment, reason: 'standard_rated', exact: due * minorUnit };
      },
    };
  },
  describe: (effect) =>
    `charged a fee of ${effect.amount} ${effect.once_per ? 'for an order' : 'for each unit'}${describeCondition(effect)}`,
  explain: (effect, { reason, exempt, perUnit }) => {
    if (reason === 'standard_rated')
      return effect.once_per
        ? `The fee is ${effect.amount} for the order, regardless of the price.`
        : `The fee is ${perUnit(effect.amount)}, regardless of the price.`;
    if (/[1-9]/.test(exempt)) return 'The price of the line is the fee, so none is added.';
    return effect.order_minimum === null
      ? 'No goods of the order count toward the fee, so none is due.'
      : `The goods of the order that count are below ${effect.order_minimum}, so no fee is due.`;
  },
  coverageTerm: () => 'taxable',
});
