import * as z from 'zod/mini';
import { Transaction } from './transaction.ts';

/** A row of a list: its line items and their explanation only when asked for (interface decisions 6). */
export const TransactionRow = z.extend(Transaction, { line_items: z.nullable(Transaction.shape.line_items) });
export type TransactionRow = z.infer<typeof TransactionRow>;

export const TransactionList = z.object({
  object: z.literal('list'),
  url: z.literal('/transactions'),
  has_more: z.boolean(),
  /** Send it as starting_after to go on; opaque. */
  next_cursor: z.nullable(z.string()),
  data: z.array(TransactionRow),
});
export type TransactionList = z.infer<typeof TransactionList>;
