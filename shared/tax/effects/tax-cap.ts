import { rateDecimals } from '../../content/release.ts';
import { decimal } from '../../money/decimal.ts';
import { taxed } from '../assessment.ts';
import { ratedAs, scaledRate } from '../general-rate.ts';
import { timesQuantity } from './base.ts';
import { always, type EffectDefinition } from './definition.ts';

type TaxCapEffect = { readonly type: 'tax_cap'; readonly rate: string; readonly amount: string };

/**
 * Another rate, and for each unit no more tax than `amount` (South Carolina's maximum tax). The base and the rate of the
 * row stay what they are.
 */
export const taxCap: EffectDefinition<TaxCapEffect> = {
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
