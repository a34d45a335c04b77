import * as z from 'zod/mini';
import { pageLimit } from '../page-limit.ts';

const startingAfter = z.optional(
  z.string().check(z.minLength(1, 'Send the version of the last entry of the page before.')),
);

/** The query parameters of GET /transactions/{id}/history. */
export const TransactionHistoryQuery = z.object({ limit: pageLimit(), starting_after: startingAfter });
export type TransactionHistoryQuery = z.infer<typeof TransactionHistoryQuery>;

const expand = z.optional(z.enum(['history'], 'Send history.'));

/** The query parameters of GET /transactions/{id}. */
export const TransactionQuery = z.object({ expand });

z.globalRegistry.add(startingAfter, {
  description:
    'Returns what is older: the `version` of the last entry of the previous page, which is its `next_cursor`.',
  override: { pattern: '^[1-9]\\d{0,9}$' },
});
z.globalRegistry.add(expand, { description: '`history` fills in the newest 50 entries of the history.' });
