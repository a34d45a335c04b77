import * as z from 'zod/mini';
import type { Account } from '../accounts/account.ts';
import { toDay } from '../base/calendar.ts';
import { pagesOf } from '../base/collections.ts';
import { type CursorScope, cursorKeywords, decodeCursor, encodeCursor } from '../base/cursor.ts';
import { described } from '../base/described.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import type { Certificate } from '../calculations/certificates.ts';
import { day } from '../calculations/fields.ts';
import {
  cursorProblem,
  fitting,
  listAnswer,
  pageLimit,
  readPageLimit,
  scannedRows,
  scanPages,
  startingAfter,
} from '../ledger/page-limit.ts';
import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import { state } from '../vocabulary/state-field.ts';
import { type Customer, type CustomerReads, customerAnswer } from './customer.ts';
import type { CustomerList } from './response.ts';

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

type Filters = Pick<CustomerListQuery, 'expiring_before' | 'state'>;
type ListPorts = { readonly customers: Pick<CustomerReads, 'page'>; readonly now: () => number };

/**
 * List an account's customers in the order of their ids. A page with fewer rows than its limit may
 * still have a next page, where the filters match few customers.
 *
 * Refused with `validation_invalid_cursor`: a cursor of another account or other filters.
 */
export const listCustomers = async (
  query: CustomerListQuery,
  account: Account,
  ports: ListPorts,
): Promise<Result<CustomerList>> => {
  const { limit: _limit, starting_after, ...filters } = query;
  const limit = readPageLimit(query);
  const scope: CursorScope = { list: 'customers', secret: account.cursor_secret, filters };
  const after = starting_after === undefined ? null : decodeCursor(starting_after, scope);
  if (starting_after !== undefined && after === null)
    return refuse(cursorProblem('Send the next_cursor of a page of the same list: same filters, same account.'));
  const conditions = listConditions(filters, toDay(ports.now()));
  const { rows, next } = await scanPages({
    read: (from) => ports.customers.page(account.id, from, conditions.length > 0 ? scannedRows : limit + 1),
    keeps: (customer) => hasCertificate(customer, conditions),
    after,
    wanted: limit + 1,
  });
  const page = fitting(rows.slice(0, limit));
  const position = rows.length > page.length ? (page.at(-1)?.id ?? null) : next;
  const answers = page.map((customer) => customerAnswer(customer));
  return accept(listAnswer('/customers', answers, position && encodeCursor(position, scope)));
};

type IsWanted = (certificate: Certificate) => boolean;

/** Whether a certificate is for a state (`US-MI`) or for all states. */
export const isForState =
  (state: string): IsWanted =>
  ({ states }) =>
    states === null || states.includes(state);

/** Whether the last day of a certificate is today or later, and before a day. */
export const isExpiring =
  (today: string, before: string): IsWanted =>
  ({ valid_to }) =>
    valid_to !== null && today <= valid_to && valid_to < before;

/** The conditions that one certificate of a customer must meet; none where the list is not filtered. */
const listConditions = ({ expiring_before, state }: Filters, today: string): readonly IsWanted[] => {
  const place = state === undefined ? null : stateJurisdiction(state);
  return [
    ...(place === null ? [] : [isForState(place)]),
    ...(expiring_before === undefined ? [] : [isExpiring(today, expiring_before)]),
  ];
};

const hasCertificate = ({ exemptions }: Customer, conditions: readonly IsWanted[]): boolean =>
  conditions.length === 0 || exemptions.some((certificate) => conditions.every((isWanted) => isWanted(certificate)));

/** All customers of an account with a certificate that meets the conditions, page by page. */
export async function* customersOf(
  account: string,
  { page }: Pick<CustomerReads, 'page'>,
  ...conditions: readonly IsWanted[]
): AsyncGenerator<Customer> {
  for await (const { rows } of pagesOf((after: string | null) => page(account, after, scannedRows)))
    yield* rows.filter((customer) => hasCertificate(customer, conditions));
}
