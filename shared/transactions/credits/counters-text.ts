import { assert } from '../../base/assert.ts';
import { listCharges } from '../../calculations/figures.ts';
import { formatAmount, minorDigits, parseAmount } from '../../money/currency.ts';
import { calculatedTaxesOf, splitByCharge } from '../calculated-taxes.ts';
import type { CreditedCharge, StoredTransaction, Transaction } from '../transaction.ts';

/**
 * A compact text of the credited amounts of a sale: every credit makes the sale's item longer, and the last one must still
 * fit. It has digits and three letters only, so that two characters fit into a byte.
 *
 * The order is that of the sale, lines before shipping charges, which is fixed once it can be credited; ids would be longer
 * than the amounts.
 * Amounts are minor units without leading zeros, so that a zero is empty.
 */
const betweenAmounts = 'a';
const betweenCharges = 'b';
const minus = 'c';

type Credited = StoredTransaction['credited'];
type Sale = Pick<Transaction, 'currency' | 'line_items' | 'shipping'>;

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

const calculatedOf = ({ rows }: CreditedCharge): string[] => rows.map(({ calculated }) => calculated);
const isTaxedOtherwise = ({ rows }: CreditedCharge): boolean => rows.some(({ tax, calculated }) => tax !== calculated);

const writtenIn =
  ({ currency }: Sale) =>
  (amounts: readonly string[]): string =>
    amounts
      .map((amount) => parseAmount(amount, minorDigits(currency)))
      .map((minor) => (minor === 0n ? '' : String(minor).replace('-', minus)))
      .join(betweenAmounts);

/** The counters of the lines and shipping charges of a sale, in its order; `null` for one without credits. */
const creditedCharges = ({ charges }: Credited, sale: Sale): (CreditedCharge | null)[] => {
  const known = new Map(Object.entries(charges));
  const ids = listCharges(sale).map(({ id }) => id);
  const found = ids.map((id) => known.get(id) ?? null);
  for (const id of ids) known.delete(id);
  assert(known.size === 0, 'The credited amounts have a charge that the sale does not have.');
  return found;
};

/** The text of the credited amounts of a sale, without their calculated taxes (`calculatedText`). */
export const creditedText = (credited: Credited, sale: Sale): string => {
  const written = writtenIn(sale);
  const charges = creditedCharges(credited, sale).map((charge) => (charge ? written(amountsOf(charge)) : ''));
  return [...charges, written([credited.unmatched.net, credited.unmatched.tax])].join(betweenCharges);
};

/** The text of the credited calculated taxes of a sale; `null` where they equal the recorded taxes. */
export const calculatedText = (credited: Credited, sale: Sale): string | null => {
  const charges = creditedCharges(credited, sale);
  if (!charges.some((charge) => charge && isTaxedOtherwise(charge))) return null;
  const written = writtenIn(sale);
  return charges.map((charge) => (charge ? written(calculatedOf(charge)) : '')).join(betweenCharges);
};

const chargeFrom = (amounts: readonly string[], calculatedTaxes: readonly string[] | null): CreditedCharge => {
  const [net = '', tax = '', discount = '', third_party_discount = '', taxable = '', exempt = ''] = amounts;
  const rows = Array.from({ length: (amounts.length - rowsBegin) / rowLength }, (_, row) => {
    const [taxable = '', exempt = '', tax = ''] = amounts.slice(rowsBegin + row * rowLength);
    return { taxable, exempt, tax, calculated: calculatedTaxes?.[row] ?? tax };
  });
  return { net, tax, discount, third_party_discount, taxable, exempt, rows };
};

/**
 * The credited amounts of texts that `creditedText` and `calculatedText` made for the same sale. Throws where a text is of
 * another one.
 */
export const creditedFrom = (text: string, calculatedTaxes: string | null, sale: Sale): Credited => {
  const exponent = minorDigits(sale.currency);
  const read = (charge: string) =>
    charge.split(betweenAmounts).map((digits) => formatAmount(BigInt(digits.replace(minus, '-')), exponent));
  const ids = listCharges(sale).map(({ id }) => id);
  const texts = text.split(betweenCharges);
  const calculated = calculatedTaxes?.split(betweenCharges);
  const isOfSale = texts.length === ids.length + 1 && (calculated?.length ?? ids.length) === ids.length;
  assert(isOfSale, 'The counters belong to another sale.');
  const calculatedAt = (at: number) => (calculated ? read(calculated[at] ?? '') : null);
  const [net = '', tax = ''] = read(texts.at(-1) ?? '');
  const charges = ids.flatMap((id, at) => {
    const charge = texts[at] as string;
    return charge === '' ? [] : [[id, chargeFrom(read(charge), calculatedAt(at))] as const];
  });
  return { charges: Object.fromEntries(charges), unmatched: { net, tax } };
};

/** Whether such a text has no credited amount. */
export const isEmpty = (text: string): boolean => /^b*a$/.test(text);

// An upper bound for sent discounts, which the sale does not bound.
const freeDigits = 20;

/**
 * The greatest length of a sale's two texts together, for any credits in any order.
 *
 * Recorded amounts bound the counters; the amount of a line bounds its coupons.
 */
export const creditedTextMax = (sale: Transaction): number => {
  const exponent = minorDigits(sale.currency);
  const taxes = calculatedTaxesOf(sale, exponent).map((minor) => formatAmount(minor, exponent));
  const calculated = splitByCharge(sale, taxes);
  const longer = (a: string, b = '') => (a.length < b.length ? b : a);
  const coupons = sale.line_items.map(({ amount }) => amount);
  const amounts = listCharges(sale).map(({ net_amount, tax_amount, taxable_amount, exempt_amount, taxes }, at) => [
    ...[net_amount, tax_amount, coupons[at] ?? '0', taxable_amount, exempt_amount],
    ...taxes.flatMap((row, index) => [
      ...[row.taxable_amount, row.exempt_amount, row.tax_amount],
      longer(row.tax_amount, calculated[at]?.[index]),
    ]),
  ]);
  return amounts.map(longest).reduce((sum, length) => sum + length, 2 * (freeDigits + 1));
};

// Each amount has a letter after it, and each charge a discount and a part of calculated taxes.
const longest = (amounts: readonly string[]): number =>
  amounts.reduce((sum, amount) => sum + (/[1-9]/.test(amount) ? amount.length : 0) + 1, freeDigits + 2);
