import * as z from 'zod/mini';
import { decimal } from '../../money/decimal.ts';
import { partly, untaxed } from '../assessment.ts';
import { timesQuantity } from './base.ts';
import { always, type EffectDefinition } from './definition.ts';
import { amount } from './fields.ts';

const schema = () => z.strictObject({ type: z.literal('threshold_excess'), amount: amount() });
type ThresholdExcessEffect = Readonly<z.infer<ReturnType<typeof schema>>>;

/** Only what exceeds the amount is taxed (Massachusetts clothing). */
export const thresholdExcess: EffectDefinition<ThresholdExcessEffect> = {
  schema,
  isInMoney: always,
  resolve: (effect) => {
    const perUnit = decimal(effect.amount);
    return {
      type: effect.type,
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
};
