import type { Account } from '../accounts/account.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../cursor.ts';
import { accept, type Result, refuse } from '../result.ts';
import { pageLimitOf } from '../transactions/page-limit.ts';
import { countsOf, rowAnswer } from './answer.ts';
import type { StoredFiling } from './ledger.ts';
import type { FilingReadPorts } from './ports.ts';
import { invalidCursor } from './problems.ts';
import type { FilingListQuery } from './query.ts';
import type { Filing, FilingList } from './response.ts';

type FilingFilters = Pick<FilingListQuery, 'status' | 'state' | 'period_end'>;

/** The most pages of filings that one request reads. A page of the list may be short because of it. */
const pagesMax = 4;
const scannedRows = 100;

/**
 * List an account's filings, newest first (interface decisions 8); `state` is a jurisdiction code. A page with fewer rows than its limit may still have a
 * next page, where the filters match few filings.
 *
 * Refused with `validation_invalid_cursor`: a cursor of another account or other filters, or an unknown id.
 */
export const listFilings = async (
  query: FilingListQuery,
  account: Account,
  ports: FilingReadPorts,
): Promise<Result<FilingList>> => {
  const { limit: _limit, starting_after, ...filters } = query;
  const limit = pageLimitOf(query);
  const after = starting_after === undefined ? null : await positionAfter(starting_after, filters, account, ports);
  if (starting_after !== undefined && after === null) return refuse(invalidCursor);
  const { rows, next } = await scan(filters, after, limit + 1, account.id, ports);
  const page = rows.slice(0, limit);
  const position = rows.length > limit ? (page.at(-1)?.id ?? null) : next;
  return accept({
    object: 'list',
    url: '/filings',
    has_more: position !== null,
    next_cursor: position && encodeCursor(position, scopeOf(filters, account)),
    data: await Promise.all(page.map((filing) => rowOf(filing, ports))),
  });
};

const scopeOf = (filters: FilingFilters, { cursor_secret }: Account): CursorScope => ({
  list: 'filings',
  secret: cursor_secret,
  filters,
});

const positionAfter = async (
  startingAfter: string,
  filters: FilingFilters,
  account: Account,
  { filings }: FilingReadPorts,
): Promise<string | null> =>
  startingAfter.includes('.')
    ? decodeCursor(startingAfter, scopeOf(filters, account))
    : ((await filings.find(account.id, startingAfter))?.id ?? null);

const isWanted = (filing: StoredFiling, { status, state, period_end }: FilingFilters): boolean =>
  (status === undefined || filing.status === status) &&
  (state === undefined || filing.state === state) &&
  (period_end === undefined || filing.period_end === period_end);

/** Up to this many rows; `next` is the position at which reading stopped before the end. */
const scan = async (
  filters: FilingFilters,
  start: string | null,
  wanted: number,
  account: string,
  { filings }: FilingReadPorts,
): Promise<{ readonly rows: readonly StoredFiling[]; readonly next: string | null }> => {
  const rows: StoredFiling[] = [];
  let after = start;
  for (let page = 0; page < pagesMax; page++) {
    const found = await filings.page(account, after, scannedRows);
    rows.push(...found.rows.filter((filing) => isWanted(filing, filters)));
    after = found.next;
    if (after === null || rows.length >= wanted) break;
  }
  return { rows, next: after };
};

/** The progress of an unfinished filing, which only its shards hold. */
const rowOf = async (filing: StoredFiling, { filings }: FilingReadPorts): Promise<Filing> =>
  rowAnswer(filing, filing.isUnfinished ? countsOf(await filings.progress(filing.account, filing.id)) : filing.entries);
