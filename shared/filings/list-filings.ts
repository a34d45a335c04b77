import type { Account } from '../accounts/account.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../base/cursor.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import { fitting, listAnswer, readPageLimit, scannedRows, scanPages } from '../ledger/page-limit.ts';
import { rowAnswer, sumCounts } from './answer.ts';
import type { StoredFiling } from './ledger.ts';
import type { FilingReadPorts } from './ports.ts';
import { invalidCursor } from './problems.ts';
import type { FilingListQuery } from './query.ts';
import type { Filing, FilingList } from './response.ts';

type FilingFilters = Pick<FilingListQuery, 'status' | 'state' | 'period_end'>;

/**
 * List an account's filings, newest first; `state` is a jurisdiction code. A page with fewer rows than its limit may
 * still have a next page, where the filters match few filings.
 *
 * Refused with `validation_invalid_cursor`: a cursor of another account or other filters, or an unknown id.
 */
export const listFilings = async (
  query: FilingListQuery,
  account: Account,
  ports: FilingReadPorts,
): Promise<Result<FilingList>> => {
  const { limit: _limit, starting_after, ...filters } = query;
  const limit = readPageLimit(query);
  const after = starting_after === undefined ? null : await positionAfter(starting_after, filters, account, ports);
  if (starting_after !== undefined && after === null) return refuse(invalidCursor);
  const { rows, next } = await scanPages({
    read: (from) => ports.filings.page(account.id, from, scannedRows),
    keeps: (filing) => isWanted(filing, filters),
    after,
    wanted: limit + 1,
  });
  // A summary has a row for each currency.
  const answers = fitting(await Promise.all(rows.slice(0, limit).map((filing) => toRow(filing, ports))));
  const position = rows.length > answers.length ? (answers.at(-1)?.id ?? null) : next;
  return accept(listAnswer('/filings', answers, position && encodeCursor(position, cursorScope(filters, account))));
};

const cursorScope = (filters: FilingFilters, { cursor_secret }: Account): CursorScope => ({
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
    ? decodeCursor(startingAfter, cursorScope(filters, account))
    : ((await filings.find(account.id, startingAfter))?.id ?? null);

const isWanted = (filing: StoredFiling, { status, state, period_end }: FilingFilters): boolean =>
  (status === undefined || filing.status === status) &&
  (state === undefined || filing.state === state) &&
  (period_end === undefined || filing.period_end === period_end);

/** The progress of an unfinished filing, which only its shards have. */
const toRow = async (filing: StoredFiling, { filings }: FilingReadPorts): Promise<Filing> =>
  rowAnswer(
    filing,
    filing.isUnfinished ? sumCounts(await filings.progress(filing.account, filing.id)) : filing.entries,
  );
