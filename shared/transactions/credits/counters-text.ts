import type { LineItemResponse } from '../../calculations/response.ts';
import { exponentOf, formatAmount, parseAmount } from '../../money/currency.ts';
import type { CreditedCharge, StoredTransaction, Transaction } from '../transaction.ts';

/**
 * What was credited of a sale, written as briefly as can be: every credit makes the sale's item longer, and the last one
 * must still fit. Digits, and three letters between them, so that two signs fit a byte.
 *
 * Lines stand in the order of the sale's, which is fixed once it can be credited: their ids may be far longer than their
 * amounts. Amounts are minor units without leading zeros, so nothing at all is written of a zero.
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

/** Write down what was credited of a sale. */
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
  if (known.size > 0) throw new Error('Something was credited of a line that the sale does not have.');
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

/** Read what `creditedText` wrote of the same sale. Throws where the text is of another one. */
export const creditedFrom = (text: string, { currency, line_items }: Sale): Credited => {
  const exponent = exponentOf(currency);
  const read = (charge: string) =>
    charge.split(betweenAmounts).map((digits) => formatAmount(BigInt(digits.replace(minus, '-')), exponent));
  const charges = text.split(betweenCharges);
  if (charges.length !== line_items.length + 2) throw new Error('These counters are not of this sale.');
  const [shipping = '', unmatched = ''] = charges.slice(line_items.length);
  const [net = '', tax = ''] = read(unmatched);
  const lines = line_items.flatMap(({ id }, at) => {
    const charge = charges[at] as string;
    return charge === '' ? [] : [[id, chargeFrom(read(charge))] as const];
  });
  return { lines: Object.fromEntries(lines), shipping: chargeFrom(read(shipping)), unmatched: { net, tax } };
};

/** Whether such a text says that nothing was credited yet. */
export const isEmpty = (text: string): boolean => /^b*a{5}ba$/.test(text);

// More than a client can reach with discounts that it sends: they are not bounded by the sale's.
const freeDigits = 20;

/**
 * How long the text of a sale can become, whatever is credited of it in whatever order.
 *
 * No counter can exceed what was recorded, for that is what credits are bounded by. A coupon's is bounded by the net.
 */
export const creditedTextMax = (sale: Pick<Transaction, 'line_items' | 'shipping' | 'shipping_amount'>): number => {
  const rows = (taxes: Transaction['line_items'][number]['taxes']) =>
    taxes.flatMap((row) => [row.taxable_amount, row.exempt_amount, row.tax_amount]);
  const amounts = ({ net_amount, tax_amount, taxable_amount, exempt_amount, taxes }: LineItemResponse) =>
    // The net once more, for the coupons.
    [net_amount, tax_amount, net_amount, taxable_amount, exempt_amount, ...rows(taxes)];
  const { tax_amount = '', taxable_amount = '', exempt_amount = '', taxes = [] } = sale.shipping ?? {};
  const shipping = [sale.shipping_amount, tax_amount, '', taxable_amount, exempt_amount, ...rows(taxes)];
  const unmatched = 2 * (freeDigits + 1);
  return [...sale.line_items.map(amounts), shipping].map(longest).reduce((sum, length) => sum + length, unmatched);
};

// Each with the letter after it, and a discount beside.
const longest = (amounts: readonly string[]): number =>
  amounts.reduce((sum, amount) => sum + (/[1-9]/.test(amount) ? amount.length : 0) + 1, freeDigits + 1);
