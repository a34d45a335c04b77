import * as z from 'zod/mini';
import { described } from '../described.ts';
import type { Problem } from '../problem.ts';

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
    { override: { type: 'integer', minimum: 1, maximum: 100, default: usual, examples: [10], pattern: undefined } },
  );

/** The page size of a query, or the default. */
export const pageLimitOf = ({ limit }: { readonly limit?: number | undefined }, otherwise = usual): number =>
  limit ?? otherwise;

// A Lambda answer has at most 6 MB, and one row may have more than a million bytes.
const pageBytesMax = 4_000_000;

/** The first rows that fit into an answer, at least one. */
export const fitting = <Row>(rows: readonly Row[]): Row[] => {
  let bytes = 0;
  const end = rows.findIndex((row, at) => {
    bytes += Buffer.byteLength(JSON.stringify(row));
    return at > 0 && bytes > pageBytesMax;
  });
  return end === -1 ? [...rows] : rows.slice(0, end);
};

/** The problem of a cursor of another list, or of none. */
export const cursorProblem = (
  detail: string,
  source: NonNullable<Problem['source']> = { parameter: 'starting_after' },
): Problem => ({ code: 'validation_invalid_cursor', title: 'Invalid starting_after', detail, source });
