import { assert } from '../../base/assert.ts';
import { listCharges } from '../../calculations/figures.ts';
import { formatAmount, isZero, minorDigits } from '../../money/currency.ts';
import type { CreditBasis, SaleState } from '../settings-snapshot.ts';
import type { Amounts, Credited, StoredTransaction, Transaction } from '../transaction.ts';
import {
  listCalculatedTaxes,
  nothingCredited,
  splitByCharge,
  type Taxed,
  withCredited,
  withoutCredit,
} from './amounts.ts';

/**
 * Compact encoding of a sale's credited amounts. Every credit makes the sale's item longer, and the last credit must
 * still fit. The encoding uses only digits and three letters, so it packs two characters per byte.
 *
 * Charges are in the order of the sale, lines before shipping charges. The order is fixed once a sale can be credited,
 * so the encoding has no ids. Amounts are minor units without leading zeros, so zero is an empty string.
 */
const betweenAmounts = 'a';
const betweenCharges = 'b';
const minus = 'c';

type Sale = Pick<Transaction, 'line_items' | 'shipping'>;

const rowsBegin = 6;
const rowLength = 4;

// The calculated tax is stored as its difference from the recorded tax, which is usually zero.
const listAmounts = (charge: Amounts): bigint[] => [
  charge.net,
  charge.tax,
  charge.discount,
  charge.third_party_discount,
  charge.taxable,
  charge.exempt,
  ...charge.rows.flatMap(({ taxable, exempt, tax, calculated }) => [taxable, exempt, tax, calculated - tax]),
];

const written = (amounts: readonly bigint[]): string =>
  amounts.map((minor) => (minor === 0n ? '' : String(minor).replace('-', minus))).join(betweenAmounts);

/** Encodes the credited amounts of a sale. */
export const creditedText = ({ charges, unmatched }: Credited, sale: Sale): string => {
  const ids = listCharges(sale).map(({ id }) => id);
  const known = ids.map((id) => charges.get(id));
  const isOfSale = known.filter((charge) => charge !== undefined).length === charges.size;
  assert(isOfSale, 'The credited amounts include a charge that is not on the sale.');
  return [
    ...known.map((charge) => (charge ? written(listAmounts(charge)) : '')),
    written([unmatched.net, unmatched.tax]),
  ].join(betweenCharges);
};

const chargeFrom = (amounts: readonly bigint[]): Amounts => {
  const [net = 0n, tax = 0n, discount = 0n, third_party_discount = 0n, taxable = 0n, exempt = 0n] = amounts;
  const rows = Array.from({ length: (amounts.length - rowsBegin) / rowLength }, (_, row) => {
    const [taxable = 0n, exempt = 0n, tax = 0n, difference = 0n] = amounts.slice(rowsBegin + row * rowLength);
    return { taxable, exempt, tax, calculated: tax + difference };
  });
  return { net, tax, discount, third_party_discount, taxable, exempt, rows };
};

/** Decodes what `creditedText` encoded for the same sale. Throws if the number of charges differs from the sale's. */
export const creditedFrom = (text: string, sale: Sale): Credited => {
  const read = (charge: string) => charge.split(betweenAmounts).map((digits) => BigInt(digits.replace(minus, '-')));
  const ids = listCharges(sale).map(({ id }) => id);
  const texts = text.split(betweenCharges);
  assert(texts.length === ids.length + 1, 'The counters belong to a different sale.');
  const [net = 0n, tax = 0n] = read(texts[ids.length] as string);
  const charges = ids.flatMap((id, at) => {
    const charge = texts[at] as string;
    return charge === '' ? [] : [[id, chargeFrom(read(charge))] as const];
  });
  return { charges: new Map(charges), unmatched: { net, tax } };
};

/** Whether an encoded string contains no credited amount. */
export const isEmpty = (text: string): boolean => /^b*a$/.test(text);

// An upper bound for the digits of sent discounts, which the sale's amounts do not limit.
const freeDigits = 20;

/**
 * Returns the maximum encoded length for a sale, for any credits in any order.
 *
 * The recorded amounts bound the counters, and a line's amount bounds its coupons.
 */
export const creditedTextMax = (stored: Taxed): number => {
  const { transaction: sale } = stored;
  const exponent = minorDigits(sale.currency);
  const taxes = listCalculatedTaxes(stored).map((minor) => formatAmount(minor, exponent));
  const calculated = splitByCharge(sale, taxes);
  // Zero is encoded as an empty string, so any other amount is longer.
  const longer = (a: string, b = '') => (isZero(a) || a.length < b.length ? b : a);
  // The difference of two taxes may be negative. With decimals, the unused decimal point leaves room for the sign.
  const sign = exponent === 0 ? '-' : '';
  const coupons = sale.line_items.map(({ amount }) => amount);
  const amounts = listCharges(sale).map(({ net_amount, tax_amount, taxable_amount, exempt_amount, taxes }, at) => [
    ...[net_amount, tax_amount, coupons[at] ?? '0', taxable_amount, exempt_amount],
    ...taxes.flatMap((row, index) => [
      ...[row.taxable_amount, row.exempt_amount, row.tax_amount],
      `${sign}${longer(row.tax_amount, calculated[at]?.[index])}`,
    ]),
  ]);
  return amounts.map(longest).reduce((sum, length) => sum + length, 2 * (freeDigits + 1));
};

// Counts one separator after each amount, and one sent discount per charge.
const longest = (amounts: readonly string[]): number =>
  amounts.reduce((sum, amount) => sum + (isZero(amount) ? 0 : amount.length) + 1, freeDigits + 2);

/** Returns the state of a sale that a credit stores, so the credit can be recomputed later. */
const toSaleState = ({ transaction, credited }: StoredTransaction): SaleState => ({
  tax_amount: transaction.tax_amount,
  credited: creditedText(credited, transaction),
});

/** Returns the basis of a credit computed from the current state of a sale; empty for other transactions. */
export const newBasis = (sale: StoredTransaction | null): { readonly creditBasis?: CreditBasis } =>
  sale ? { creditBasis: { figures: toSaleState(sale), tax: null } } : {};

/**
 * Returns the basis of a credit after an update: a new basis if its amounts were recomputed, a new tax basis if only
 * the tax of a finalized credit was replaced, otherwise nothing.
 */
export const basisAfter = (
  stored: StoredTransaction,
  figures: Partial<Transaction>,
  sale: StoredTransaction | null,
): { readonly creditBasis?: CreditBasis } => {
  const { creditBasis, transaction } = stored;
  if (!sale || figures.tax_amount === undefined) return {};
  if (transaction.status !== 'finalized') return newBasis(sale);
  const without = withoutCredit(sale, stored);
  assert(creditBasis !== undefined, 'The finalized credit has no stored basis.');
  return { creditBasis: { ...creditBasis, tax: toSaleState(without) } };
};

/** Returns a sale with the credits it had in the given state. The status is always `finalized`. */
export const saleAsOf = (sale: StoredTransaction, state: SaleState): StoredTransaction => {
  const credited = creditedFrom(state.credited, sale.transaction);
  const then = { ...sale, credited, transaction: { ...sale.transaction, status: 'finalized' as const } };
  // Adding an empty credit recomputes the sums from the counters.
  return withCredited(then, nothingCredited, 1n);
};
