import * as z from 'zod/mini';
import { described } from '../described.ts';

const usual = 25;

/** The query parameter `limit` of every list: a whole number from 1 to 100 (interface decisions 6). */
export const pageLimit = (description = 'Page size.') =>
  described(
    z.optional(
      z.pipe(
        z.string().check(z.regex(/^([1-9]\d?|100)$/, 'Send a whole number from 1 to 100.')),
        z.transform((digits) => Number(digits)),
      ),
    ),
    description,
    // For the OpenAPI document: a string in the query, a number to the client.
    { override: { type: 'integer', minimum: 1, maximum: 100, default: usual, pattern: undefined } },
  );

/** The page size of a query, or the default. */
export const pageLimitOf = ({ limit }: { readonly limit?: number | undefined }, otherwise = usual): number =>
  limit ?? otherwise;
