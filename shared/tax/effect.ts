import { rateDecimals } from '../content/release.ts';
import { type Decimal, multiply, rescale } from '../money/decimal.ts';
import { type Assessment, minorUnit, partly, taxed, untaxed } from './assessment.ts';
import type { ResolvedEffect, ScaledRate, Treatment } from './document.ts';
import { type Base, compareUnitPrice, forAllUnits, lesser } from './per-unit.ts';

const zero: ScaledRate = { text: '0', units: 0n };

const excess = (treatment: Treatment, base: Base, amount: Decimal): Assessment => {
  const free = forAllUnits(amount, base, base.exponent);
  return base.net <= free
    ? untaxed(treatment, base.net, 'product_exempt')
    : partly(treatment, base, base.net - free, treatment.general, 'portion_product_exempt');
};

const capped = (treatment: Treatment, base: Base, amount: Decimal): Assessment =>
  partly(
    treatment,
    base,
    lesser(base.net, forAllUnits(amount, base, base.exponent)),
    treatment.general,
    'taxable_basis_reduced',
  );

type Of<Type extends ResolvedEffect['type']> = Extract<ResolvedEffect, { readonly type: Type }>;

const inBand = (treatment: Treatment, base: Base, { above, to, own }: Of<'band'>): Assessment => {
  const below = lesser(base.net, forAllUnits(above, base, base.exponent));
  const taxable = lesser(base.net, forAllUnits(to, base, base.exponent)) - below;
  if (taxable === 0n) return untaxed(treatment, base.net, 'product_exempt');
  const reason = own.reason === 'reduced_rated' ? 'portion_reduced_rated' : 'portion_standard_rated';
  return partly(treatment, base, taxable, own, reason);
};

// The base and the rate stay what they are; the tax of each unit ends at the amount.
const atMost = (treatment: Treatment, base: Base, { amount, own }: Of<'tax_cap'>): Assessment => {
  const assessment = taxed(treatment, base.net, own);
  const most = forAllUnits(amount, base, base.exponent + rateDecimals);
  return assessment.exact <= most ? assessment : { ...assessment, exact: most };
};

// A fee is rounded by itself, so that no cent of it is ever another row's. One with a price is what the seller states it to be.
const fee = (treatment: Treatment, base: Base, { amount, orderMinimum }: Of<'flat_fee'>): Assessment => {
  if (base.isPriced) return { ...untaxed(treatment, base.net, 'product_exempt'), rate: zero };
  const isDue = orderMinimum === null || base.order >= rescale(orderMinimum, base.exponent);
  const assessment = { ...untaxed(treatment, base.net, 'not_subject_to_tax'), rate: zero };
  return isDue
    ? { ...assessment, reason: 'standard_rated', exact: forAllUnits(amount, base, base.exponent) * minorUnit }
    : assessment;
};

/**
 * Apply a jurisdiction's treatment to a taxable base.
 *
 * Amounts are per unit (content notes 4.9): the price of the line is compared with the amount times the quantity. Shipping
 * that follows the goods is assessed with them, in `shipping.ts`; by itself it is taxed.
 */
export const assess = (treatment: Treatment, base: Base): Assessment => {
  const { effect, general, includesShipping } = treatment;
  switch (effect.type) {
    case 'standard':
    case 'follows_goods':
    case 'any_taxable':
      return taxed(treatment, base.net, general);
    case 'exempt':
      return untaxed(treatment, base.net, 'product_exempt');
    case 'relief':
      return untaxed(treatment, base.net, effect.reason);
    case 'rate':
      return taxed(treatment, base.net, effect.own);
    case 'threshold_cliff':
      return compareUnitPrice(base, effect.amount, includesShipping) > (effect.inclusive ? 0 : -1)
        ? taxed(treatment, base.net, general)
        : untaxed(treatment, base.net, 'product_exempt');
    case 'threshold_excess':
      return excess(treatment, base, effect.amount);
    case 'threshold_rate':
      return taxed(
        treatment,
        base.net,
        compareUnitPrice(base, effect.amount, includesShipping) > 0 ? effect.own : general,
      );
    case 'base_cap':
      return capped(treatment, base, effect.amount);
    case 'band':
      return inBand(treatment, base, effect);
    case 'tax_cap':
      return atMost(treatment, base, effect);
    case 'base_percent':
      return partly(treatment, base, partOf(base, effect.percent), general, 'taxable_basis_reduced');
    case 'flat_fee':
      return fee(treatment, base, effect);
    case 'holiday':
      return isInHoliday(base, effect, includesShipping)
        ? untaxed(treatment, base.net, 'product_exempt_holiday')
        : assess(effect.otherwise, base);
  }
};

const partOf = ({ net, exponent }: Base, percent: Decimal): bigint =>
  multiply({ units: net, scale: exponent }, percent, exponent);

const isInHoliday = (base: Base, { amount, inclusive }: Of<'holiday'>, includesShipping: boolean): boolean =>
  amount === null || compareUnitPrice(base, amount, includesShipping) < (inclusive ? 1 : 0);
