import { nothingCredited } from '../credits/arithmetic.ts';
import { creditedFrom, creditedText } from '../credits/counters-text.ts';
import { toCredited, withCredited } from '../credits/remaining.ts';
import type { CreditBasis, SaleState, StoredTransaction, Transaction } from '../transaction.ts';

/** The state of a sale that a credit stores, so that the credit can be computed again. */
const toSaleState = ({ transaction, credited }: StoredTransaction): SaleState => ({
  tax_amount: transaction.tax_amount,
  credited: creditedText(credited, transaction),
});

/** The basis of a credit that is computed from a sale now; empty for other transactions. */
export const newBasis = (sale: StoredTransaction | null): { readonly creditBasis?: CreditBasis } =>
  sale ? { creditBasis: { figures: toSaleState(sale), tax: null } } : {};

/**
 * The basis of a credit after an update: a new one where its figures were recomputed, a new one for the tax where only the
 * tax of a finalized credit was replaced, otherwise unchanged.
 */
export const basisAfter = (
  stored: StoredTransaction,
  figures: Partial<Transaction>,
  sale: StoredTransaction | null,
): { readonly creditBasis?: CreditBasis } => {
  const { creditBasis, transaction } = stored;
  if (!sale || figures.tax_amount === undefined) return {};
  if (transaction.status !== 'finalized') return newBasis(sale);
  const without = withCredited(sale, toCredited(stored, sale.transaction), -1n, transaction.updated_at);
  return creditBasis ? { creditBasis: { ...creditBasis, tax: toSaleState(without) } } : {};
};

/** A sale with its credits at that time: finalized, even if its status is different now. */
export const saleAsOf = (sale: StoredTransaction, state: SaleState): StoredTransaction => {
  const credited = creditedFrom(state.credited, sale.transaction);
  const then = { ...sale, credited, transaction: { ...sale.transaction, status: 'finalized' as const } };
  // Adding zero makes the sums consistent with the counters.
  return { ...withCredited(then, nothingCredited, 1n, sale.transaction.updated_at), credited };
};
