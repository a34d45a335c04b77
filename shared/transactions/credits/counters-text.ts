import { assert } from '../../assert.ts';
import type { LineItemResponse } from '../../calculations/response.ts';
import { exponentOf, formatAmount, parseAmount } from '../../money/currency.ts';
import type { CreditedCharge, StoredTransaction, Transaction } from '../transaction.ts';

/**
 * A compact text of the credited amounts of a sale: every credit makes the sale's item longer, and the last one must still
 * fit. It has digits and three letters only, so that two characters fit into a byte.
 *
 * The order of lines is that of the sale, which is fixed once it can be credited; ids would be longer than the amounts.
 * Amounts are minor units without leading zeros, so that a zero is empty.
 */
const betweenAmounts = 'a';
const betweenCharges = 'b';
const minus = 'c';

type Credited = StoredTransaction['credited'];
type Sale = Pick<Transaction, 'currency' | 'line_items'>;

const rowsBegin = 6;
const rowLength = 3;

const amountsOf = (charge: CreditedCharge): string[] => [
  charge.net,
  charge.tax,
  charge.discount,
  charge.third_party_discount,
  charge.taxable,
  charge.exempt,
  ...charge.rows.flatMap(({ taxable, exempt, tax }) => [taxable, exempt, tax]),
];

/** The text of the credited amounts of a sale. */
export const creditedText = ({ lines, shipping, unmatched }: Credited, sale: Sale): string => {
  const exponent = exponentOf(sale.currency);
  const digits = (amount: string) => {
    const minor = parseAmount(amount, exponent);
    return minor === 0n ? '' : String(minor).replace('-', minus);
  };
  const written = (amounts: readonly string[]) => amounts.map(digits).join(betweenAmounts);
  const known = new Map(Object.entries(lines));
  const charges = sale.line_items.map(({ id }) => {
    const charge = known.get(id);
    known.delete(id);
    return charge ? written(amountsOf(charge)) : '';
  });
  assert(known.size === 0, 'The credited amounts have a line that the sale does not have.');
  return [...charges, written(amountsOf(shipping)), written([unmatched.net, unmatched.tax])].join(betweenCharges);
};

const chargeFrom = (amounts: readonly string[]): CreditedCharge => {
  const [net = '', tax = '', discount = '', third_party_discount = '', taxable = '', exempt = ''] = amounts;
  const rows = Array.from({ length: (amounts.length - rowsBegin) / rowLength }, (_, row) => {
    const [taxable = '', exempt = '', tax = ''] = amounts.slice(rowsBegin + row * rowLength);
    return { taxable, exempt, tax };
  });
  return { net, tax, discount, third_party_discount, taxable, exempt, rows };
};

/** The credited amounts of a text that `creditedText` made for the same sale. Throws where the text is of another one. */
export const creditedFrom = (text: string, { currency, line_items }: Sale): Credited => {
  const exponent = exponentOf(currency);
  const read = (charge: string) =>
    charge.split(betweenAmounts).map((digits) => formatAmount(BigInt(digits.replace(minus, '-')), exponent));
  const charges = text.split(betweenCharges);
  assert(charges.length === line_items.length + 2, 'The counters belong to another sale.');
  const [shipping = '', unmatched = ''] = charges.slice(line_items.length);
  const [net = '', tax = ''] = read(unmatched);
  const lines = line_items.flatMap(({ id }, at) => {
    const charge = charges[at] as string;
    return charge === '' ? [] : [[id, chargeFrom(read(charge))] as const];
  });
  return { lines: Object.fromEntries(lines), shipping: chargeFrom(read(shipping)), unmatched: { net, tax } };
};

/** Whether such a text has no credited amount. */
export const isEmpty = (text: string): boolean => /^b*a{5}ba$/.test(text);

// An upper bound for sent discounts, which the sale does not bound.
const freeDigits = 20;

/**
 * The greatest length of a sale's text, for any credits in any order.
 *
 * Recorded amounts bound the counters; the net bounds that of coupons.
 */
export const creditedTextMax = (sale: Pick<Transaction, 'line_items' | 'shipping' | 'shipping_amount'>): number => {
  const rows = (taxes: Transaction['line_items'][number]['taxes']) =>
    taxes.flatMap((row) => [row.taxable_amount, row.exempt_amount, row.tax_amount]);
  const amounts = ({ net_amount, tax_amount, taxable_amount, exempt_amount, taxes }: LineItemResponse) =>
    // Coupons are bounded by the net.
    [net_amount, tax_amount, net_amount, taxable_amount, exempt_amount, ...rows(taxes)];
  const { tax_amount = '', taxable_amount = '', exempt_amount = '', taxes = [] } = sale.shipping ?? {};
  const shipping = [sale.shipping_amount, tax_amount, '', taxable_amount, exempt_amount, ...rows(taxes)];
  const unmatched = 2 * (freeDigits + 1);
  return [...sale.line_items.map(amounts), shipping].map(longest).reduce((sum, length) => sum + length, unmatched);
};

// Each amount has a letter after it, and a discount.
const longest = (amounts: readonly string[]): number =>
  amounts.reduce((sum, amount) => sum + (/[1-9]/.test(amount) ? amount.length : 0) + 1, freeDigits + 1);
