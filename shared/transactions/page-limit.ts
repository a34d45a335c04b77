import * as z from 'zod/mini';

const usual = 25;

/** The query parameter `limit` of paged lists: a whole number from 1 to 100 (interface decisions 6). */
export const pageLimit = (description = 'Page size.') => {
  const limit = z.optional(
    z.pipe(
      z.string().check(z.regex(/^([1-9]\d?|100)$/, 'Send a whole number from 1 to 100.')),
      z.transform((digits) => Number(digits)),
    ),
  );
  z.globalRegistry.add(limit, {
    description,
    // For the OpenAPI document: text in the query, a number for clients.
    override: { type: 'integer', minimum: 1, maximum: 100, default: usual, pattern: undefined },
  });
  return limit;
};

/** The page size of a query, or the default. */
export const pageLimitOf = ({ limit }: { readonly limit?: number | undefined }, otherwise = usual): number =>
  limit ?? otherwise;
