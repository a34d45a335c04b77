import * as z from 'zod/mini';
import { decimal } from '../../money/decimal.ts';
import { partly } from '../assessment.ts';
import { lesser, timesQuantity } from './base.ts';
import { always, type EffectDefinition } from './definition.ts';
import { amount } from './fields.ts';

const schema = () => z.strictObject({ type: z.literal('base_cap'), amount: amount() });
type BaseCapEffect = Readonly<z.infer<ReturnType<typeof schema>>>;

/** The first `amount` of each unit is taxed and no more (Florida's surtax). */
export const baseCap: EffectDefinition<BaseCapEffect> = {
  schema,
  isInMoney: always,
  resolve: (effect) => {
    const perUnit = decimal(effect.amount);
    return {
      type: effect.type,
      assess: (treatment, base) =>
        partly(
          treatment,
          base,
          lesser(base.net, timesQuantity(perUnit, base, base.exponent)),
          treatment.general,
          'taxable_basis_reduced',
        ),
    };
  },
  describe: (effect) => `taxed on the first ${effect.amount} of each unit`,
  explain: (effect, { price, taxable, exempt, perUnit }) =>
    `At most ${perUnit(effect.amount)} is taxable. ${taxable} of the price of ${price} is taxed and ${exempt} is not.`,
  coverageTerm: () => 'capped',
};
