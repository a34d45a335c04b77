import { decimalsOf, toDecimal, toMinor } from '../core/money.ts';
import type { Problem } from '../core/problem.ts';
import { type Ledger, retrieve, type Transaction } from '../core/transactions.ts';
import type { SoldOrder } from './shop-order.ts';

const mismatch = (reference: string, detail: string): Problem => ({
  ...{ reference, code: 'mismatch', detail, isFinal: true },
});

/**
 * A paid order that became more expensive, for example by an edit, or an exchange whose units have not been returned.
 * The ledger is not changed until the difference is paid or returned.
 */
export const unpaidProblem = ({ reference, wanted, unpaid }: SoldOrder): Problem | null => {
  if (wanted !== 'finalized' || !/[1-9]/.test(unpaid)) return null;
  const detail = `${unpaid} of the changed order is neither paid nor covered by returns. Collect it; Levy keeps its earlier sale.`;
  return mismatch(reference, detail);
};

/**
 * Checks that the sale minus its credits equals the amount that the shop kept of the payments. Returns `null` if it
 * does.
 */
export const ledgerProblem = async (
  ledger: Ledger,
  { reference, wanted, paid, total, refunds }: SoldOrder,
  sale: Transaction | null,
): Promise<Problem | null> => {
  if (wanted !== 'finalized' || refunds.length === 0 || !sale) return null;
  const found = await retrieve(ledger, reference, sale.id);
  if (!found.ok) return found.problem;
  const { total_amount, credited_amount, credited_tax_amount, status } = found.value.transaction;
  // A different process is replacing the sale.
  if (status === 'void') return null;
  const minor = (amount: string) => toMinor(amount, decimalsOf(total_amount));
  const refunded = refunds.reduce((sum, refund) => sum + minor(refund.total), 0n);
  // If an edit lowered a paid order, the first refunds return the overpayment.
  const above = minor(paid) > minor(total) ? minor(paid) - minor(total) : 0n;
  const expected = minor(total) - (refunded > above ? refunded - above : 0n);
  const actual = minor(total_amount) - minor(credited_amount) - minor(credited_tax_amount);
  if (actual === expected) return null;
  const [shop, levy] = [expected, actual].map((amount) => toDecimal(amount, decimalsOf(total_amount)));
  return mismatch(
    reference,
    `The shop keeps ${shop} of the order, and Levy has ${levy} in ${sale.id} less its credits.`,
  );
};
