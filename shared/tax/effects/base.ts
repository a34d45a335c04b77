import { type Decimal, powerOfTen, rescale } from '../../money/decimal.ts';
import { isWithin } from '../../vocabulary/product-tax-code.ts';

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
  /** The goods of the document in the state that a fee depends on; `null` where another line has the fee of the order. */
  readonly order: bigint | null;
};

/** Which goods of an order a fee depends on: those that are shipped and that the state taxes, with these exceptions. */
export type FeeBase = {
  /** Codes that count although the state exempts them (clothing in Minnesota). */
  readonly also: readonly string[];
  /** Codes that never count (food in Minnesota). */
  readonly never: readonly string[];
  /** Whether the delivery charges of these goods count. */
  readonly shipping: boolean;
};

/** Whether a line counts toward a fee. `isTaxed`: whether the state taxes any of it. */
export const countsToward = ({ also, never }: FeeBase, path: string, isTaxed: boolean): boolean =>
  !never.some((code) => isWithin(path, code)) && (isTaxed || also.some((code) => isWithin(path, code)));

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
