import type { Outcome } from '../../calculations/calculate.ts';
import type { Context } from '../../calculations/document.ts';
import type { Transaction } from '../transaction.ts';
import type { CreditRequest } from './credit-request.ts';
import { creditOutcome } from './outcome.ts';

/**
 * The outcome that reverses a whole sale. Each line names the one that it reverses, whatever that said of a parent, and
 * has its share of the document's discounts as its own: a credit has none beside its lines.
 */
export const wholeOutcome = (parent: Transaction, request: CreditRequest, context: Context): Outcome => {
  const lines = parent.line_items.map((line) => ({
    ...line,
    parent_line_item_id: line.id,
    discount_amount: line.applied_discount_amount,
    third_party_discount_amount: line.applied_third_party_discount_amount,
  }));
  return creditOutcome(parent, request, lines, parent.shipping, [], context);
};
