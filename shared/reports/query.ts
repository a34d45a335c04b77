import * as z from 'zod/mini';
import { cursorKeywords } from '../cursor.ts';
import { described } from '../described.ts';
import { startingAfter } from '../transactions/page-limit.ts';

const advice = 'Send a month such as 2026-11.';
const month = z.optional(z.string(advice).check(z.regex(/^[12]\d{3}-(0[1-9]|1[0-2])$/, advice)));
const example = (value: string) => ({ param: { example: value }, pattern: '^[12]\\d{3}-(0[1-9]|1[0-2])$' });

/** The query parameters of GET /reports/by-state: the first and the last month, and paging. */
export const ByStateQuery = z.object({
  from: described(
    month,
    'The first month, as `YYYY-MM`. Default: eleven months before the last month. At most 36 months in all.',
    example('2026-01'),
  ),
  to: described(
    month,
    "The last month, as `YYYY-MM`. Default: the current month in the account's time zone.",
    example('2026-11'),
  ),
  starting_after: described(
    startingAfter,
    'Returns the next page: the `next_cursor` of the previous page.',
    cursorKeywords,
  ),
});
export type ByStateQuery = z.infer<typeof ByStateQuery>;
