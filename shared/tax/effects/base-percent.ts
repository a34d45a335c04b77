import * as z from 'zod/mini';
import { decimal, multiply } from '../../money/decimal.ts';
import { partly } from '../assessment.ts';
import { type EffectDefinition, never } from './definition.ts';

const schema = () =>
  z.strictObject({
    type: z.literal('base_percent'),
    percent: z.string().check(z.regex(/^0\.(?=\d*[1-9])\d{1,4}$/)),
  });
type BasePercentEffect = Readonly<z.infer<ReturnType<typeof schema>>>;

/** A fraction of the price is taxed (Texas data processing, `"0.8"`). */
export const basePercent: EffectDefinition<BasePercentEffect> = {
  schema,
  isInMoney: never,
  resolve: (effect) => {
    const fraction = decimal(effect.percent);
    return {
      type: effect.type,
      assess: (treatment, base) => {
        const { net, exponent } = base;
        const taxable = multiply({ units: net, scale: exponent }, fraction, exponent);
        return partly(treatment, base, taxable, treatment.general, 'taxable_basis_reduced');
      },
    };
  },
  describe: (effect) => `taxed on the fraction ${effect.percent} of the price`,
  explain: (effect, { price, taxable }) =>
    `The fraction ${effect.percent} of the price of ${price} is taxed: ${taxable}.`,
  coverageTerm: () => 'part_of_price',
};
