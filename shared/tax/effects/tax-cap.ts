import * as z from 'zod/mini';
import { rateDecimals } from '../../content/release.ts';
import { decimal } from '../../money/decimal.ts';
import { taxed } from '../assessment.ts';
import { ratedAs, scaledRate } from '../general-rate.ts';
import { timesQuantity } from './base.ts';
import { always, type EffectDefinition } from './definition.ts';
import { amount, rate } from './fields.ts';

const schema = () => z.strictObject({ type: z.literal('tax_cap'), rate: rate(), amount: amount() });
type TaxCapEffect = Readonly<z.infer<ReturnType<typeof schema>>>;

/**
 * Another rate, and for each unit no more tax than `amount` (South Carolina's maximum tax). The base and the rate of the
 * row stay what they are.
 */
export const taxCap: EffectDefinition<TaxCapEffect> = {
  schema,
  isInMoney: always,
  isWholeAnswer: true,
  taxesWithoutGeneralRate: true,
  resolve: (effect, { general }) => {
    const perUnit = decimal(effect.amount);
    const own = ratedAs(scaledRate(effect.rate), general);
    return {
      type: effect.type,
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
};
