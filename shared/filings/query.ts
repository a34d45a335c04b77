import * as z from 'zod/mini';
import { day } from '../calculations/fields.ts';
import { pageLimit } from '../transactions/page-limit.ts';
import { filingStatuses } from './filing.ts';
import { state } from './request.ts';

const startingAfter = z.string().check(z.minLength(1, 'Send the next_cursor of the page before.'));

/** The query parameters of GET /filings: filters, ANDed, and paging (interface decisions 8). */
export const FilingListQuery = z.object({
  status: z.optional(z.enum(filingStatuses, `Send one of ${filingStatuses.join(', ')}.`)),
  state: z.optional(state),
  period_end: z.optional(day),
  limit: pageLimit(),
  starting_after: z.optional(startingAfter),
});
export type FilingListQuery = z.infer<typeof FilingListQuery>;

/** The query parameters of GET /filings/{id}: its entries, page by page. */
export const FilingQuery = z
  .object({
    expand: z.optional(z.enum(['entries'], 'Send entries.')),
    limit: pageLimit(),
    starting_after: z.optional(startingAfter),
  })
  .check(({ value, issues }) => {
    for (const name of ['limit', 'starting_after'] as const)
      if (value[name] !== undefined && value.expand === undefined)
        issues.push({ code: 'custom', input: value, path: [name], message: 'Send it together with expand=entries.' });
  });
export type FilingQuery = z.infer<typeof FilingQuery>;

for (const [schema, description] of [
  [FilingListQuery.shape.status, 'Only filings in this state.'],
  [FilingListQuery.shape.period_end, 'Only filings of the periods that end on this day.'],
  [
    FilingListQuery.shape.starting_after,
    'Returns what comes after: the `next_cursor` of the previous page, or the id of its last filing.',
  ],
  [FilingQuery.shape.expand, '`entries` fills in the entries of the filing, page by page.'],
  [FilingQuery.shape.starting_after, 'Goes on after: the `next_cursor` of the previous page of entries.'],
] as const)
  z.globalRegistry.add<z.core.$ZodType>(schema, { description });
