import { type Decimal, powerOfTen, rescale } from '../../money/decimal.ts';

/** The base that an effect applies to. Amounts are in minor units of `exponent` decimals. */
export type Base = {
  readonly net: bigint;
  /** The price of the goods, and their share of the shipping. Thresholds are compared with the price or with both. */
  readonly goods: bigint;
  readonly shipping: bigint;
  readonly quantity: Decimal;
  readonly exponent: number;
  /** Whether the line has a price before discounts. The price of a fee is the fee itself. */
  readonly isPriced: boolean;
  /** The taxable goods of the document in the state. Fees may depend on it. */
  readonly order: bigint;
};

/** An amount per unit times the quantity, rounded half up to `10^-decimals`. */
export const timesQuantity = (amount: Decimal, { quantity }: Base, decimals: number): bigint =>
  rescale({ units: amount.units * quantity.units, scale: amount.scale + quantity.scale }, decimals);

/**
 * Compare the unit price with an amount: negative below it, 0 at it, positive above it. Exact: the price of all units is
 * compared with the amount times the quantity, so nothing is divided.
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

export const min = (left: bigint, right: bigint): bigint => (left < right ? left : right);
