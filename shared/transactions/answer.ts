import type { SavedAnswer } from './ledger.ts';
import type { Transaction } from './transaction.ts';

/**
 * The response with a transaction, with its version as the entity tag (interface decisions 1).
 *
 * `Location` is relative to the request's path, because functions do not know the deployed stage.
 */
export const answerOf = (status: 200 | 201, transaction: Transaction): SavedAnswer => ({
  status,
  body: JSON.stringify(transaction),
  headers: {
    ETag: `"${transaction.version}"`,
    ...(status === 201 && { Location: `transactions/${transaction.id}` }),
  },
});
