import type { SavedAnswer } from './ledger.ts';
import type { Transaction } from './transaction.ts';

/**
 * A transaction as an answer: the body's bytes, and its version as the entity tag (interface decisions 1).
 *
 * `Location` is relative to the request's path: deployed, the stage stands before it, and no function knows of that.
 */
export const answerOf = (status: 200 | 201, transaction: Transaction): SavedAnswer => ({
  status,
  body: JSON.stringify(transaction),
  headers: {
    ETag: `"${transaction.version}"`,
    ...(status === 201 && { Location: `transactions/${transaction.id}` }),
  },
});
