import * as z from 'zod/mini';
import { decimal } from '../../money/decimal.ts';
import { taxed } from '../assessment.ts';
import { ratedAs, scaledRate } from '../general-rate.ts';
import { compareUnitPrice } from './base.ts';
import { always, type EffectDefinition } from './definition.ts';
import { amount, rate } from './fields.ts';

const schema = () => z.strictObject({ type: z.literal('threshold_rate'), amount: amount(), rate: rate() });
type ThresholdRateEffect = Readonly<z.infer<ReturnType<typeof schema>>>;

/** Above the amount the whole price is taxed at another rate (Connecticut luxury goods). */
export const thresholdRate: EffectDefinition<ThresholdRateEffect> = {
  schema,
  isInMoney: always,
  // With a lower rate above the amount, the tax falls there.
  isMonotonic: (effect, general) => scaledRate(effect.rate).units >= general,
  resolve: (effect, { general }) => {
    const limit = decimal(effect.amount);
    const own = ratedAs(scaledRate(effect.rate), general);
    return {
      type: effect.type,
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
};
