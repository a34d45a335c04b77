import type { LineItemResponse } from '../../calculations/response.ts';
import { formatAmount, parseAmount } from '../../money/currency.ts';
import type { CreditedCharge, Transaction } from '../transaction.ts';

/** Net and tax in minor units. */
export type Share = { readonly net: bigint; readonly tax: bigint };

export const nothing: Share = { net: 0n, tax: 0n };
export const plus = (one: Share, other: Share): Share => ({ net: one.net + other.net, tax: one.tax + other.tax });
export const minus = (one: Share, other: Share): Share => ({ net: one.net - other.net, tax: one.tax - other.tax });
export const isNothing = ({ net, tax }: Share): boolean => net === 0n && tax === 0n;

export type Bases = { readonly taxable: bigint; readonly exempt: bigint };

/** The amounts of a line or of the shipping in minor units: recorded, credited so far, or credited now. */
export type Amounts = Share &
  Bases & {
    readonly discount: bigint;
    readonly thirdPartyDiscount: bigint;
    /** In the order of the sale's rows. */
    readonly rows: readonly (Bases & { readonly tax: bigint })[];
  };

/** A line or the shipping of a sale: the recorded amounts, and those of live credits. */
export type Balance = { readonly whole: Amounts; readonly credited: Amounts };

export const leftOf = ({ whole, credited }: Balance): Share => minus(whole, credited);

type Reader = (text: string) => bigint;
const readerFor =
  (exponent: number): Reader =>
  (text) =>
    parseAmount(text, exponent);

const rowsOf = (rows: LineItemResponse['taxes'], read: Reader): Amounts['rows'] =>
  rows.map(({ taxable_amount, exempt_amount, tax_amount }) => ({
    taxable: read(taxable_amount),
    exempt: read(exempt_amount),
    tax: read(tax_amount),
  }));

/** The recorded amounts of a line. */
export const lineAmounts = (line: LineItemResponse, exponent: number): Amounts => {
  const read = readerFor(exponent);
  return {
    net: read(line.net_amount),
    tax: read(line.tax_amount),
    discount: read(line.applied_discount_amount),
    thirdPartyDiscount: read(line.applied_third_party_discount_amount),
    taxable: read(line.taxable_amount),
    exempt: read(line.exempt_amount),
    rows: rowsOf(line.taxes, read),
  };
};

/** The recorded amounts of the shipping; zero without shipping. */
export const shippingAmounts = (
  { shipping, shipping_amount }: Pick<Transaction, 'shipping' | 'shipping_amount'>,
  exponent: number,
): Amounts => {
  const read = readerFor(exponent);
  return {
    net: read(shipping_amount),
    tax: read(shipping?.tax_amount ?? '0'),
    discount: 0n,
    thirdPartyDiscount: 0n,
    taxable: read(shipping?.taxable_amount ?? '0'),
    exempt: read(shipping?.exempt_amount ?? '0'),
    rows: rowsOf(shipping?.taxes ?? [], read),
  };
};

/** The stored counters of a charge; zero before its first credit. */
export const creditedAmounts = (stored: CreditedCharge | undefined, exponent: number): Amounts => {
  const read: Reader = (text) => parseAmount(text, exponent);
  const {
    net = '0',
    tax = '0',
    discount = '0',
    third_party_discount = '0',
    taxable = '0',
    exempt = '0',
  } = stored ?? {};
  return {
    net: read(net),
    tax: read(tax),
    discount: read(discount),
    thirdPartyDiscount: read(third_party_discount),
    taxable: read(taxable),
    exempt: read(exempt),
    rows: (stored?.rows ?? []).map((row) => ({
      taxable: read(row.taxable),
      exempt: read(row.exempt),
      tax: read(row.tax),
    })),
  };
};

/** The stored form of amounts. */
export const storedAmounts = (amounts: Amounts, exponent: number): CreditedCharge => {
  const write = (minor: bigint) => formatAmount(minor, exponent);
  return {
    net: write(amounts.net),
    tax: write(amounts.tax),
    discount: write(amounts.discount),
    third_party_discount: write(amounts.thirdPartyDiscount),
    taxable: write(amounts.taxable),
    exempt: write(amounts.exempt),
    rows: amounts.rows.map(({ taxable, exempt, tax }) => ({
      taxable: write(taxable),
      exempt: write(exempt),
      tax: write(tax),
    })),
  };
};

const noRow = { taxable: 0n, exempt: 0n, tax: 0n };

/** The credited amounts after adding (`1n`) or removing (`-1n`) a credit. */
export const moved = (before: Amounts, by: Amounts, sign: 1n | -1n): Amounts => ({
  net: before.net + sign * by.net,
  tax: before.tax + sign * by.tax,
  discount: before.discount + sign * by.discount,
  thirdPartyDiscount: before.thirdPartyDiscount + sign * by.thirdPartyDiscount,
  taxable: before.taxable + sign * by.taxable,
  exempt: before.exempt + sign * by.exempt,
  // Before the first credit there are no rows, so the longer list counts.
  rows: (before.rows.length > by.rows.length ? before : by).rows.map((_, index) => {
    const [one, other] = [before.rows[index] ?? noRow, by.rows[index] ?? noRow];
    return {
      taxable: one.taxable + sign * other.taxable,
      exempt: one.exempt + sign * other.exempt,
      tax: one.tax + sign * other.tax,
    };
  }),
});
