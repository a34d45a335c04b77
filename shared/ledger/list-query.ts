import * as z from 'zod/mini';
import { cursorOrIdKeywords } from '../base/cursor.ts';
import { described } from '../base/described.ts';
import { identifier, instant, text } from '../calculations/fields.ts';
import { state } from '../vocabulary/state-field.ts';
import { pageLimit, readPageLimit } from './page-limit.ts';
import { statuses } from './status.ts';

const bound = z.optional(instant);

const bounds = <Name extends string>(name: Name, zone: string) => {
  const field = (relation: string) =>
    described(bound, `Only transactions with a \`${name}\` ${relation} this timestamp or date, in ${zone}.`);
  return {
    [`${name}[gte]`]: field('at or after'),
    [`${name}[gt]`]: field('after'),
    [`${name}[lte]`]: field('at or before'),
    [`${name}[lt]`]: field('before'),
  } as Record<`${Name}[${'gte' | 'gt' | 'lte' | 'lt'}]`, typeof bound>;
};

/** The query parameters of GET /transactions: filters, combined with AND, and paging. */
export const TransactionListQuery = z
  .object({
    status: described(
      z.optional(z.enum(statuses, `Send one of ${statuses.join(', ')}.`)),
      'Only transactions with this status. A draft that passed its deadline counts as void.',
      { title: 'TransactionStatus' },
    ),
    type: described(z.optional(z.enum(['sale', 'credit'], 'Send sale or credit.')), 'Only sales, or only credits.', {
      title: 'TransactionType',
    }),
    reference_id: described(
      z.optional(identifier),
      'Only transactions with this `reference_id`. At most one of them is not void.',
    ),
    parent_transaction_id: described(z.optional(text(64)), 'Only credits of this sale.'),
    customer_id: described(
      z.optional(identifier),
      'Only transactions whose `customer.id` is this id. Customers of line items are not searched.',
    ),
    search: described(
      z.optional(identifier),
      "Only transactions whose `id`, `reference_id` or customer's `id` contains this text, in upper or lower case.",
    ),
    state: described(
      z.optional(state),
      'Only transactions with a tax or an exemption of this state: its two-letter code, its jurisdiction code or its name.',
    ),
    ...bounds('tax_date', "the account's time zone"),
    ...bounds('created_at', 'UTC'),
    limit: pageLimit('Page size. With `expand=line_items`, at most 10, which is then also the default.'),
    starting_after: described(
      z.optional(z.string().check(z.minLength(1, 'Send the next_cursor or the last id of the previous page.'))),
      'Returns the next page: the `next_cursor` of the previous page, or the id of its last transaction.',
      cursorOrIdKeywords,
    ),
    expand: described(
      z.optional(z.enum(['line_items'], 'Send line_items.')),
      '`line_items` returns the line items of each transaction.',
      { title: 'TransactionListExpansion' },
    ),
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

/** Rows with line items are larger, so the default page is smaller. */
const lineItemsLimitMax = 10;

/** Returns the page size of a query. */
export const readLimit = (query: Pick<TransactionListQuery, 'limit' | 'expand'>): number =>
  readPageLimit(query, query.expand && lineItemsLimitMax);
