import { exponentOf, formatAmount, parseAmount } from '../../money/currency.ts';
import { calculatedTaxesOf, splitLinesAndShipping } from '../calculated-taxes.ts';
import type { StoredTransaction } from '../transaction.ts';
import { type Amounts, type Balance, lineAmounts, moved, shippingAmounts } from './counters.ts';
import { parentLineId, remainingOf } from './remaining.ts';
import { cumulative } from './scale.ts';

const isRecorded = ({ rows }: Amounts): boolean => rows.every(({ tax, calculated }) => tax === calculated);

/**
 * The calculated tax that a part takes, by row: the recorded tax of the part, or, where another tax than the calculated one
 * was ever recorded, the cumulative share by net. Parts that exhaust the net add up to the calculated tax of every row.
 */
const takenTaxes = ({ whole, credited }: Balance, part: Amounts, isSupplied: boolean): bigint[] => {
  if (!isSupplied && isRecorded(whole) && isRecorded(credited)) return part.rows.map(({ tax }) => tax);
  const progress = { before: credited.net, now: part.net, of: whole.net };
  return whole.rows.map(({ calculated }, index) =>
    cumulative(calculated, credited.rows[index]?.calculated ?? 0n, progress),
  );
};

/** A finalized credit with the calculated tax that it takes from its sale, given the sale with its other live credits. */
export const withCalculatedTaxes = (credit: StoredTransaction, sale: StoredTransaction): StoredTransaction => {
  const { transaction } = credit;
  const exponent = exponentOf(transaction.currency);
  const isSupplied = transaction.tax_amount !== transaction.calculated_tax_amount;
  const own = splitLinesAndShipping(transaction, calculatedTaxesOf(transaction, exponent));
  const remaining = remainingOf(sale);
  const balances = new Map(remaining.lines);
  const lines = transaction.line_items.flatMap((line, at): readonly bigint[] => {
    const id = parentLineId(line, sale.transaction);
    const balance = id === undefined ? undefined : balances.get(id);
    if (id === undefined || !balance) return own.lines[at] ?? [];
    const taken = takenTaxes(balance, lineAmounts(line, exponent), isSupplied);
    // Several lines may credit the same line of the sale.
    const credited = moved(balance.credited, lineAmounts(line, exponent, taken), 1n);
    balances.set(id, { whole: balance.whole, credited });
    return taken;
  });
  const shipping = transaction.shipping
    ? takenTaxes(remaining.shipping, shippingAmounts(transaction, exponent), isSupplied)
    : [];
  const taxes = [...lines, ...shipping].map((minor) => formatAmount(minor, exponent));
  const recorded = [...transaction.line_items, ...(transaction.shipping ? [transaction.shipping] : [])].flatMap(
    (charge) => charge.taxes.map(({ tax_amount }) => tax_amount),
  );
  const isKept = isSupplied || taxes.some((tax, index) => tax !== recorded[index]);
  if (!isKept) return { ...credit, calculatedTaxes: undefined, isUnderCollected: undefined };
  const { tax_amount, calculated_tax_amount } = sale.transaction;
  const isUnder = parseAmount(tax_amount, exponent) < parseAmount(calculated_tax_amount, exponent);
  return { ...credit, calculatedTaxes: taxes, isUnderCollected: isUnder || undefined };
};
