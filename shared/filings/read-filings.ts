import type { Account } from '../accounts/account.ts';
import { assert } from '../base/assert.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../base/cursor.ts';
import { responseBytes, responseBytesMax } from '../base/response-size.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import type { ReviewCode } from '../calculations/warning-codes.ts';
import type { LiabilityEntry } from '../ledger/entries/entry.ts';
import {
  fitting,
  invalidCursor,
  listResponse,
  pageBytesMax,
  readPageLimit,
  scannedRows,
  scanPages,
} from '../ledger/page-limit.ts';
import type { FilingSequence, StoredFiling } from './filing.ts';
import { sumCounts, toFilingException, toFilingRow, toFilingWithTotals, transactionFields } from './filing-response.ts';
import { type EntryList, type EntryPlace, type FilingReadPorts, type FilingReads, toEntryPlace } from './ports.ts';
import * as problems from './problems.ts';
import type { FilingExceptionsQuery, FilingListQuery, FilingQuery } from './request.ts';
import type {
  Filing,
  FilingEntries,
  FilingEntry,
  FilingExceptionList,
  FilingList,
  FilingWithTotals,
} from './response.ts';
import { filingTotals, keyAfter } from './totals-parts.ts';
import { formatAmounts } from './totals-response.ts';

type FilingFilters = Pick<FilingListQuery, 'status' | 'state' | 'period_end'>;

/**
 * Lists an account's filings, newest first; `state` is a jurisdiction code. A page with fewer rows than its limit can
 * still have a next page if the filters match few filings.
 *
 * Refused with `validation_invalid_cursor`: a cursor of a different account or with different filters, or an unknown
 * id.
 */
export const listFilings = async (
  query: FilingListQuery,
  account: Account,
  ports: FilingReadPorts,
): Promise<Result<FilingList>> => {
  const { limit: _limit, starting_after, ...filters } = query;
  const limit = readPageLimit(query);
  const after = starting_after === undefined ? null : await idAfter(starting_after, filters, account, ports);
  if (starting_after !== undefined && after === null) return refuse(invalidCursor);
  const { rows, next } = await scanPages({
    read: (from) => ports.filings.page(account.id, from, scannedRows),
    keeps: (filing) => isWanted(filing, filters),
    after,
    wanted: limit + 1,
  });
  // A summary has a row for each currency.
  const data = fitting(await Promise.all(rows.slice(0, limit).map((filing) => toRow(filing, account, ports))));
  const position = rows.length > data.length ? (data.at(-1) as Filing).id : next;
  return accept(listResponse('/filings', data, position && encodeCursor(position, listScope(filters, account))));
};

const listScope = (filters: FilingFilters, { cursor_secret }: Account): CursorScope => ({
  list: 'filings',
  secret: cursor_secret,
  filters,
});

const idAfter = async (
  startingAfter: string,
  filters: FilingFilters,
  account: Account,
  { filings }: FilingReadPorts,
): Promise<string | null> =>
  startingAfter.includes('.')
    ? decodeCursor(startingAfter, listScope(filters, account))
    : ((await filings.find(account.id, startingAfter))?.id ?? null);

const isWanted = (filing: StoredFiling, { status, state, period_end }: FilingFilters): boolean =>
  (status === undefined || filing.status === status) &&
  (state === undefined || filing.state === state) &&
  (period_end === undefined || filing.period_end === period_end);

/** Converts a filing to a row of a list. The progress of an unfinished filing is only in its shards. */
const toRow = async (filing: StoredFiling, account: Account, { filings, now }: FilingReadPorts): Promise<Filing> => {
  const shards = filing.isUnfinished ? await filings.progress(filing.account, filing.id) : null;
  return toFilingRow(filing, shards ? sumCounts(shards) : filing.entries, account, now());
};

/**
 * A filing with a page of its totals, and with a page of its entries if the request expands them. Both are preliminary
 * while it is closing. Each total and each entry appears on one page only. Both pages together fit into a response.
 *
 * Refused with `not_found`, or `validation_invalid_cursor` for a cursor of anything else.
 */
export const getFiling = async (
  id: string,
  query: FilingQuery,
  account: Account,
  ports: FilingReadPorts,
): Promise<Result<FilingWithTotals>> => {
  const filing = await ports.filings.find(account.id, id);
  if (!filing) return refuse(problems.filingNotFound);
  const list: List = { id, account };
  const after = placeAfter(query.starting_after, list);
  if (after === null) return refuse(invalidCursor);
  const totalsAfter = keyAfter(query.totals_starting_after, { account, owner: { filing: id } });
  if (totalsAfter === null) return refuse(problems.invalidTotalsCursor());
  const [shards, page] = await Promise.all([
    ports.filings.progress(account.id, id),
    query.expand === undefined ? null : readPage(list, readPageLimit(query), after, toFilingEntry, ports),
  ]);
  const bytesMax = Math.min(pageBytesMax, responseBytesMax - otherBytesMax - (page?.bytes ?? 0));
  const totals = await filingTotals(filing, shards, account, ports.filings, { after: totalsAfter, bytesMax });
  return accept(toFilingWithTotals(filing, shards, totals, account, ports.now(), page && toEntries(page)));
};

/** Returns the filing of a closed period. Follows the state's filings back from the newest one. */
export const findFilingOfPeriod = async (
  account: string,
  chain: FilingSequence | null,
  periodEnd: string,
  { find }: Pick<FilingReads, 'find'>,
): Promise<StoredFiling | null> => {
  let end = chain?.last ?? null;
  while (end && end.period_end >= periodEnd) {
    const filing = await find(account, end.filing);
    assert(filing !== undefined, 'A filing sequence refers to a missing filing.');
    if (end.period_end === periodEnd) return filing;
    end = filing.previous;
  }
  return null;
};

