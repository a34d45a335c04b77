import * as z from 'zod/mini';
import { day } from '../calculations/fields.ts';
import { state } from '../content/location/state-field.ts';
import { cursorKeywords } from '../cursor.ts';
import { described } from '../described.ts';
import { pageLimit, startingAfter } from '../transactions/page-limit.ts';

/** The query parameters of GET /customers: filters, combined with AND, and paging. */
export const CustomerListQuery = z.object({
  expiring_before: described(
    z.optional(day),
    'Only customers with a certificate whose last day is today (in UTC) or later, and before this date.',
  ),
  state: described(
    z.optional(state),
    'Only customers with a certificate for this state or for all states: its two-letter code, its jurisdiction code or its name. With `expiring_before`, the same certificate meets both.',
  ),
  limit: pageLimit(),
  starting_after: described(
    startingAfter,
    'Returns the next page: the `next_cursor` of the previous page.',
    cursorKeywords,
  ),
});
export type CustomerListQuery = z.infer<typeof CustomerListQuery>;
