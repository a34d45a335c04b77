import * as z from 'zod/mini';
import { cursorKeywords, cursorOrIdKeywords } from '../base/cursor.ts';
import { described } from '../base/described.ts';
import { day } from '../calculations/fields.ts';
import { pageLimit, startingAfter } from '../ledger/page-limit.ts';
import { state } from '../vocabulary/state-field.ts';
import { filingStatuses } from './filing.ts';

/** The query parameters of GET /filings: filters, combined with AND, and paging. */
export const FilingListQuery = z.object({
  status: described(
    z.optional(z.enum(filingStatuses, `Send one of ${filingStatuses.join(', ')}.`)),
    'Only filings with this status.',
    { title: 'FilingStatus' },
  ),
  state: described(z.optional(state), 'Only this state: its two-letter code, its jurisdiction code or its name.'),
  period_end: described(z.optional(day), 'Only filings of periods that end on this day.'),
  limit: pageLimit(),
  starting_after: described(
    startingAfter,
    'Returns the next page: the `next_cursor` of the previous page, or the id of its last filing.',
    cursorOrIdKeywords,
  ),
});
export type FilingListQuery = z.infer<typeof FilingListQuery>;

/** The query parameters of GET /filings/{id}: paging of its totals and entries. */
export const FilingQuery = z
  .object({
    expand: described(
      z.optional(z.enum(['entries'], 'Send entries.')),
      '`entries` returns the entries of the filing, page by page.',
      { title: 'FilingExpansion' },
    ),
    limit: pageLimit(),
    starting_after: described(
      startingAfter,
      'Returns the next page of entries: the `next_cursor` of the previous page.',
      cursorKeywords,
    ),
    totals_starting_after: described(
      z.optional(z.string().check(z.minLength(1, 'Send the totals_next_cursor of the previous page.'))),
      'Returns the next page of totals: the `totals_next_cursor` of the previous page.',
      cursorKeywords,
    ),
  })
  .check(({ value, issues }) => {
    for (const name of ['limit', 'starting_after'] as const)
      if (value[name] !== undefined && value.expand === undefined)
        issues.push({ code: 'custom', input: value, path: [name], message: 'Send it together with expand=entries.' });
  });
export type FilingQuery = z.infer<typeof FilingQuery>;

/** The query parameters of GET /filings/{id}/exceptions: paging. */
export const FilingExceptionsQuery = z.object({
  limit: pageLimit(),
  starting_after: described(
    startingAfter,
    'Returns the next page: the `next_cursor` of the previous page.',
    cursorKeywords,
  ),
});
export type FilingExceptionsQuery = z.infer<typeof FilingExceptionsQuery>;
