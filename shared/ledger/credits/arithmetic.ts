import type { LineItemResponse, ShippingResponse, TaxRowResponse } from '../../calculations/response.ts';
import { allocate } from '../../money/allocate.ts';
import { formatAmount, parseAmount } from '../../money/currency.ts';
import { divideHalfUp } from '../../money/decimal.ts';

/** The arithmetic of credits, in minor units. Pure. */

/** Net and tax. */
export type Share = { readonly net: bigint; readonly tax: bigint };

export const zeroShare: Share = { net: 0n, tax: 0n };
export const plus = (a: Share, b: Share): Share => ({ net: a.net + b.net, tax: a.tax + b.tax });
export const minus = (a: Share, b: Share): Share => ({ net: a.net - b.net, tax: a.tax - b.tax });
export const isNothing = ({ net, tax }: Share): boolean => net === 0n && tax === 0n;

type Bases = { readonly taxable: bigint; readonly exempt: bigint };

/** `calculated` is the calculated tax. It differs from `tax` where another tax was recorded. */
type RowAmounts = Bases & { readonly tax: bigint; readonly calculated: bigint };

/**
 * The amounts of a line or a shipping charge, and of its rows in their order: recorded, credited so far, or credited now.
 *
 * Each has a counter, because none can be derived from the others: taxes may be supplied, discounts sent, and credits
 * voided in any order. The credits of a line must still add up to every recorded amount.
 */
export type Amounts = Share &
  Bases & {
    readonly discount: bigint;
    readonly third_party_discount: bigint;
    readonly rows: readonly RowAmounts[];
  };

/** The amounts of live credits by the id of the sale's line or shipping charge, and of lines that match none. */
export type Credited = { readonly charges: ReadonlyMap<string, Amounts>; readonly unmatched: Share };

/** A line or a shipping charge of a sale: the recorded amounts, and the amounts of live credits. */
export type Balance = { readonly whole: Amounts; readonly credited: Amounts };

export const remainingShare = ({ whole, credited }: Balance): Share => minus(whole, credited);

const noRow: RowAmounts = { taxable: 0n, exempt: 0n, tax: 0n, calculated: 0n };
export const noAmounts: Amounts = {
  ...zeroShare,
  taxable: 0n,
  exempt: 0n,
  discount: 0n,
  third_party_discount: 0n,
  rows: [],
};

export const nothingCredited: Credited = { charges: new Map(), unmatched: zeroShare };

/** The recorded amounts of a line or a shipping charge. The calculated tax of its rows is the recorded one unless given. */
export const chargeAmounts = (
  charge: LineItemResponse | ShippingResponse,
  exponent: number,
  calculated?: readonly bigint[],
): Amounts => {
  const read = (text: string) => parseAmount(text, exponent);
  return {
    net: read(charge.net_amount),
    tax: read(charge.tax_amount),
    discount: read(charge.applied_discount_amount),
    third_party_discount:
      'applied_third_party_discount_amount' in charge ? read(charge.applied_third_party_discount_amount) : 0n,
    taxable: read(charge.taxable_amount),
    exempt: read(charge.exempt_amount),
    rows: charge.taxes.map(({ taxable_amount, exempt_amount, tax_amount }, index) => {
      const tax = read(tax_amount);
      return {
        taxable: read(taxable_amount),
        exempt: read(exempt_amount),
        tax,
        calculated: calculated ? (calculated[index] ?? 0n) : tax,
      };
    }),
  };
};

/** The credited amounts after adding (`1n`) or removing (`-1n`) a credit. */
export const moved = (before: Amounts, by: Amounts, sign: 1n | -1n): Amounts => {
  const sum = (name: Exclude<keyof Amounts, 'rows'>) => before[name] + sign * by[name];
  return {
    net: sum('net'),
    tax: sum('tax'),
    discount: sum('discount'),
    third_party_discount: sum('third_party_discount'),
    taxable: sum('taxable'),
    exempt: sum('exempt'),
    // A sale without credits has no credited rows, so iterate over the longer list.
    rows: (before.rows.length > by.rows.length ? before : by).rows.map((_, index) => {
      const [left, right] = [before.rows[index] ?? noRow, by.rows[index] ?? noRow];
      return {
        taxable: left.taxable + sign * right.taxable,
        exempt: left.exempt + sign * right.exempt,
        tax: left.tax + sign * right.tax,
        calculated: left.calculated + sign * right.calculated,
      };
    }),
  };
};

