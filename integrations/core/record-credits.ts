import { type Credit, creditsOf } from './credits.ts';
import { decimalsOf, toDecimal, toMinor } from './money.ts';
import type { Order, Refund } from './order.ts';
import { failed, type Problem } from './problem.ts';
import { type Body, createOnce, type Ledger, type Transaction } from './transactions.ts';

/** Returns the reference of the credit for a refund. */
export const refundReference = (order: string, refund: string): string => `${order}-refund-${refund}`;

const creditBody = (sale: Transaction, credit: Credit, order: Order, shop: string): Body => ({
  type: 'credit',
  parent_transaction_id: sale.id,
  reference_id: refundReference(order.reference, credit.refund.id),
  tax_date: credit.refund.at,
  line_items: credit.line_items,
  ...(credit.shipping && { shipping: credit.shipping }),
  ...(credit.tax_amount !== null && { tax_amount: credit.tax_amount }),
  metadata: { shop, order: order.reference, refund: credit.refund.id },
});

type Credited = { readonly id?: string; readonly isChanged: boolean; readonly problem: Problem | null };

/** Records the credit of a refund. Returns a problem for each difference between the ledger and the shop's refund. */
const ensureCredit = async (ledger: Ledger, sale: Transaction, credit: Credit, order: Order): Promise<Credited> => {
  const body = creditBody(sale, credit, order, ledger.shop);
  const reference = body.reference_id;
  const minor = (amount: string) => toMinor(amount, decimalsOf(sale.tax_amount));
  const excess = `Refunds of order ${order.reference} exceed its recorded total by ${credit.excess}.`;
  const problem = minor(credit.excess) > 0n ? failed(reference, 'excess', excess).problem : null;
  if (minor(credit.total) === 0n) return { isChanged: false, problem };
  const found = await createOnce(ledger, 'refund', body, 'finalized');
  if (!found.ok) return { isChanged: false, problem: found.problem };
  const { isChanged, transaction } = found.value;
  const { id, total_amount, parent_transaction_id } = transaction;
  if (parent_transaction_id !== sale.id || minor(total_amount) !== minor(credit.total)) {
    const detail = `The refund should be ${credit.total} of ${sale.id}; ${id} has ${total_amount} of ${parent_transaction_id}.`;
    return { isChanged, problem: failed(reference, 'mismatch', detail).problem };
  }
  return { id, isChanged, problem };
};

/**
 * Returns the refunds that require credits. If an edit lowered a paid order, its sale has the new amounts, and the
 * first refunds return the overpayment.
 */
const refundsOfSale = ({ refunds, paid, total }: Order, exponent: number): Refund[] => {
  let above = toMinor(paid ?? total, exponent) - toMinor(total, exponent);
  return refunds.flatMap((refund) => {
    if (above <= 0n) return refund;
    const left = toMinor(refund.total, exponent) - above;
    above = left < 0n ? -left : 0n;
    return left > 0n ? { ...refund, total: toDecimal(left, exponent), lines: [], shipping: '0' } : [];
  });
};

/** Records the credits of an order's refunds, oldest first. `credits` has their ids by the id of the refund. */
export const recordCredits = async (
  ledger: Ledger,
  sale: Transaction,
  order: Order,
): Promise<{
  readonly problems: readonly Problem[];
  readonly isChanged: boolean;
  readonly credits: ReadonlyMap<string, string>;
}> => {
  const problems: Problem[] = [];
  const credits = new Map<string, string>();
  let isChanged = false;
  for (const credit of creditsOf(sale, refundsOfSale(order, decimalsOf(sale.tax_amount)))) {
    const credited = await ensureCredit(ledger, sale, credit, order);
    if (credited.problem) problems.push(credited.problem);
    if (credited.id) credits.set(credit.refund.id, credited.id);
    isChanged ||= credited.isChanged;
  }
  return { problems, isChanged, credits };
};
