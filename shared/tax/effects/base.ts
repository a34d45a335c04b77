import { type Decimal, powerOfTen, rescale } from '../../money/decimal.ts';

/** What an effect is measured on. Amounts are in minor units, of `exponent` decimals. */
export type Base = {
  readonly net: bigint;
  /** The price of the goods, and their share of the shipping: together or alone they are compared with thresholds. */
  readonly goods: bigint;
  readonly shipping: bigint;
  readonly quantity: Decimal;
  readonly exponent: number;
  /** Whether the line was sent with a price, discounts aside: that of a fee is the fee itself. */
  readonly isPriced: boolean;
  /** The taxable goods of the whole document in the state, which a fee may depend on. */
  readonly order: bigint;
};

/** An amount per unit for all the units of the base, to the nearest `10^-decimals`. */
export const timesQuantity = (amount: Decimal, { quantity }: Base, decimals: number): bigint =>
  rescale({ units: amount.units * quantity.units, scale: amount.scale + quantity.scale }, decimals);

/**
 * How the unit price compares with an amount: negative below, 0 at it, positive above.
 *
 * Exactly: the price of all units with the amount times the quantity, so that nothing is divided.
 */
export const compareUnitPrice = (base: Base, amount: Decimal, includesShipping: boolean): number => {
  const { quantity, exponent } = base;
  const compared = includesShipping ? base.goods + base.shipping : base.goods;
  const units = amount.units * quantity.units;
  const scale = amount.scale + quantity.scale;
  const price = scale > exponent ? compared * powerOfTen(scale - exponent) : compared;
  const limit = scale < exponent ? units * powerOfTen(exponent - scale) : units;
  return price < limit ? -1 : price === limit ? 0 : 1;
};

/** The lesser of two amounts. */
export const lesser = (one: bigint, other: bigint): bigint => (one < other ? one : other);
