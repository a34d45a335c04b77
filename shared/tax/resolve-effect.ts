import type { Effect, PlainEffect } from '../content/release.ts';
import { decimal } from '../money/decimal.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { ResolvedEffect, ScaledRate, Treatment, Use } from './document.ts';
import { ratedAs, scaledRate } from './general-rate.ts';
import type { DecidingRule } from './rule-choice.ts';

/** What an effect is resolved for. */
export type Resolving = {
  readonly product: ProductTaxCode;
  readonly use: Use;
  /** The rate that falls on general goods, beside which another is a reduced one. */
  readonly general: ScaledRate;
  /** The treatment without this rule, for a holiday. */
  readonly otherwise: () => Treatment;
};

/** Whether an effect says something in amounts of money, which hold in the state's currency alone. */
export const isInMoney = (effect: DecidingRule['effect']): boolean => {
  switch (effect.type) {
    case 'threshold_cliff':
    case 'threshold_excess':
    case 'threshold_rate':
    case 'base_cap':
    case 'band':
    case 'tax_cap':
    case 'flat_fee':
      return true;
    case 'holiday':
      return effect.amount !== null;
    default:
      return false;
  }
};

/** Whether an effect says what the tax is without the general rate. */
export const isWholeAnswer = ({ type }: DecidingRule['effect']): boolean =>
  type === 'exempt' || type === 'rate' || type === 'tax_cap';

const usedForBusiness = ({ attributes }: ProductTaxCode, use: Use): boolean =>
  attributes.includes('_BUSINESS_USE') || (use === 'business' && !attributes.includes('_PERSONAL_USE'));

const resolvePlain = (effect: PlainEffect, general: ScaledRate): ResolvedEffect => {
  if (effect.type === 'taxable') return { type: 'standard' };
  return effect.type === 'rate' ? { type: 'rate', own: ratedAs(scaledRate(effect.rate), general) } : { type: 'exempt' };
};

const resolveHoliday = (
  { amount, inclusive }: Extract<Effect, { readonly type: 'holiday' }>,
  otherwise: Treatment,
): ResolvedEffect => ({ type: 'holiday', amount: amount === null ? null : decimal(amount), inclusive, otherwise });

/** Decide the buyer's use and read the numbers of an effect. */
export const resolveEffect = (effect: DecidingRule['effect'], resolving: Resolving): ResolvedEffect => {
  const { product, use, general, otherwise } = resolving;
  switch (effect.type) {
    case 'taxable':
    case 'exempt':
    case 'rate':
      return resolvePlain(effect, general);
    case 'use_split':
      return resolvePlain(usedForBusiness(product, use) ? effect.business : effect.personal, general);
    case 'follows_goods':
    case 'any_taxable':
      return { type: effect.type };
    case 'threshold_cliff':
      return { type: 'threshold_cliff', amount: decimal(effect.amount), inclusive: effect.inclusive };
    case 'threshold_excess':
    case 'base_cap':
      return { type: effect.type, amount: decimal(effect.amount) };
    case 'threshold_rate':
    case 'tax_cap':
      return { type: effect.type, amount: decimal(effect.amount), own: ratedAs(scaledRate(effect.rate), general) };
    case 'band':
      return {
        type: 'band',
        above: decimal(effect.above),
        to: decimal(effect.to),
        own: ratedAs(scaledRate(effect.rate), general),
      };
    case 'base_percent':
      return { type: 'base_percent', percent: decimal(effect.percent) };
    case 'flat_fee': {
      const { amount, order_minimum } = effect;
      return {
        type: 'flat_fee',
        amount: decimal(amount),
        orderMinimum: order_minimum === null ? null : decimal(order_minimum),
      };
    }
    case 'holiday':
      return resolveHoliday(effect, otherwise());
  }
};
