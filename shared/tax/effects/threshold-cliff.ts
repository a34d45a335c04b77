import * as z from 'zod/mini';
import { decimal } from '../../money/decimal.ts';
import { taxed, untaxed } from '../assessment.ts';
import { compareUnitPrice } from './base.ts';
import { always, type EffectDefinition } from './definition.ts';
import { amount } from './fields.ts';

const schema = () => z.strictObject({ type: z.literal('threshold_cliff'), amount: amount(), inclusive: z.boolean() });
type ThresholdCliffEffect = Readonly<z.infer<ReturnType<typeof schema>>>;

/** Below the amount (or at it, when inclusive) exempt; else the whole price is taxed (New York clothing). */
export const thresholdCliff: EffectDefinition<ThresholdCliffEffect> = {
  schema,
  isInMoney: always,
  resolve: (effect) => {
    const limit = decimal(effect.amount);
    const highestExempt = effect.inclusive ? 0 : -1;
    return {
      type: effect.type,
      assess: (treatment, base) =>
        compareUnitPrice(base, limit, treatment.includesShipping) > highestExempt
          ? taxed(treatment, base.net, treatment.general)
          : untaxed(treatment, base.net, 'product_exempt'),
    };
  },
  describe: (effect) =>
    effect.inclusive
      ? `exempt up to ${effect.amount} a unit; above it, the whole price is taxed`
      : `exempt below ${effect.amount} a unit; at it and above, the whole price is taxed`,
  explain: (effect, { price, isTaxed, perUnit }) =>
    `The limit is ${perUnit(effect.amount)}. The price of ${price} is ${
      isTaxed
        ? `${effect.inclusive ? 'above it' : 'not below it'}, so all of it is taxed`
        : `${effect.inclusive ? 'not above it' : 'below it'}, so it is exempt`
    }.`,
  coverageTerm: () => 'threshold',
};
