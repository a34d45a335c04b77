import type { Effect } from '../../shared/catalog/release.ts';
import type { Use } from '../../shared/tax/effects/definition.ts';

/** A test oracle for the tax core that implements the effects with exact fractions. It calls no code of the service. */

export type Fraction = readonly [numerator: bigint, denominator: bigint];

export const fraction = (text: string): Fraction => {
  const [whole = '', part = ''] = text.split('.');
  return [BigInt(whole + part), 10n ** BigInt(part.length)];
};
export const whole = (value: bigint): Fraction => [value, 1n];
export const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d];
const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d];
export const minus = (left: Fraction, [c, d]: Fraction): Fraction => plus(left, [-c, d]);
export const getSum = (fractions: readonly Fraction[]): Fraction => fractions.reduce(plus, whole(0n));
export const total = (amounts: readonly bigint[]): bigint => amounts.reduce((left, right) => left + right, 0n);
const isLess = ([a, b]: Fraction, [c, d]: Fraction) => a * d < c * b;

/** Rounds to the nearest integer, half up. */
export const nearest = ([a, b]: Fraction): bigint => {
  const floor = a / b;
  return 2n * (a - floor * b) >= b ? floor + 1n : floor;
};

/** Returns whether an integer is one of the two closest to a fraction. */
export const isNear = (value: bigint, exact: Fraction): boolean =>
  isLess(whole(value - 1n), exact) && isLess(exact, whole(value + 1n));

/** Distributes by largest remainder; ties go by position. Distributes equally if all weights are zero. */
export const spread = (amount: bigint, weights: readonly bigint[]): bigint[] => {
  const shares = total(weights) === 0n ? weights.map(() => 1n) : weights;
  const all = total(shares);
  const parts = shares.map((weight) => (amount * weight) / all);
  const order = [...shares.keys()].sort((a, b) => {
    const [left, right] = [a, b].map((index) => (amount * (shares[index] as bigint)) % all) as [bigint, bigint];
    return left === right ? a - b : left < right ? 1 : -1;
  });
  for (const index of order.slice(0, Number(amount - total(parts)))) parts[index] = (parts[index] as bigint) + 1n;
  return parts;
};

/**
 * The amounts of a line in cents. `shipping` is added to the taxed price, but not to the price that is compared with a
 * threshold. `alike` is the price of all goods of the order to which the same rule applies.
 */
export type Sold = {
  readonly net: bigint;
  readonly alike: bigint;
  readonly quantity: string;
  readonly use?: Use;
  readonly shipping?: bigint;
};
type Expected = { readonly taxable: bigint; readonly exact: Fraction };

/** Returns the taxable part of a line in a jurisdiction with a general rate, and the exact tax in cents. */
export const getExpected = (effect: Effect, general: string, sold: Sold): Expected => {
  const price = sold.net + (sold.shipping ?? 0n);
  const forAll = (amount: string, quantity = sold.quantity) =>
    times(times(fraction(amount), whole(100n)), fraction(quantity));
  const at = (taxable: bigint, rate: string): Expected => ({ taxable, exact: times(whole(taxable), fraction(rate)) });
  const atMost = (amount: string, quantity?: string) => {
    const limit = nearest(forAll(amount, quantity));
    return price < limit ? price : limit;
  };
  const compared = (amount: string, per: 'order' | 'unit' = 'unit') => {
    const [goods, limit] = per === 'order' ? [sold.alike, forAll(amount, '1')] : [sold.net, forAll(amount)];
    return isLess(whole(goods), limit) ? 'below' : isLess(limit, whole(goods)) ? 'above' : 'at';
  };
  switch (effect.type) {
    case 'exempt':
      return at(0n, general);
    case 'rate':
      return at(price, effect.rate);
    case 'holiday':
    case 'threshold_cliff': {
      if (effect.type === 'holiday' && effect.personal_use && sold.use === 'business') return at(price, general);
      const side = effect.amount === null ? 'below' : compared(effect.amount);
      if (side === 'below' || (side === 'at' && effect.inclusive)) return at(0n, general);
      if (effect.type === 'holiday') return at(price, general);
      const { cap, reduced_below, reduced_rate = general } = effect;
      const rate = reduced_below !== undefined && compared(reduced_below) === 'below' ? reduced_rate : general;
      return at(cap === undefined ? price : atMost(cap), rate);
    }
    case 'exempt_above': {
      const side = compared(effect.amount, effect.per);
      return at(side === 'above' || (side === 'at' && effect.inclusive) ? 0n : price, general);
    }
    case 'threshold_excess':
      return at(price - atMost(effect.amount), general);
    case 'threshold_rate':
      return at(price, compared(effect.amount) === 'above' ? effect.rate : general);
    case 'tiered_rate': {
      const taxable = nearest(times(whole(price), fraction(effect.percent ?? '1')));
      const limit = nearest(forAll(effect.amount));
      const below = at(taxable < limit ? taxable : limit, effect.first_rate ?? general);
      return { taxable, exact: plus(below.exact, at(taxable - below.taxable, effect.rate).exact) };
    }
    case 'base_cap':
      return at(atMost(effect.amount, effect.per === 'line' ? '1' : sold.quantity), general);
    case 'band':
      return at(atMost(effect.to) - atMost(effect.above), effect.rate);
    case 'tax_cap': {
      const { taxable, exact } = at(price, effect.rate);
      const maximum = forAll(effect.amount);
      return { taxable, exact: isLess(exact, maximum) ? exact : maximum };
    }
    case 'base_percent':
      return at(nearest(times(whole(price), fraction(effect.percent))), general);
    case 'other_tax':
      return at(0n, general);
    case 'use_split': {
      const { business, personal, unknown = personal } = effect;
      return getExpected({ business, personal, unknown }[sold.use ?? 'unknown'], general, sold);
    }
    default:
      return at(price, general);
  }
};
