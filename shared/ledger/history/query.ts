import * as z from 'zod/mini';
import { described } from '../../base/described.ts';
import { pageLimit } from '../page-limit.ts';

/** The query parameters of GET /transactions/{id}/history. */
export const TransactionHistoryQuery = z.object({
  limit: pageLimit(),
  starting_after: described(
    z.optional(z.string().check(z.minLength(1, 'Send the version of the last entry of the previous page.'))),
    'Returns older entries than this version: the `next_cursor` of the previous page.',
    { pattern: '^[1-9]\\d{0,9}$', examples: ['2'] },
  ),
});
export type TransactionHistoryQuery = z.infer<typeof TransactionHistoryQuery>;

/** The query parameters of GET /transactions/{id}. */
export const TransactionQuery = z.object({
  expand: described(
    z.optional(z.enum(['history'], 'Send history.')),
    '`history` returns the newest 50 changes in `history`.',
    { title: 'TransactionExpansion' },
  ),
});