/** Returns a filing with all its totals. Refused with `not_found`. */
export const readFiling = async (
  id: string,
  account: Account,
  ports: FilingReadPorts,
): Promise<Result<FilingWithTotals>> => {
  const filing = await ports.filings.find(account.id, id);
  if (!filing) return refuse(problems.filingNotFound);
  const shards = await ports.filings.progress(account.id, id);
  const totals = await filingTotals(filing, shards, account, ports.filings, { bytesMax: Number.POSITIVE_INFINITY });
  return accept(toFilingWithTotals(filing, shards, totals, account, ports.now()));
};

// Room for the summary, exceptions and review of 180 currencies.
const otherBytesMax = 1_000_000;

/**
 * A page of the entries of a filing that need attention before the return is sent: exceptions, or entries to review.
 * Reads no other entries. A page with fewer rows than its limit can still have a next page if few entries have the
 * code. Preliminary while the filing is closing.
 *
 * Refused with `not_found`, or `validation_invalid_cursor` for a cursor of anything else.
 */
export const listFilingExceptions = async (
  id: string,
  query: FilingExceptionsQuery,
  account: Account,
  ports: FilingReadPorts,
): Promise<Result<FilingExceptionList>> => {
  if (!(await ports.filings.find(account.id, id))) return refuse(problems.filingNotFound);
  const list: List = { id, account, only: query.list ?? 'exceptions', code: query.code };
  const after = placeAfter(query.starting_after, list);
  if (after === null) return refuse(invalidCursor);
  const { data, next_cursor } = await readPage(list, readPageLimit(query), after, toFilingException, ports);
  return accept(listResponse(`/filings/${id}/exceptions`, data, next_cursor));
};

/** The entries that a list pages through. */
type List = {
  readonly id: string;
  readonly account: Account;
  readonly only?: EntryList;
  /** The warning code of the entries to review, if not all. */
  readonly code?: ReviewCode | undefined;
};

const isListed = ({ review = [] }: LiabilityEntry, { only, code }: List): boolean =>
  only !== 'review' || (code === undefined ? review.length > 0 : review.includes(code));

/** The shard and the entry after which a page begins. */
type Place = { readonly shard: number; readonly entry: EntryPlace | null };

const start: Place = { shard: 0, entry: null };

const cursorScope = ({ id, account, only, code }: List): CursorScope => ({
  list: 'filings',
  secret: account.cursor_secret,
  filters: { filing: id, ...(only && { only }), ...(code && { code }) },
});

const placeAfter = (cursor: string | undefined, list: List): Place | null => {
  if (cursor === undefined) return start;
  const text = decodeCursor(cursor, cursorScope(list));
  return text === null ? null : (JSON.parse(text) as Place);
};

const writeCursor = ({ shard, entry }: Row, list: List): string => {
  const place: Place = { shard, entry: toEntryPlace(entry) };
  return encodeCursor(JSON.stringify(place), cursorScope(list));
};

type Row = { readonly shard: number; readonly entry: LiabilityEntry };

/** Yields the entries after a position, shard by shard. Reads lazily. */
const rowsAfter = async function* (
  { id, account, only }: List,
  after: Place,
  most: number,
  { filings }: FilingReadPorts,
): AsyncGenerator<Row> {
  let place = after;
  let left = most;
  while (left > 0 && place.shard < filings.shards) {
    const { shard, entry } = place;
    const found = await filings.filedEntries({ account: account.id, id, shard }, left, entry, only);
    for (const filed of found.rows) yield { shard, entry: filed };
    left -= found.rows.length;
    place = found.next === null ? { shard: shard + 1, entry: null } : { shard, entry: found.next };
  }
};

// The maximum number of entries that a page of the review list reads, about 1 MB.
const reviewReadMax = 1000;

/** A page of entries, and its bytes in the response. */
type EntryPage<Value> = { readonly data: Value[]; readonly bytes: number; readonly next_cursor: string | null };

/** Converts the first entries that fit in a page, at least one. */
const readPage = async <Value>(
  list: List,
  limit: number,
  after: Place,
  convert: (entry: LiabilityEntry) => Value,
  ports: FilingReadPorts,
): Promise<EntryPage<Value>> => {
  const data: Value[] = [];
  let bytes = 0;
  let last: Row | undefined;
  const readMax = list.only === 'review' ? reviewReadMax : limit;
  let read = 0;
  // Reads one more than the limit to detect whether a further page follows.
  for await (const row of rowsAfter(list, after, readMax + 1, ports)) {
    if (last && read === readMax) return { data, bytes, next_cursor: writeCursor(last, list) };
    read += 1;
    if (isListed(row.entry, list)) {
      const value = convert(row.entry);
      const added = responseBytes(JSON.stringify(value));
      if (last && data.length > 0 && (data.length === limit || bytes + added > pageBytesMax))
        return { data, bytes, next_cursor: writeCursor(last, list) };
      data.push(value);
      bytes += added;
    }
    last = row;
  }
  return { data, bytes, next_cursor: null };
};

const toEntries = ({ data, next_cursor }: EntryPage<FilingEntry>): FilingEntries => ({
  object: 'list',
  has_more: next_cursor !== null,
  next_cursor,
  data,
});

const toFilingEntry = (entry: LiabilityEntry): FilingEntry => ({
  ...transactionFields(entry),
  month: entry.month,
  currency: entry.currency,
  amounts: entry.amounts.map((amounts) => {
    const { jurisdiction_code, jurisdiction_name, jurisdiction_type, reporting_code, rate } = amounts;
    const jurisdiction = { jurisdiction_code, jurisdiction_name, jurisdiction_type, reporting_code };
    return { ...jurisdiction, rate, ...formatAmounts(amounts, entry.currency) };
  }),
});
