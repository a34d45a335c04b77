import type { LineItemResponse, ShippingResponse, TaxRowResponse } from '../../calculations/response.ts';
import { allocate } from '../../money/allocate.ts';
import { formatAmount } from '../../money/currency.ts';
import { divideHalfUp } from '../../money/decimal.ts';
import { type Balance, type Bases, leftOf, type Share } from './counters.ts';

/** How much of something is credited: before, now, and in all there is. */
export type Progress = { readonly before: bigint; readonly now: bigint; readonly of: bigint };

const between = (value: bigint, least: bigint, most: bigint) => (value < least ? least : value > most ? most : value);
const larger = (one: bigint, other: bigint) => (one > other ? one : other);
const smaller = (one: bigint, other: bigint) => (one < other ? one : other);

/**
 * How much of an amount goes with a part: what is due up to now, less what was credited of it.
 *
 * So every part is within a cent of its proportion, and the parts that exhaust it add up to the whole amount, whatever
 * credits came before, and which of them were voided. Never negative.
 */
const cumulative = (whole: bigint, credited: bigint, { before, now, of }: Progress): bigint => {
  const left = larger(whole - credited, 0n);
  if (before + now >= of) return left;
  if (now === 0n) return 0n;
  return between(divideHalfUp(whole * (before + now), of) - credited, 0n, left);
};

/** A discount that a credit's line inherits, by amount: never further than a cent's rounding from its proportion. */
export const inheritedDiscount = ({ whole, credited }: Balance, amount: bigint): bigint => {
  const of = whole.net + whole.discount;
  if (of === 0n) return 0n;
  const least = (whole.discount * amount) / of;
  const most = least * of === whole.discount * amount ? least : least + 1n;
  const due = divideHalfUp(whole.discount * (credited.net + credited.discount + amount), of);
  return between(due - credited.discount, least, most);
};

/** What a manufacturer paid is not the customer's to get back: it goes by what is credited of the line's net. */
export const inheritedCoupon = ({ whole, credited }: Balance, net: bigint): bigint => {
  const progress = { before: credited.net, now: net, of: whole.net };
  // Where coupons were sent otherwise before, there may be more left of it than the net that it is taken from.
  return smaller(cumulative(whole.thirdPartyDiscount, credited.thirdPartyDiscount, progress), larger(net, 0n));
};

/** The tax of a part by the recorded tax: in proportion to the net, and all that is left for what is left (decisions 5). */
export const recordedTax = (net: bigint, balance: Balance): bigint => {
  const left = leftOf(balance);
  if (net === left.net) return left.tax;
  if (net === 0n) return 0n;
  return smaller(divideHalfUp(balance.whole.tax * net, balance.whole.net), left.tax);
};

/**
 * A part's tax by row: to each what is due to it up to now, less what was credited of it; by largest remainder.
 *
 * No row ever gets more than is left of it: what is due to all rows together is at least the tax, and to each at most
 * what is left. So the credits that exhaust a line give back of every row what was recorded.
 */
export const rowTaxes = (tax: bigint, { whole, credited }: Balance): bigint[] =>
  allocate(
    tax,
    whole.rows.map((row, index) =>
      larger(row.tax * (credited.tax + tax) - (credited.rows[index]?.tax ?? 0n) * whole.tax, 0n),
    ),
  );

const noBases: Bases = { taxable: 0n, exempt: 0n };

// Both together go by the net, so that they add up to it wherever the recorded ones do.
const basesOf = (whole: Bases, credited: Bases = noBases, progress: Progress): Bases => {
  const both = cumulative(whole.taxable + whole.exempt, credited.taxable + credited.exempt, progress);
  const least = larger(both - (whole.exempt - credited.exempt), 0n);
  const most = smaller(both, whole.taxable - credited.taxable);
  const taxable = between(cumulative(whole.taxable, credited.taxable, progress), least, most);
  return { taxable, exempt: both - taxable };
};

type Charge = Pick<LineItemResponse, 'taxable_amount' | 'exempt_amount' | 'tax_amount' | 'taxes'>;

/** A recorded charge reduced to a part of it, whose tax is given: its rows are the recorded rows in proportion. */
export const scaleCharge = (
  charge: Pick<Charge, 'taxes'>,
  balance: Balance,
  taken: Share,
  exponent: number,
): Charge => {
  const { whole, credited } = balance;
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const progress = { before: credited.net, now: taken.net, of: whole.net };
  const written = ({ taxable, exempt }: Bases) => ({ taxable_amount: write(taxable), exempt_amount: write(exempt) });
  const taxes = rowTaxes(taken.tax, balance);
  return {
    ...written(basesOf(whole, credited, progress)),
    tax_amount: write(taken.tax),
    taxes: charge.taxes.map((row, index): TaxRowResponse => {
      const bases = basesOf(whole.rows[index] ?? noBases, credited.rows[index], progress);
      return { ...row, ...written(bases), tax_amount: write(taxes[index] as bigint) };
    }),
  };
};

/** The shipping of a sale, reduced to what is credited of it. */
export const scaleShipping = (
  shipping: ShippingResponse,
  balance: Balance,
  taken: Share,
  exponent: number,
): ShippingResponse => ({
  amount: formatAmount(taken.net, exponent),
  product_tax_code: shipping.product_tax_code,
  ...scaleCharge(shipping, balance, taken, exponent),
});
