import type { Account } from '../accounts/account.ts';
import { accept, type Result, refuse } from '../result.ts';
import type { Ledger, ListPosition, TransactionIndex } from './ledger.ts';
import { expireIfDue } from './lifecycle.ts';
import { chooseIndex, cursorOf, filtersAfter, positionOf } from './list-filters.ts';
import { limitOf, type TransactionListQuery } from './list-query.ts';
import { callsMax, cursorProblem, fitting, listAnswer, scannedRows, scanPages } from './page-limit.ts';
import type { TransactionList, TransactionRow } from './response.ts';
import type { TransactionSummary } from './transaction.ts';

type ListPorts = {
  readonly index: TransactionIndex;
  readonly ledger: Pick<Ledger, 'find' | 'findSome'>;
  readonly now: () => number;
};

/**
 * List an account's transactions, newest first, as they read now.
 *
 * Refused with `validation_invalid_cursor`: a cursor of another account or other filters, or an unknown id.
 */
export const listTransactions = async (
  query: TransactionListQuery,
  account: Account,
  ports: ListPorts,
): Promise<Result<TransactionList>> => {
  const { starting_after, limit: _limit, expand: _expand, ...filters } = query;
  const limit = limitOf(query);
  const after = starting_after === undefined ? null : await positionAfter(starting_after, filters, account, ports);
  if (starting_after !== undefined && after === null)
    return refuse(
      cursorProblem('Send the last id or the next_cursor of a page of the same list: same filters, same account.'),
    );
  // Looking up an id and fetching lines take one call each.
  const pages = callsMax - Number(starting_after?.startsWith('txn_') ?? false) - Number(query.expand !== undefined);
  const { rows, next } = await scan(query, after, pages, account, ports);
  const whole = rows.slice(0, limit);
  const page = fitting(query.expand ? await withLines(whole, account.id, ports) : whole);
  const position = rows.length > page.length ? (page.at(-1) as TransactionRow) : next;
  return accept(listAnswer('/transactions', page, position && cursorOf(position, account.cursor_secret, filters)));
};

const positionAfter = async (
  startingAfter: string,
  filters: unknown,
  { id, cursor_secret }: Account,
  { ledger }: ListPorts,
): Promise<ListPosition | null> => {
  if (startingAfter.includes('.')) return positionOf(startingAfter, cursor_secret, filters);
  return (await ledger.find(id, startingAfter))?.transaction ?? null;
};

/** One row more than the page, if there is one; `next` is the position at which reading stopped. */
const scan = async (
  query: TransactionListQuery,
  after: ListPosition | null,
  pagesMax: number,
  { id: account, settings }: Account,
  { index, now }: ListPorts,
) => {
  const choice = chooseIndex(query, settings.time_zone);
  const filters = filtersAfter(query, choice);
  const size = filters.length === 0 ? limitOf(query) + 1 : scannedRows;
  const read = async (from: ListPosition | null) => {
    const found = await index.page(account, { ...choice, after: from, limit: size });
    const nowMs = now();
    return { ...found, rows: found.rows.map((row) => expireIfDue(row, nowMs)) };
  };
  const keeps = (row: TransactionSummary) => filters.every((filter) => filter(row));
  return scanPages({ read, keeps, after, wanted: limitOf(query) + 1, pagesMax });
};

const withLines = async (
  rows: readonly TransactionSummary[],
  account: string,
  { ledger }: ListPorts,
): Promise<TransactionRow[]> => {
  const stored = await ledger.findSome(
    account,
    rows.map(({ id }) => id),
  );
  const found = new Map(stored.map(({ transaction }) => [transaction.id, transaction]));
  return rows.map((row) => {
    const { line_items = null, explanation = null } = found.get(row.id) ?? {};
    return { ...row, line_items, explanation };
  });
};
