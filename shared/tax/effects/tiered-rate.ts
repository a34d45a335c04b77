import { decimal } from '../../money/decimal.ts';
import { taxed } from '../assessment.ts';
import { ratedAs, scaledRate } from '../general-rate.ts';
import { min, timesQuantity } from './base.ts';
import { alwaysTrue, type EffectDefinition } from './definition.ts';
import { amount, rate, typed } from './fields.ts';

type TieredRateEffect = { readonly type: 'tiered_rate'; readonly amount: string; readonly rate: string };

/**
 * The first `amount` of each unit is taxed at the general rate, and the rest at another one (large items in Phoenix). The
 * row keeps the general rate, as only its tax differs.
 */
export const tieredRate: EffectDefinition<TieredRateEffect> = {
  schema: () => typed('tiered_rate', { amount: amount(), rate: rate() }),
  isInMoney: alwaysTrue,
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
};
