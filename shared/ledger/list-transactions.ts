import { decodeTime, encodeTime } from 'ulid';
import * as z from 'zod/mini';
import type { Account } from '../accounts/account.ts';
import { inTimeZone } from '../accounts/time-zone.ts';
import { dayMs, wallMs } from '../base/calendar.ts';
import { csvText } from '../base/csv.ts';
import { decodeCursor, encodeCursor } from '../base/cursor.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import { searchFor } from '../base/texts.ts';
import { jurisdictionCode, stateJurisdiction, stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';
import { readLimit, type TransactionListQuery } from './list-query.ts';
import { callsMax, cursorProblem, fitting, listResponse, rowsToRead, scanPages } from './page-limit.ts';
import type { Ledger, ListPosition, ListQuery, RowConditions, TransactionIndex } from './ports.ts';
import type { TransactionList, TransactionRow } from './response.ts';
import { expireIfDue, type TransactionSummary } from './transaction.ts';

/** Milliseconds, both inclusive; `null` means unbounded. */
type Range = { readonly from: number | null; readonly to: number | null };
type Bound = 'gte' | 'gt' | 'lte' | 'lt';

/**
 * Returns a bound of a filter in milliseconds of local time in the time zone. A date without a time covers the whole
 * day: `lte` includes it, and `gt` starts with the next day.
 */
export const edge = (text: string | null | undefined, bound: Bound, timeZone: string): number | null => {
  if (text === undefined || text === null) return null;
  const at = wallMs(inTimeZone(text, timeZone));
  const dayEnd = text.length === 10 ? at + dayMs - 1 : at;
  return { gte: at, gt: dayEnd + 1, lte: dayEnd, lt: at - 1 }[bound];
};

const tightest = (choose: (...values: number[]) => number, ...edges: (number | null)[]): number | null => {
  const given = edges.filter((value) => value !== null);
  return given.length > 0 ? choose(...given) : null;
};

const readRange = (query: TransactionListQuery, name: 'tax_date' | 'created_at', timeZone = 'UTC'): Range => ({
  from: tightest(Math.max, edge(query[`${name}[gte]`], 'gte', timeZone), edge(query[`${name}[gt]`], 'gt', timeZone)),
  to: tightest(Math.min, edge(query[`${name}[lte]`], 'lte', timeZone), edge(query[`${name}[lt]`], 'lt', timeZone)),
});

const isOpen = ({ from, to }: Range) => from === null && to === null;
const isWithin = (instant: string, { from, to }: Range) =>
  (from === null || Date.parse(instant) >= from) && (to === null || Date.parse(instant) <= to);

// The range of times that ISO 8601 and ids can represent.
const earliest = 0;
const latest = Date.parse('9999-12-31T23:59:59.999Z');
const clamp = (at: number) => Math.min(Math.max(at, earliest), latest);

/** Converts a range to ISO 8601 timestamps, clamped to the years that the format can represent. */
export const instants = ({ from, to }: Range) => ({
  from: from === null ? null : new Date(clamp(from)).toISOString(),
  to: to === null ? null : new Date(clamp(to)).toISOString(),
});

// An id begins with its creation time, so a time range maps to an id range.
const ids = ({ from, to }: Range) => ({
  from: from === null ? null : `txn_${encodeTime(clamp(from), 10)}`,
  to: to === null ? null : `txn_${encodeTime(clamp(to), 10)}~`,
});

type Choice = Pick<ListQuery, 'index' | 'value' | 'from' | 'to'>;

/** Chooses the index for a query: by tax date for a range on tax_date, otherwise the index of the most selective filter. */
export const chooseIndex = (query: TransactionListQuery, timeZone: string): Choice => {
  const taxDate = readRange(query, 'tax_date', timeZone);
  const created = ids(readRange(query, 'created_at'));
  if (!isOpen(taxDate)) return { index: 'by_tax_date', value: null, ...instants(taxDate) };
  const { reference_id, parent_transaction_id, customer_id } = query;
  if (reference_id !== undefined) return { index: 'by_reference', value: reference_id, ...created };
  if (parent_transaction_id !== undefined) return { index: 'by_parent', value: parent_transaction_id, ...created };
  if (customer_id !== undefined) return { index: 'by_customer', value: customer_id, ...created };
  if (query.type === 'credit') return { index: 'credits', value: null, ...created };
  return { index: 'by_account', value: null, ...created };
};

/**
 * Returns the filters that the database applies to stored rows, beyond the index. They can keep more rows than
 * `filtersAfter`.
 */
const rowConditions = ({ status, type, state }: TransactionListQuery, { index }: Choice): RowConditions => {
  const jurisdiction = state === undefined ? null : stateJurisdiction(state);
  // An expired draft is still stored as a draft until the sweep.
  const statuses = status === 'void' ? (['void', 'draft'] as const) : status && [status];
  return {
    ...(statuses && { statuses }),
    ...(type !== undefined && index !== 'credits' && { type }),
    ...(jurisdiction !== null && { state: stateOfJurisdiction(jurisdiction) }),
  };
};

type Filter = (row: TransactionSummary) => boolean;

/** Returns the filters that the index cannot apply. They run on rows after expired drafts are mapped to void. */
const filtersAfter = (query: TransactionListQuery, { index }: Choice): readonly Filter[] => {
  const { status, type, reference_id, parent_transaction_id, customer_id } = query;
  const state = query.state === undefined ? null : stateJurisdiction(query.state);
  const created = readRange(query, 'created_at');
  const isFound = query.search === undefined ? null : searchFor(query.search);
  const filters: (Filter | false)[] = [
    isFound !== null && ((row) => isFound([row.id, row.reference_id, row.customer?.id])),
    status !== undefined && ((row) => row.status === status),
    type !== undefined && index !== 'credits' && ((row) => row.type === type),
    reference_id !== undefined && index !== 'by_reference' && ((row) => row.reference_id === reference_id),
    parent_transaction_id !== undefined &&
      index !== 'by_parent' &&
      ((row) => row.parent_transaction_id === parent_transaction_id),
    customer_id !== undefined && index !== 'by_customer' && ((row) => row.customer?.id === customer_id),
    state !== null &&
      ((row) => row.tax_summary.some((sum) => jurisdictionCode(stateOfJurisdiction(sum.jurisdiction_code)) === state)),
    index === 'by_tax_date' && !isOpen(created) && ((row) => isWithin(row.created_at, created)),
  ];
  return filters.filter((filter) => filter !== false);
};

const Position = z.object({ id: z.string(), tax_date: z.nullable(z.string()) });

/** Encodes a list position as a cursor, bound to these filters. */
export const writeCursor = ({ id, tax_date }: ListPosition, secret: string, filters: unknown): string =>
  encodeCursor(JSON.stringify({ id, tax_date }), { list: 'transactions', secret, filters });

/** Decodes the position of a cursor; `null` if it belongs to a different account, list or filters. */
export const readPosition = (cursor: string, secret: string, filters: unknown): ListPosition | null => {
  const position = decodeCursor(cursor, { list: 'transactions', secret, filters });
  return position === null ? null : Position.parse(JSON.parse(position));
};

type ListPorts = {
  readonly index: TransactionIndex;
  readonly ledger: Pick<Ledger, 'find' | 'findSome'>;
  readonly now: () => number;
};

/** A page, and the tax date or creation time (the sort key) at which the search stopped; `null` at the end. */
type Listed = { readonly list: TransactionList; readonly searchedBackTo: string | null };

/**
 * Lists an account's transactions, newest first, with expired drafts as void. The cost is independent of the ledger's
 * size: at most four index reads of up to 1 MB each.
 *
 * Rejects a cursor of a different account or different filters, or an unknown id, with `validation_invalid_cursor`.
 */
export const listTransactions = async (
  query: TransactionListQuery,
  account: Account,
  ports: ListPorts,
): Promise<Result<Listed>> => {
  const { starting_after, limit: _limit, expand: _expand, ...filters } = query;
  const limit = readLimit(query);
  const after = starting_after === undefined ? null : await positionAfter(starting_after, filters, account, ports);
  if (starting_after !== undefined && after === null) return refuse(invalidCursor);
  // Looking up an id and fetching line items take one call each.
  const pages = callsMax - Number(starting_after?.startsWith('txn_') ?? false) - Number(query.expand !== undefined);
  const choice = chooseIndex(query, account.settings.time_zone);
  const { rows, next } = await scan(query, choice, after, pages, account, ports);
  const whole = rows.slice(0, limit);
  const page = fitting(query.expand ? await withLines(whole, account.id, ports) : whole);
  const position = rows.length > page.length ? (page.at(-1) as TransactionRow) : next;
  const list = listResponse('/transactions', page, position && writeCursor(position, account.cursor_secret, filters));
  return accept({ list, searchedBackTo: position && positionTime(position, choice) });
};

const invalidCursor = cursorProblem(
  'Send the last id or the next_cursor of a page of the same list, with the same filters and account.',
);

const positionTime = ({ id, tax_date }: ListPosition, { index }: Choice): string =>
  new Date(index === 'by_tax_date' && tax_date !== null ? tax_date : decodeTime(id.slice(-26))).toISOString();

const positionAfter = async (
  startingAfter: string,
  filters: unknown,
  { id, cursor_secret }: Account,
  { ledger }: ListPorts,
): Promise<ListPosition | null> => {
  if (startingAfter.includes('.')) return readPosition(startingAfter, cursor_secret, filters);
  return (await ledger.find(id, startingAfter))?.transaction ?? null;
};

/** Returns one row more than the page, if available. `next` is the position at which reading stopped. */
const scan = async (
  query: TransactionListQuery,
  choice: Choice,
  after: ListPosition | null,
  pagesMax: number,
  { id: account }: Account,
  { index, now }: ListPorts,
) => {
  const filters = filtersAfter(query, choice);
  const keeps = (row: TransactionSummary) => filters.every((filter) => filter(row));
  const where = rowConditions(query, choice);
  const wanted = readLimit(query) + 1;
  let [readSoFar, kept] = [0, 0];
  const read = async (from: ListPosition | null) => {
    const limit = filters.length === 0 ? wanted : rowsToRead(readSoFar, kept, wanted);
    const found = await index.page(account, { ...choice, where, after: from, limit });
    const nowMs = now();
    const rows = found.rows.map((row) => expireIfDue(row, nowMs));
    readSoFar += found.read;
    kept += rows.filter(keeps).length;
    return { rows, next: found.next };
  };
  return scanPages({ read, keeps, after, wanted, pagesMax });
};

const withLines = async (
  rows: readonly TransactionSummary[],
  account: string,
  { ledger }: ListPorts,
): Promise<TransactionRow[]> => {
  const ids = rows.map(({ id }) => id);
  const stored = await ledger.findSome(account, ids);
  const found = new Map(stored.map(({ transaction }) => [transaction.id, transaction]));
  return rows.map((row) => {
    const { line_items = null, explanation = null } = found.get(row.id) ?? {};
    return { ...row, line_items, explanation };
  });
};

const columns = [
  ...([
    'id',
    'type',
    'status',
    'reference_id',
    'parent_transaction_id',
    'customer_id',
    'tax_date',
    'currency',
  ] as const),
  ...(['subtotal_amount', 'shipping_amount', 'taxable_amount', 'exempt_amount', 'tax_amount', 'total_amount'] as const),
  ...(['credited_amount', 'credited_tax_amount', 'states', 'postal_code'] as const),
  ...(['created_at', 'finalized_at', 'filed_at', 'voided_at'] as const),
] as const;

/**
 * Formats a page of transactions as CSV, one row each. Credit amounts are positive, as in JSON. `states` are separated
 * by spaces.
 */
export const transactionsCsv = ({ data }: Pick<TransactionList, 'data'>): string =>
  csvText(
    columns,
    data.map((row) => ({
      ...row,
      customer_id: row.customer?.id ?? null,
      postal_code: row.customer?.address?.postal_code ?? null,
      states: [...new Set(row.tax_summary.map((sum) => stateOfJurisdiction(sum.jurisdiction_code)))].join(' '),
    })),
  );
