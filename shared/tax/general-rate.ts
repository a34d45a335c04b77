import { getOrAdd } from '../base/collections.ts';
import { type Rate, rateDecimals } from '../catalog/release-values.ts';
import { decimal, rescale } from '../money/decimal.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { RatedAs, ScaledRate } from './assessment.ts';

/** A rate as written in the release, parsed to units of `10^-rateDecimals`. */
export const scaledRate = (text: string): ScaledRate => ({ text, units: rescale(decimal(text), rateDecimals) });

/** A rate with its reason: zero, reduced or standard next to the general rate. */
export const ratedAs = (rate: ScaledRate, general: ScaledRate): RatedAs => {
  if (rate.units === 0n) return { rate, reason: 'zero_rated' };
  return { rate, reason: rate.units < general.units ? 'reduced_rated' : 'standard_rated' };
};

/**
 * Food for home use, to which a jurisdiction's `food_rate` applies: groceries, unless they are prepared (heated, or sold
 * with utensils) or supplements, which SSUTA sets apart from food.
 */
const foodForHome = 'FOOD.GROCERY';
const notForHome = ['_HEATED', '_UTENSILS_PROVIDED', '_SUPPLEMENT_FACTS'];

const isFoodForHome = ({ path, attributes }: ProductTaxCode): boolean =>
  (path === foodForHome || path.startsWith(`${foodForHome}.`)) &&
  !notForHome.some((attribute) => attributes.includes(attribute));

type Read = { readonly goods: RatedAs; readonly food: RatedAs };
type ReadRate = { readonly intrastate: Read; readonly interstate: Read };

const readPair = ({ rate, food_rate }: Pick<Rate, 'rate' | 'food_rate'>): Read => {
  const general = scaledRate(rate);
  const goods = ratedAs(general, general);
  return { goods, food: food_rate === undefined ? goods : ratedAs(scaledRate(food_rate), general) };
};

// Releases are immutable, so each rate is parsed once.
const readRates = new WeakMap<Rate, ReadRate>();

const readRate = (rate: Rate): ReadRate =>
  getOrAdd(readRates, rate, () => {
    const intrastate = readPair(rate);
    return { intrastate, interstate: rate.interstate ? readPair(rate.interstate) : intrastate };
  });

/** A jurisdiction's rate on general goods. */
export const goodsRate = (rate: Rate, isInterstate: boolean): ScaledRate =>
  readRate(rate)[isInterstate ? 'interstate' : 'intrastate'].goods.rate;

/** A jurisdiction's rate on general goods, and on this product where no rule applies. */
export const generalRates = (
  rate: Rate,
  product: ProductTaxCode,
  isInterstate: boolean,
): { readonly goods: RatedAs; readonly own: RatedAs } => {
  const { goods, food } = readRate(rate)[isInterstate ? 'interstate' : 'intrastate'];
  return { goods, own: isFoodForHome(product) ? food : goods };
};
