import * as z from 'zod/mini';
import { identifier, instant, text } from '../calculations/fields.ts';
import { pageLimit, pageLimitOf } from './page-limit.ts';
import { statuses } from './transaction.ts';

const bounds = <Name extends string>(name: Name) =>
  ({
    [`${name}[gte]`]: z.optional(instant),
    [`${name}[gt]`]: z.optional(instant),
    [`${name}[lte]`]: z.optional(instant),
    [`${name}[lt]`]: z.optional(instant),
  }) as Record<`${Name}[${'gte' | 'gt' | 'lte' | 'lt'}]`, z.ZodMiniOptional<typeof instant>>;

/** The query parameters of GET /transactions: filters, ANDed, and paging (interface decisions 6). */
export const TransactionListQuery = z
  .object({
    status: z.optional(z.enum(statuses, `Send one of ${statuses.join(', ')}.`)),
    type: z.optional(z.enum(['sale', 'credit'], 'Send sale or credit.')),
    reference_id: z.optional(identifier),
    parent_transaction_id: z.optional(text(64)),
    customer_id: z.optional(identifier),
    ...bounds('tax_date'),
    ...bounds('created_at'),
    limit: pageLimit('Page size; with expand=line_items at most 10, which is then the default.'),
    starting_after: z.optional(z.string().check(z.minLength(1, 'Send the id or next_cursor of the page before.'))),
    expand: z.optional(z.enum(['line_items'], 'Send line_items.')),
  })
  .check((payload) => {
    if (payload.value.expand && (payload.value.limit ?? 0) > lineItemsLimitMax)
      payload.issues.push({
        code: 'custom',
        input: payload.value,
        path: ['limit'],
        message: `Send a limit of at most ${lineItemsLimitMax} with expand=line_items.`,
      });
  });
export type TransactionListQuery = z.infer<typeof TransactionListQuery>;

/** The page size with line items, whose rows are larger. */
const lineItemsLimitMax = 10;

/** The page size of a query. */
export const limitOf = (query: Pick<TransactionListQuery, 'limit' | 'expand'>): number =>
  pageLimitOf(query, query.expand && lineItemsLimitMax);