/** A credited portion: the part before, the part now, and the whole. */
type Progress = { readonly before: bigint; readonly now: bigint; readonly of: bigint };

const between = (value: bigint, least: bigint, most: bigint) => (value < least ? least : value > most ? most : value);
const positive = (a: bigint) => (a > 0n ? a : 0n);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * The share of an amount for a part: the cumulative share up to now, minus the amount credited before.
 *
 * Every share is within a cent of its proportion. Parts that exhaust the whole add up to the whole amount, whatever credits
 * came before and whichever of them were voided. Never negative.
 */
export const cumulative = (whole: bigint, credited: bigint, { before, now, of }: Progress): bigint => {
  const left = positive(whole - credited);
  if (before + now >= of) return left;
  if (now === 0n) return 0n;
  return between(divideHalfUp(whole * (before + now), of) - credited, 0n, left);
};

/** Which discounts reduce the price of a charge: third-party discounts do where the state's rules say so. */
export type Reducing = readonly ('discount' | 'third_party_discount')[];

/**
 * A discount that a credit line inherits, pro rata by amount, within a cent of its proportion. `reducing` are all discounts
 * that are between the amount and the net.
 */
export const inheritedDiscount = (
  { whole, credited }: Balance,
  amount: bigint,
  name: Reducing[number] = 'discount',
  reducing: Reducing = [name],
): bigint => {
  const gross = (amounts: Amounts) => reducing.reduce((all, one) => all + amounts[one], amounts.net);
  const of = gross(whole);
  if (of === 0n) return 0n;
  const least = (whole[name] * amount) / of;
  const most = least * of === whole[name] * amount ? least : least + 1n;
  return between(divideHalfUp(whole[name] * (gross(credited) + amount), of) - credited[name], least, most);
};

/** The share of a coupon by the credited net of the line. */
export const couponByNet = ({ whole, credited }: Balance, net: bigint): bigint =>
  cumulative(whole.third_party_discount, credited.third_party_discount, {
    before: credited.net,
    now: net,
    of: whole.net,
  });

/** A coupon that does not reduce the price is not refunded to the customer: its share follows the credited net. */
export const inheritedCoupon = (balance: Balance, net: bigint): bigint =>
  // After credits with other coupons, the remaining coupon may exceed the remaining net.
  smaller(couponByNet(balance, net), positive(net));

/** The tax of a part: the recorded tax in proportion to the net; the last part gets the remainder. */
export const recordedTax = (net: bigint, balance: Balance): bigint => {
  const left = remainingShare(balance);
  if (net === left.net) return left.tax;
  if (net === 0n) return 0n;
  return smaller(divideHalfUp(balance.whole.tax * net, balance.whole.net), left.tax);
};

/**
 * The tax of a part by row: the cumulative share of each row minus its credited tax, by largest remainder.
 *
 * No row gets more than its remaining tax. So credits that exhaust a line refund the recorded tax of every row.
 */
export const rowTaxes = (tax: bigint, { whole, credited }: Balance): bigint[] =>
  allocate(
    tax,
    whole.rows.map((row, index) =>
      positive(row.tax * (credited.tax + tax) - (credited.rows[index]?.tax ?? 0n) * whole.tax),
    ),
  );

const noBases: Bases = { taxable: 0n, exempt: 0n };

// Taxable and exempt are scaled together by the net, so that their sum stays equal to it where the recorded sum is.
const remainingBases = (whole: Bases, credited: Bases = noBases, progress: Progress): Bases => {
  const both = cumulative(whole.taxable + whole.exempt, credited.taxable + credited.exempt, progress);
  const least = positive(both - (whole.exempt - credited.exempt));
  const most = smaller(both, whole.taxable - credited.taxable);
  const taxable = between(cumulative(whole.taxable, credited.taxable, progress), least, most);
  return { taxable, exempt: both - taxable };
};

type Charge = Pick<LineItemResponse, 'taxable_amount' | 'exempt_amount' | 'tax_amount' | 'taxes'>;

/** A part of a recorded charge with the given tax. Its rows are the recorded rows in proportion. */
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
    ...written(remainingBases(whole, credited, progress)),
    tax_amount: write(taken.tax),
    taxes: charge.taxes.map((row, index): TaxRowResponse => {
      const bases = remainingBases(whole.rows[index] ?? noBases, credited.rows[index], progress);
      return { ...row, ...written(bases), tax_amount: write(taxes[index] as bigint) };
    }),
  };
};
