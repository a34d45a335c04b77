import * as z from 'zod/mini';
import { Transaction } from './transaction.ts';

/** A row of a list. Line items and explanation are null unless expanded (interface decisions 6). */
export const TransactionRow = z.extend(Transaction, { line_items: z.nullable(Transaction.shape.line_items) });
export type TransactionRow = z.infer<typeof TransactionRow>;

export const TransactionList = z.object({
  object: z.literal('list'),
  url: z.literal('/transactions'),
  has_more: z.boolean(),
  /** Send it as starting_after for the next page. Opaque. */
  next_cursor: z.nullable(z.string()),
  data: z.array(TransactionRow),
});
export type TransactionList = z.infer<typeof TransactionList>;
