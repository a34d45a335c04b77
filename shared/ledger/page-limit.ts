import * as z from 'zod/mini';
import { cursorKeywords } from '../base/cursor.ts';
import { described } from '../base/described.ts';
import { fitsBytes, responseBytes } from '../base/response-size.ts';
import type { Problem } from '../base/result.ts';

const usual = 25;

/**
 * The query parameter `limit` of every list: a whole number from 1 to 100. `fallback` is the documented default.
 * Generated clients always send it, so it is `null` for an optional page.
 */
export const pageLimit = (description = 'Page size.', fallback: number | null = usual) =>
  described(
    z.optional(
      z.pipe(
        z.string().check(z.regex(/^([1-9]\d?|100)$/, 'Send a whole number from 1 to 100.')),
        z.transform((digits) => Number(digits)),
      ),
    ),
    description,
    // For the OpenAPI document: a string in the query, but a number for clients.
    {
      override: {
        type: 'integer',
        minimum: 1,
        maximum: 100,
        default: fallback ?? undefined,
        examples: [10],
        pattern: undefined,
      },
    },
  );

/** Returns the page size of a query, or the default. */
export const readPageLimit = ({ limit }: { readonly limit?: number | undefined }, otherwise = usual): number =>
  limit ?? otherwise;

/** The query parameter `starting_after` of a list. */
export const startingAfter = described(
  z.optional(z.string().check(z.minLength(1, 'Send the next_cursor of the previous page.'))),
  'Returns the next page: the `next_cursor` of the previous page.',
  cursorKeywords,
);

/** The maximum number of database calls per request. This limit can make a page short. */
export const callsMax = 4;
/** The page size of reads whose rows are filtered in memory. */
export const scannedRows = 100;
/** The page size of reads that the database filters. At the usual row size, this is half of the 1 MB limit of a query. */
const droppedRowsMax = 1000;

/** Estimates how many rows to read to fill the page, from the share that the filter has kept so far. */
export const rowsToRead = (read: number, kept: number, wanted: number): number => {
  if (kept === 0) return read === 0 ? scannedRows : droppedRowsMax;
  return Math.min(Math.max(Math.ceil((1.5 * read * (wanted - kept)) / kept), scannedRows), droppedRowsMax);
};

/** Rows of a list, and the position to continue after; `null` at the end. */
export type Page<Row, Position = string> = { readonly rows: readonly Row[]; readonly next: Position | null };
type Scan<Row, Position> = {
  readonly read: (after: Position | null) => Promise<Page<Row, Position>>;
  readonly keeps: (row: Row) => boolean;
  readonly after: Position | null;
  readonly wanted: number;
  readonly pagesMax?: number;
};

/** Reads pages until enough rows pass the filter. `next` is the position at which reading stopped; `null` at the end. */
export const scanPages = async <Row, Position>(scan: Scan<Row, Position>): Promise<Page<Row, Position>> => {
  const { read, keeps, after, wanted, pagesMax = callsMax } = scan;
  const rows: Row[] = [];
  let next = after;
  for (let page = 0; page < pagesMax; page++) {
    const found = await read(next);
    rows.push(...found.rows.filter(keeps));
    next = found.next;
    if (next === null || rows.length >= wanted) break;
  }
  return { rows, next };
};

/** Builds the response for a page of a list. The cursor is `null` on the last page. */
export const listResponse = <const Url extends string, Row>(
  url: Url,
  data: Row[],
  next_cursor: string | null = null,
) => ({ object: 'list' as const, url, has_more: next_cursor !== null, next_cursor, data });

/** The maximum size of a page's rows in bytes, as counted by `responseBytes`. */
export const pageBytesMax = 4_000_000;

/** Returns the first rows that fit into a response, but at least one. */
export const fitting = <Row>(rows: readonly Row[]): Row[] => {
  if (fitsBytes(JSON.stringify(rows), pageBytesMax)) return [...rows];
  let bytes = 0;
  const end = rows.findIndex((row, at) => {
    bytes += responseBytes(JSON.stringify(row));
    return at > 0 && bytes > pageBytesMax;
  });
  return end === -1 ? [...rows] : rows.slice(0, end);
};

/** Returns the problem of a malformed cursor or a cursor of a different list. */
export const cursorProblem = (
  detail: string,
  source: NonNullable<Problem['source']> = { parameter: 'starting_after' },
): Problem => ({ code: 'validation_invalid_cursor', title: 'Invalid starting_after', detail, source });

export const invalidCursor = cursorProblem(
  'Send the next_cursor of a page of the same list, with the same filters and account.',
);
