import { type Decimal, decimal, multiply, powerOfTen, rescale } from '../../money/decimal.ts';
import { isWithin } from '../../vocabulary/product-tax-code.ts';

/** The base that an effect applies to. Amounts are in minor units of `exponent` decimals. */
export type Base = {
  readonly net: bigint;
  /** The price of the goods, and their share of the shipping. Thresholds are compared with `goods` or with the sum. */
  readonly goods: bigint;
  readonly shipping: bigint;
  readonly quantity: Decimal;
  readonly exponent: number;
  /** Whether the line has a price before discounts. The price of a fee line is the fee itself. */
  readonly isPriced: boolean;
  /**
   * For a fee: the amount of the state's goods that count toward it; `null` if the order's fee is on a different line.
   */
  readonly order: bigint | null;
  /** The price of all goods in the document to which a rule applies, by `ruleKey`, for amounts per order. */
  readonly ruleTotals: RuleTotals;
};

export type RuleTotals = ReadonlyMap<string, bigint>;

/** Returns a key of a state's rule. Rules of different states may have the same id. */
export const ruleKey = (state: string, ruleId: string | null): string => `${state} ${ruleId}`;

/**
 * The goods of an order that a fee depends on: goods that are shipped and taxed by the state, with these exceptions.
 */
export type FeeBase = {
  /** Codes that count even though the state exempts them (clothing in Minnesota). */
  readonly also: readonly string[];
  /** Codes that never count (food in Minnesota). */
  readonly never: readonly string[];
  /** Whether the delivery charges of these goods count. */
  readonly shipping: boolean;
};

/** Returns whether a line counts toward a fee. `isTaxed`: whether the state taxes any part of it. */
export const countsToward = ({ also, never }: FeeBase, path: string, isTaxed: boolean): boolean =>
  !never.some((code) => isWithin(path, code)) && (isTaxed || also.some((code) => isWithin(path, code)));

/** Returns an amount per unit times the quantity, rounded half up to `10^-decimals`. */
export const timesQuantity = (amount: Decimal, { quantity }: Pick<Base, 'quantity'>, decimals: number): bigint =>
  rescale({ units: amount.units * quantity.units, scale: amount.scale + quantity.scale }, decimals);

/** Returns a fraction of the net, such as `0.8`, rounded half up to a minor unit. */
export const partOfPrice = ({ net, exponent }: Base, fraction: string): bigint =>
  multiply({ units: net, scale: exponent }, decimal(fraction), exponent);

/**
 * Compares the unit price with an amount: negative below it, 0 at it, positive above it. Exact, because the price of
 * all units is compared with the amount times the quantity, without division.
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

export const oneUnit: Decimal = { units: 1n, scale: 0 };

export const min = (left: bigint, right: bigint): bigint => (left < right ? left : right);

export const max = (left: bigint, right: bigint): bigint => (left > right ? left : right);
