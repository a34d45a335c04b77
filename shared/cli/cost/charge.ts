import { allocate } from '../../money/allocate.ts';
import { decimal, divideHalfUp, powerOfTen } from '../../money/decimal.ts';
import type { Price } from './prices.ts';

// Finer than any list price: dollars with 18 decimals.
const scale = 18;
const dollarsOf = (text: string): bigint => {
  const { units, scale: own } = decimal(text);
  return units * powerOfTen(scale - own);
};

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/**
 * What so much costs at a price, in cents, exact and rounded once, half up. `quantity` is what `Price.counts` counts:
 * bytes, not gigabytes.
 */
export const charge = ({ counts, per, tiers }: Pick<Price, 'counts' | 'per' | 'tiers'>, quantity: bigint): bigint => {
  let from = 0n;
  let exact = 0n;
  for (const { upTo, dollars } of tiers) {
    const to = upTo === null ? quantity : smaller(quantity, BigInt(upTo) * counts);
    exact += (to - from) * dollarsOf(dollars);
    from = to;
  }
  return divideHalfUp(exact * 100n, per * counts * powerOfTen(scale));
};

/** What is left to be paid of a quantity when AWS gives some of it. */
export const beyondFree = ({ counts, free }: Pick<Price, 'counts' | 'free'>, quantity: bigint): bigint =>
  free === null ? quantity : larger(0n, quantity - BigInt(free) * counts);

/** One charge split over its parts, so that they add up to it. */
export const chargeParts = (price: Price, quantities: readonly bigint[], withFree: boolean): bigint[] => {
  const all = quantities.reduce((sum, one) => sum + one, 0n);
  return allocate(charge(price, withFree ? beyondFree(price, all) : all), quantities);
};
