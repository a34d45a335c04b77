import type { Account } from '../accounts/account.ts';
import { pagesOf } from '../batches.ts';
import type { Certificate } from '../calculations/certificates.ts';
import { dayOf } from '../calendar.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../cursor.ts';
import { stateJurisdiction } from '../jurisdiction.ts';
import { accept, type Result, refuse } from '../result.ts';
import { cursorProblem, fitting, pageLimitOf } from '../transactions/page-limit.ts';
import { type Customer, type CustomerReads, customerAnswer } from './customer.ts';
import type { CustomerListQuery } from './query.ts';
import type { CustomerList } from './response.ts';

type Filters = Pick<CustomerListQuery, 'expiring_before' | 'state'>;
type ListPorts = { readonly customers: Pick<CustomerReads, 'page'>; readonly now: () => number };

/** The most database calls of one request. A page may be short because of it. */
const callsMax = 4;
// The page size of reads that are filtered afterwards.
const scannedRows = 100;

/**
 * List an account's customers in the order of their ids (interface decisions 13). A page with fewer rows than its limit may
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
  const limit = pageLimitOf(query);
  const scope: CursorScope = { list: 'customers', secret: account.cursor_secret, filters };
  const after = starting_after === undefined ? null : decodeCursor(starting_after, scope);
  if (starting_after !== undefined && after === null)
    return refuse(cursorProblem('Send the next_cursor of a page of the same list: same filters, same account.'));
  const { rows, next } = await scan(filters, after, limit, account.id, ports);
  const page = fitting(rows.slice(0, limit));
  const position = rows.length > page.length ? (page.at(-1)?.id ?? null) : next;
  return accept({
    object: 'list',
    url: '/customers',
    has_more: position !== null,
    next_cursor: position === null ? null : encodeCursor(position, scope),
    data: page.map((customer) => customerAnswer(customer)),
  });
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
const conditionsOf = ({ expiring_before, state }: Filters, today: string): readonly IsWanted[] => {
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

/** One row more than the page, if there is one; `next` is the id at which reading stopped before the end. */
const scan = async (
  filters: Filters,
  start: string | null,
  limit: number,
  account: string,
  { customers, now }: ListPorts,
): Promise<{ readonly rows: readonly Customer[]; readonly next: string | null }> => {
  const conditions = conditionsOf(filters, dayOf(now()));
  const rows: Customer[] = [];
  let after = start;
  for (let call = 0; call < callsMax; call++) {
    const found = await customers.page(account, after, conditions.length > 0 ? scannedRows : limit + 1);
    rows.push(...found.rows.filter((customer) => hasCertificate(customer, conditions)));
    after = found.next;
    if (after === null || rows.length > limit) break;
  }
  return { rows, next: after };
};
