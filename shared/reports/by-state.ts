import * as z from 'zod/mini';
import type { Account } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { firstDay, toMonth } from '../base/calendar.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../base/cursor.ts';
import { described } from '../base/described.ts';
import { accept, type Problem, type Result, refuse } from '../base/result.ts';
import { formatAmounts } from '../filings/totals-response.ts';
import type { Sum } from '../ledger/entries/entry.ts';
import { cursorProblem, startingAfter } from '../ledger/page-limit.ts';
import type { ReportRow as CountedRow, Place } from './count-transactions.ts';
import type { ReportAmounts, ReportByState } from './response.ts';

const advice = 'Send a month such as 2026-11.';
const month = z.optional(z.string(advice).check(z.regex(/^[12]\d{3}-(0[1-9]|1[0-2])$/, advice)));
const example = (value: string) => ({ param: { example: value }, pattern: '^[12]\\d{3}-(0[1-9]|1[0-2])$' });

/** The query parameters of GET /reports/by-state: the first and last month, and paging. */
export const ByStateQuery = z.object({
  from: described(
    month,
    'The first month, as `YYYY-MM`. Default: eleven months before the last month. The range has at most 36 months.',
    example('2026-01'),
  ),
  to: described(
    month,
    "The last month, as `YYYY-MM`. Default: the current month in the account's time zone.",
    example('2026-11'),
  ),
  starting_after: startingAfter,
});
export type ByStateQuery = z.infer<typeof ByStateQuery>;

export type StoredRow = CountedRow & { readonly updatedAt: string };

type RowRange = { readonly after: Place | null; readonly limit: number };

export type ReportReads = {
  /**
   * Returns at most `limit` rows of an account in a range of months (`YYYY-MM`), ordered by month, state and currency,
   * after the given place.
   */
  readonly rows: (account: string, from: string, to: string, page?: RowRange) => Promise<readonly StoredRow[]>;
};

type ReportPorts = { readonly reports: ReportReads; readonly now: () => number };

const monthsMax = 36;
// Enough for all states over 36 months in one currency. With 28-digit amounts, a page of rows is 4.5 MB.
const pageRows = 2000;

/** Formats a month number (see `toMonth`) as `YYYY-MM`. */
export const monthText = (month: number): string => firstDay(month).slice(0, 7);

/** Returns the current month in the account's time zone, as a month number (see `toMonth`). */
const currentMonth = ({ settings }: Account, nowMs: number): number =>
  toMonth(taxDateAt(nowMs, settings.time_zone).slice(0, 10));

/** Returns the latest time at which a row changed; `null` without rows. */
export const findNewest = (rows: readonly StoredRow[]): string | null =>
  rows.reduce<string | null>(
    (newest, { updatedAt }) => (newest !== null && newest > updatedAt ? newest : updatedAt),
    null,
  );

const toReportAmounts = (sum: Sum, currency: string): ReportAmounts => ({
  ...formatAmounts(sum, currency),
  count: sum.count,
});

const wrongFrom = (last: number): Problem => ({
  code: 'validation_invalid_format',
  title: 'Invalid from',
  detail: `Send a month from ${monthText(last - monthsMax + 1)} to ${monthText(last)}: the range has at most ${monthsMax} months.`,
  source: { parameter: 'from' },
});

const invalidCursor = cursorProblem('Send the next_cursor of the previous page, with the same `from` and `to`.');

const placeIn = (position: string | null): Place | null => {
  const [month, state, currency] = position?.split(' ') ?? [];
  return month === undefined || state === undefined || currency === undefined ? null : { month, state, currency };
};

/**
 * Returns the amounts of sales and credits by state, month and currency, from sums that are stored separately from the
 * ledger. Includes states where the account is not registered. A page has at most 2,000 rows.
 *
 * Rejects more than 36 months, or a first month after the last, with `validation_invalid_format`, and an invalid cursor
 * with `validation_invalid_cursor`.
 */
export const reportByState = async (
  query: ByStateQuery,
  account: Account,
  { reports, now }: ReportPorts,
): Promise<Result<ReportByState>> => {
  const last = query.to === undefined ? currentMonth(account, now()) : toMonth(query.to);
  const first = query.from === undefined ? last - 11 : toMonth(query.from);
  const [from, to] = [monthText(first), monthText(last)];
  if (first > last || last - first >= monthsMax) return refuse(wrongFrom(last));
  const { starting_after } = query;
  // The default months move with the calendar, so the cursor contains the resolved months.
  const scope: CursorScope = { list: 'reports', secret: account.cursor_secret, filters: { from, to } };
  const after = starting_after === undefined ? null : placeIn(decodeCursor(starting_after, scope));
  if (starting_after !== undefined && after === null) return refuse(invalidCursor);
  const found = await reports.rows(account.id, from, to, { after, limit: pageRows + 1 });
  const rows = found.slice(0, pageRows);
  const end = found.length > rows.length ? rows.at(-1) : undefined;
  const shown = rows.filter(({ sales, credits }) => sales.count > 0 || credits.count > 0);
  return accept({
    object: 'report_by_state',
    from,
    to,
    as_of: findNewest(rows),
    has_more: end !== undefined,
    next_cursor: end ? encodeCursor([end.month, end.state, end.currency].join(' '), scope) : null,
    data: shown.map(({ month, state, currency, sales, credits }) => ({
      state,
      month,
      currency,
      sales: toReportAmounts(sales, currency),
      credits: toReportAmounts(credits, currency),
    })),
    warnings: [],
  });
};
