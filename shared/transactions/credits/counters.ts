import type { LineItemResponse, ShippingResponse } from '../../calculations/response.ts';
import { formatAmount, parseAmount } from '../../money/currency.ts';
import type { ChargeAmounts, CreditedCharge } from '../transaction.ts';

/** Net and tax in minor units. */
export type Share = { readonly net: bigint; readonly tax: bigint };

export const zeroShare: Share = { net: 0n, tax: 0n };
export const plus = (a: Share, b: Share): Share => ({ net: a.net + b.net, tax: a.tax + b.tax });
export const minus = (a: Share, b: Share): Share => ({ net: a.net - b.net, tax: a.tax - b.tax });
export const isNothing = ({ net, tax }: Share): boolean => net === 0n && tax === 0n;

/** The amounts of a line or a shipping charge in minor units: recorded, credited so far, or credited now. */
export type Amounts = ChargeAmounts<bigint>;
export type Bases = Pick<Amounts, 'taxable' | 'exempt'>;

/** A line or a shipping charge of a sale: the recorded amounts, and the amounts of live credits. */
export type Balance = { readonly whole: Amounts; readonly credited: Amounts };

export const leftOf = ({ whole, credited }: Balance): Share => minus(whole, credited);

const noRow = { taxable: 0n, exempt: 0n, tax: 0n, calculated: 0n };
export const noAmounts: Amounts = {
  taxable: 0n,
  exempt: 0n,
  tax: 0n,
  net: 0n,
  discount: 0n,
  third_party_discount: 0n,
  rows: [],
};

const converted = <From, To>(amounts: ChargeAmounts<From>, convert: (value: From) => To): ChargeAmounts<To> => ({
  net: convert(amounts.net),
  tax: convert(amounts.tax),
  discount: convert(amounts.discount),
  third_party_discount: convert(amounts.third_party_discount),
  taxable: convert(amounts.taxable),
  exempt: convert(amounts.exempt),
  rows: amounts.rows.map(({ taxable, exempt, tax, calculated }) => ({
    taxable: convert(taxable),
    exempt: convert(exempt),
    tax: convert(tax),
    calculated: convert(calculated),
  })),
});

/** The recorded amounts of a line or a shipping charge. The calculated tax of its rows is the recorded one unless given. */
export const chargeAmounts = (
  charge: LineItemResponse | ShippingResponse,
  exponent: number,
  calculated?: readonly bigint[],
): Amounts => {
  const recorded: ChargeAmounts<string> = {
    net: charge.net_amount,
    tax: charge.tax_amount,
    discount: charge.applied_discount_amount,
    third_party_discount:
      'applied_third_party_discount_amount' in charge ? charge.applied_third_party_discount_amount : '0',
    taxable: charge.taxable_amount,
    exempt: charge.exempt_amount,
    rows: charge.taxes.map(({ taxable_amount, exempt_amount, tax_amount }, index) => ({
      taxable: taxable_amount,
      exempt: exempt_amount,
      tax: tax_amount,
      calculated: calculated ? formatAmount(calculated[index] ?? 0n, exponent) : tax_amount,
    })),
  };
  return converted(recorded, (text) => parseAmount(text, exponent));
};

/** The stored counters of a charge; zero before its first credit. */
export const creditedAmounts = (stored: CreditedCharge | undefined, exponent: number): Amounts =>
  stored ? converted(stored, (text) => parseAmount(text, exponent)) : noAmounts;

/** The stored form of amounts. */
export const storedAmounts = (amounts: Amounts, exponent: number): CreditedCharge =>
  converted(amounts, (minor) => formatAmount(minor, exponent));

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
