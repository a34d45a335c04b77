import { decimal } from '../../money/decimal.ts';
import { assess, untaxed } from '../assessment.ts';
import { compareUnitPrice } from './base.ts';
import type { EffectDefinition } from './definition.ts';

type HolidayEffect = { readonly type: 'holiday'; readonly amount: string | null; readonly inclusive: boolean };

/**
 * A sales-tax holiday: units below the amount (or at it, when inclusive) are exempt. Above it, the rule that applies without
 * the holiday decides. `amount: null` has no limit.
 */
export const holiday: EffectDefinition<HolidayEffect> = {
  isInMoney: (effect) => effect.amount !== null,
  appliesToBandJurisdictions: true,
  resolve: (effect, { withoutRule }) => {
    const limit = effect.amount === null ? null : decimal(effect.amount);
    const lowestTaxed = effect.inclusive ? 1 : 0;
    const beyondLimit = withoutRule();
    return {
      type: effect.type,
      beyondLimit,
      assess: (treatment, base) =>
        limit === null || compareUnitPrice(base, limit, treatment.includesShipping) < lowestTaxed
          ? untaxed(treatment, base.net, 'product_exempt_holiday')
          : assess(beyondLimit, base),
    };
  },
  describe: (effect) =>
    effect.amount === null
      ? 'exempt on the holiday'
      : `exempt on the holiday ${effect.inclusive ? 'up to' : 'below'} ${effect.amount} a unit`,
  explain: (effect, { price, perUnit }) =>
    effect.amount === null
      ? 'The holiday has no limit.'
      : `The holiday's limit is ${perUnit(effect.amount)}. The price of ${price} is ${effect.inclusive ? 'not above it' : 'below it'}.`,
  coverageTerm: () => 'taxable',
};
