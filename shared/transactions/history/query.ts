import * as z from 'zod/mini';

const limit = z.optional(
  z.pipe(
    z.string().check(z.regex(/^([1-9]\d?|100)$/, 'Send a whole number from 1 to 100.')),
    z.transform((digits) => Number(digits)),
  ),
);

const startingAfter = z.optional(
  z.string().check(z.minLength(1, 'Send the version of the last entry of the page before.')),
);

/** The query parameters of GET /transactions/{id}/history. */
export const TransactionHistoryQuery = z.object({ limit, starting_after: startingAfter });
export type TransactionHistoryQuery = z.infer<typeof TransactionHistoryQuery>;

const expand = z.optional(z.enum(['history'], 'Send history.'));

/** The query parameters of GET /transactions/{id}. */
export const TransactionQuery = z.object({ expand });

z.globalRegistry.add(limit, {
  description: 'Page size.',
  // For the document generator: text on the wire, a number to the client.
  override: { type: 'integer', minimum: 1, maximum: 100, default: 25, pattern: undefined },
});
z.globalRegistry.add(startingAfter, {
  description:
    'Returns what is older: the `version` of the last entry of the previous page, which is its `next_cursor`.',
  override: { pattern: '^[1-9]\\d{0,9}$' },
});
z.globalRegistry.add(expand, { description: '`history` fills in the newest 50 entries of the history.' });
