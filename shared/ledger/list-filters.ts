import { encodeTime } from 'ulid';
import * as z from 'zod/mini';
import { inTimeZone } from '../accounts/time-zone.ts';
import { dayMs, wallMs } from '../base/calendar.ts';
import { decodeCursor, encodeCursor } from '../base/cursor.ts';
import { jurisdictionCode, stateJurisdiction, stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';
import type { ListPosition, ListQuery, RowConditions } from './ledger.ts';
import type { TransactionListQuery } from './list-query.ts';
import type { TransactionSummary } from './transaction.ts';

/** Milliseconds, both inclusive; `null` is open. */
type Range = { readonly from: number | null; readonly to: number | null };
type Bound = 'gte' | 'gt' | 'lte' | 'lt';

/** The bound in milliseconds, as wall time of the time zone. */
// A date as a bound means the whole day: `lte` includes it, and `gt` begins with the next day.
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

// The range of instants that ISO 8601 and ids can express.
const earliest = 0;
const latest = Date.parse('9999-12-31T23:59:59.999Z');
const clamp = (at: number) => Math.min(Math.max(at, earliest), latest);

/** The range as instants in ISO 8601, within the years that it can express. */
export const instants = ({ from, to }: Range) => ({
  from: from === null ? null : new Date(clamp(from)).toISOString(),
  to: to === null ? null : new Date(clamp(to)).toISOString(),
});

// An id begins with its creation time, so that a range of times is a range of ids.
const ids = ({ from, to }: Range) => ({
  from: from === null ? null : `txn_${encodeTime(clamp(from), 10)}`,
  to: to === null ? null : `txn_${encodeTime(clamp(to), 10)}~`,
});

export type Choice = Pick<ListQuery, 'index' | 'value' | 'from' | 'to'>;

/** Choose the index of a query: by tax date for a range on tax_date, otherwise of the narrowest filter. */
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

/** The filters that the database can apply to stored rows, as far as the index does not. It may keep more than `filtersAfter`. */
export const rowConditions = ({ status, type, state }: TransactionListQuery, { index }: Choice): RowConditions => {
  const jurisdiction = state === undefined ? null : stateJurisdiction(state);
  // A draft that has expired is still stored as one.
  const statuses = status === 'void' ? (['void', 'draft'] as const) : status && [status];
  return {
    ...(statuses && { statuses }),
    ...(type !== undefined && index !== 'credits' && { type }),
    ...(jurisdiction !== null && { state: stateOfJurisdiction(jurisdiction) }),
  };
};

type Filter = (row: TransactionSummary) => boolean;

/** The filters that the index cannot apply, on a row as it reads now. */
export const filtersAfter = (query: TransactionListQuery, { index }: Choice): readonly Filter[] => {
  const { status, type, reference_id, parent_transaction_id, customer_id } = query;
  const state = query.state === undefined ? null : stateJurisdiction(query.state);
  const created = readRange(query, 'created_at');
  const filters: (Filter | false)[] = [
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

/** The cursor of a position in a list of transactions with these filters. */
export const writeCursor = ({ id, tax_date }: ListPosition, secret: string, filters: unknown): string =>
  encodeCursor(JSON.stringify({ id, tax_date }), { list: 'transactions', secret, filters });

/** The position in a cursor; `null` where it belongs to another account, list or filters. */
export const readPosition = (cursor: string, secret: string, filters: unknown): ListPosition | null => {
  const position = decodeCursor(cursor, { list: 'transactions', secret, filters });
  return position === null ? null : Position.parse(JSON.parse(position));
};
