import { type Decimal, powerOfTen, rescale } from '../money/decimal.ts';
import type { ScaledRate, TaxabilityReason, Treatment } from './document.ts';

/** A row before rounding: the base, and the rate that falls on it. */
export type Assessment = {
  readonly treatment: Treatment;
  readonly taxable: bigint;
  readonly exempt: bigint;
  readonly rate: ScaledRate;
  readonly reason: TaxabilityReason;
};

/** What the effect is measured on: a line's net in minor units, and how many units it has. */
export type Base = { readonly net: bigint; readonly quantity: Decimal; readonly exponent: number };

// The threshold for all the units of the line. Comparing products avoids dividing the net by the quantity.
const thresholdOf = (amount: Decimal, { quantity, exponent }: Base) => ({
  exact: { units: amount.units * quantity.units, scale: amount.scale + quantity.scale },
  exponent,
});
const isAbove = (base: Base, amount: Decimal): boolean => {
  const { exact } = thresholdOf(amount, base);
  const scale = Math.max(exact.scale, base.exponent);
  return base.net * powerOfTen(scale - base.exponent) > exact.units * powerOfTen(scale - exact.scale);
};
const isAt = (base: Base, amount: Decimal): boolean => {
  const { exact } = thresholdOf(amount, base);
  const scale = Math.max(exact.scale, base.exponent);
  return base.net * powerOfTen(scale - base.exponent) === exact.units * powerOfTen(scale - exact.scale);
};

const taxed = (treatment: Treatment, net: bigint, rate: ScaledRate, reason: TaxabilityReason): Assessment => ({
  treatment,
  taxable: net,
  exempt: 0n,
  rate,
  reason,
});
const untaxed = (treatment: Treatment, net: bigint, reason: TaxabilityReason): Assessment => ({
  treatment,
  taxable: 0n,
  exempt: net,
  rate: treatment.rate,
  reason,
});

const rateReason = (rate: ScaledRate, general: ScaledRate): TaxabilityReason => {
  if (rate.units === 0n) return 'zero_rated';
  return rate.units < general.units ? 'reduced_rated' : 'standard_rated';
};

const excess = (treatment: Treatment, base: Base, amount: Decimal): Assessment => {
  const { exact, exponent } = thresholdOf(amount, base);
  const free = rescale(exact, exponent);
  if (base.net <= free) return untaxed(treatment, base.net, 'product_exempt');
  return {
    treatment,
    taxable: base.net - free,
    exempt: free,
    rate: treatment.rate,
    reason: free === 0n ? 'standard_rated' : 'portion_product_exempt',
  };
};

/**
 * Apply a jurisdiction's treatment to a taxable base.
 *
 * Thresholds are per unit (content notes 4.9): the net of the line is compared with the threshold times the quantity.
 * Shipping that follows the goods is assessed with them, in `shipping.ts`; by itself it is taxed.
 */
export const assess = (treatment: Treatment, base: Base): Assessment => {
  const { effect, rate } = treatment;
  switch (effect.type) {
    case 'standard':
    case 'follows_goods':
      return taxed(treatment, base.net, rate, 'standard_rated');
    case 'exempt':
      return untaxed(treatment, base.net, 'product_exempt');
    case 'relief':
      return untaxed(treatment, base.net, effect.reason);
    case 'rate':
      return taxed(treatment, base.net, effect.rate, rateReason(effect.rate, rate));
    case 'threshold_cliff':
      return isAbove(base, effect.amount) || (!effect.inclusive && isAt(base, effect.amount))
        ? taxed(treatment, base.net, rate, 'standard_rated')
        : untaxed(treatment, base.net, 'product_exempt');
    case 'threshold_excess':
      return excess(treatment, base, effect.amount);
    case 'threshold_rate':
      return isAbove(base, effect.amount)
        ? taxed(treatment, base.net, effect.rate, rateReason(effect.rate, rate))
        : taxed(treatment, base.net, rate, 'standard_rated');
  }
};
