import { decodeTime } from 'ulid';
import type { Account } from '../accounts/account.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import type { Ledger, ListPosition, TransactionIndex } from './ledger.ts';
import { expireIfDue } from './lifecycle.ts';
import { type Choice, chooseIndex, filtersAfter, readPosition, rowConditions, writeCursor } from './list-filters.ts';
import { readLimit, type TransactionListQuery } from './list-query.ts';
import { callsMax, cursorProblem, fitting, listAnswer, rowsToRead, scanPages } from './page-limit.ts';
import type { TransactionList, TransactionRow } from './response.ts';
import type { TransactionSummary } from './transaction.ts';

type ListPorts = {
  readonly index: TransactionIndex;
  readonly ledger: Pick<Ledger, 'find' | 'findSome'>;
  readonly now: () => number;
};

/** A page, and the time back to which it was searched: of the tax date or of creation, as the list is sorted. `null` at the end. */
export type Listed = { readonly list: TransactionList; readonly searchedBackTo: string | null };

/**
 * List an account's transactions, newest first, as they read now. The work does not grow with the ledger: at most four reads
 * of an index, each of at most 1 MB.
 *
 * Refused with `validation_invalid_cursor`: a cursor of another account or other filters, or an unknown id.
 */
export const listTransactions = async (
  query: TransactionListQuery,
  account: Account,
  ports: ListPorts,
): Promise<Result<Listed>> => {
  const { starting_after, limit: _limit, expand: _expand, ...filters } = query;
  const limit = readLimit(query);
  const after = starting_after === undefined ? null : await positionAfter(starting_after, filters, account, ports);
  if (starting_after !== undefined && after === null)
    return refuse(
      cursorProblem('Send the last id or the next_cursor of a page of the same list: same filters, same account.'),
    );
  // Looking up an id and fetching lines take one call each.
  const pages = callsMax - Number(starting_after?.startsWith('txn_') ?? false) - Number(query.expand !== undefined);
  const choice = chooseIndex(query, account.settings.time_zone);
  const { rows, next } = await scan(query, choice, after, pages, account, ports);
  const whole = rows.slice(0, limit);
  const page = fitting(query.expand ? await withLines(whole, account.id, ports) : whole);
  const position = rows.length > page.length ? (page.at(-1) as TransactionRow) : next;
  const list = listAnswer('/transactions', page, position && writeCursor(position, account.cursor_secret, filters));
  return accept({ list, searchedBackTo: position && positionTime(position, choice) });
};

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

/** One row more than the page, if there is one; `next` is the position at which reading stopped. */
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
