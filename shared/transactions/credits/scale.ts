import type { LineItemResponse, ShippingResponse, TaxRowResponse } from '../../calculations/response.ts';
import { allocate } from '../../money/allocate.ts';
import { formatAmount, parseAmount } from '../../money/currency.ts';
import { divideHalfUp } from '../../money/decimal.ts';
import type { Share } from './remaining.ts';

/**
 * What a part of a recorded charge carries: its tax is given, its rows are the recorded rows in proportion.
 *
 * Bases go by how much was credited before and after, so that those of all credits add up to the recorded ones too.
 */
export type Part = {
  /** What is credited now. */
  readonly taken: Share;
  /** What of the charge was left before. */
  readonly left: Share;
  readonly exponent: number;
};

type Charge = Pick<LineItemResponse, 'taxable_amount' | 'exempt_amount' | 'tax_amount' | 'taxes'>;

/** The tax of a part by the recorded tax: in proportion to the net, and all that is left for what is left (decisions 5). */
export const recordedTax = (net: bigint, whole: Share, left: Share): bigint => {
  if (net === 0n) return 0n;
  if (net === left.net) return left.tax;
  const tax = divideHalfUp(whole.tax * net, whole.net);
  return tax < left.tax ? tax : left.tax;
};

/** A recorded charge of `wholeNet`, reduced to a part of it. */
export const scaleCharge = (charge: Charge, wholeNet: bigint, { taken, left, exponent }: Part): Charge => {
  const read = (text: string) => parseAmount(text, exponent);
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const before = wholeNet - left.net;
  const upTo = (amount: bigint, net: bigint) => (wholeNet === 0n ? 0n : divideHalfUp(amount * net, wholeNet));
  const scaled = (text: string) => write(upTo(read(text), before + taken.net) - upTo(read(text), before));
  const taxes = allocate(
    taken.tax,
    charge.taxes.map((row) => read(row.tax_amount)),
  );
  return {
    taxable_amount: scaled(charge.taxable_amount),
    exempt_amount: scaled(charge.exempt_amount),
    tax_amount: write(taken.tax),
    taxes: charge.taxes.map(
      (row, index): TaxRowResponse => ({
        ...row,
        taxable_amount: scaled(row.taxable_amount),
        exempt_amount: scaled(row.exempt_amount),
        tax_amount: write(taxes[index] as bigint),
      }),
    ),
  };
};

/** The shipping of a sale, reduced to what is credited of it. */
export const scaleShipping = (shipping: ShippingResponse, wholeNet: bigint, part: Part): ShippingResponse => ({
  ...shipping,
  ...scaleCharge(shipping, wholeNet, part),
  amount: formatAmount(part.taken.net, part.exponent),
});
