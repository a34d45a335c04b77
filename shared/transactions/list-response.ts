import * as z from 'zod/mini';
import { hasMore, nextCursor, objectType } from '../calculations/answer-scalars.ts';
import { described } from '../described.ts';
import { Transaction } from './response.ts';

/** A row of a list. It has line items only if the request expands them (interface decisions 6). */
const TransactionRow = described(
  z.extend(Transaction, {
    line_items: described(z.nullable(Transaction.shape.line_items), '`null` unless `expand=line_items`.'),
  }),
  'A transaction in a list.',
  { id: 'TransactionListItem' },
);
export type TransactionRow = z.infer<typeof TransactionRow>;

export const TransactionList = described(
  z.object({
    object: objectType('list'),
    url: described(z.literal('/transactions'), 'The path of this list.'),
    has_more: hasMore,
    next_cursor: nextCursor,
    data: described(z.array(TransactionRow), 'The transactions of the page.'),
  }),
  'A page of transactions.',
  { id: 'TransactionList' },
);
export type TransactionList = z.infer<typeof TransactionList>;
