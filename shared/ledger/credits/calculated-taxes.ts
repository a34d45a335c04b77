import { listCharges, listTaxRows } from '../../calculations/figures.ts';
import { minorDigits, parseAmount } from '../../money/currency.ts';
import { listCalculatedTaxes, splitByCharge } from '../calculated-taxes.ts';
import type { StoredTransaction } from '../transaction.ts';
import { type Amounts, type Balance, chargeAmounts, cumulative, moved } from './arithmetic.ts';
import { calculateRemaining, parentIds } from './remaining.ts';

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
  const exponent = minorDigits(transaction.currency);
  const isSupplied = transaction.tax_amount !== transaction.calculated_tax_amount;
  const own = splitByCharge(transaction, listCalculatedTaxes(transaction, exponent));
  const balances = new Map(calculateRemaining(sale).charges);
  const ids = parentIds(transaction, sale.transaction);
  const taxes = listCharges(transaction).flatMap((charge, at) => {
    const id = ids[at];
    const balance = id === undefined ? undefined : balances.get(id);
    if (id === undefined || !balance) return own[at] ?? [];
    const taken = takenTaxes(balance, chargeAmounts(charge, exponent), isSupplied);
    // Several charges may credit the same one of the sale.
    const credited = moved(balance.credited, chargeAmounts(charge, exponent, taken), 1n);
    balances.set(id, { whole: balance.whole, credited });
    return taken;
  });
  const recorded = listTaxRows(transaction).map(({ tax_amount }) => parseAmount(tax_amount, exponent));
  const isKept = isSupplied || taxes.some((tax, index) => tax !== recorded[index]);
  if (!isKept) return { ...credit, calculatedTaxes: undefined, isUnderCollected: undefined };
  const { tax_amount, calculated_tax_amount } = sale.transaction;
  const isUnder = parseAmount(tax_amount, exponent) < parseAmount(calculated_tax_amount, exponent);
  return { ...credit, calculatedTaxes: taxes, isUnderCollected: isUnder || undefined };
};
