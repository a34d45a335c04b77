import type { Outcome } from '../../calculations/calculate.ts';
import type { Context } from '../../calculations/document.ts';
import type { Transaction } from '../transaction.ts';
import type { CreditRequest } from './credit-request.ts';
import { creditOutcome } from './outcome.ts';

/**
 * The outcome that reverses a whole sale. Each line names the line that it reverses, and has its share of the document
 * discounts as its own, because a credit has no document discounts.
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
