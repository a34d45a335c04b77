import type { ApiResponse, Schema } from '../support/http.ts';
import { daysAfter, getFirstDay, getLastDay, getMonth, localDay, Registered } from '../support/local-days.ts';
import { type Book, change, type Filing, instant, type Model, type Requested, type Sent, same } from './book.ts';
import { picked } from './create.ts';
import { getAmounts } from './journal.ts';

import { mustBeRefused, type Refusal, refusal } from './refusal.ts';

type Body = Omit<Schema<'Filing'>, 'entries'> & { readonly entries: object | null };

const names: Readonly<Record<string, string>> = { 'US-MI': 'Michigan', 'US-IN': 'Indiana' };

const getSums = ({ gross_amount, exempt_amount, taxable_amount, tax_amount, count }: Body['summary'][number]) => ({
  gross_amount,
  exempt_amount,
  taxable_amount,
  tax_amount,
  count,
});

/** Checks that a filing equals the sum of its entries, in each currency. */
const mustTotal = (body: Body, amounts: Filing['amounts']): void => {
  const listSums = (rows: Body['summary']) => rows.map((row) => [row.currency, getSums(row)]);
  same(listSums(body.summary), amounts, 'The summary of a filing');
  same(listSums(body.totals), amounts, 'The totals of a filing');
  const [{ jurisdiction_code, jurisdiction_name } = { jurisdiction_code: body.state, jurisdiction_name: null }] =
    body.totals;
  const name = jurisdiction_name ?? names[body.state];
  same([jurisdiction_code, name], [body.state, names[body.state]], 'Whose totals they are');
};

const frame = (filing: Filing) => ({
  object: 'filing',
  id: filing.id,
  state: filing.state,
  period_start: filing.start,
  period_end: filing.end,
  frequency: filing.frequency,
  confirmation_number: filing.confirmation,
  created_at: filing.createdAt,
  warnings: [],
  entries: null,
});

/** Checks that a filing is the requested filing, at any progress. */
const mustBeFrame = (body: Body, filing: Filing): void => {
  const expected = frame(filing);
  same(picked(body, expected), expected, 'A filing');
};

/** Checks that a finished filing equals the model's. */
export const mustBeFiling = (body: Body, filing: Filing): void => {
  mustBeFrame(body, filing);
  const { status, progress, closed_at, filed_at, canceled_at } = body;
  same([status, progress.complete], [filing.status, true], 'How far a filing is');
  same([closed_at, filed_at, canceled_at], [filing.closedAt, filing.filedAt, filing.canceledAt], 'Its instants');
  const count = filing.members.length;
  const { entries_moved, entries_marked, entries_reopened } = progress;
  const done = [count, filing.status === 'filed' ? count : 0, filing.status === 'canceled' ? count : 0];
  same([entries_moved, entries_marked, entries_reopened], done, 'Its entries');
  mustTotal(body, filing.amounts);
};

type Closing = Schema<'FilingRequest'>;
type FilingResponse = ApiResponse<Schema<'Filing'>>;

/** Months since the year 0. */
type Period = { readonly first: number; readonly last: number; readonly frequency: string };

/** The period of a day, by the registrations of a state (`US-MI`). */
const getPeriod = ({ registrations }: Book, state: string, day: string): Period =>
  new Registered(registrations, state).getPeriod(getMonth(day));

const getState = ({ state }: Requested): string => `US-${state}`;

const standing = (book: Book, state: string): Filing[] =>
  book.filings.filter((filing) => filing.state === state && filing.status !== 'canceled');

/** Returns the end of the next period to close; `null` if any period is allowed because none was ever closed. */
export const nextEnd = (book: Book, state: string): string | null => {
  const last = standing(book, state).at(-1);
  const open = [...book.journal.values()].filter((entry) => entry.state === state && entry.filing === null);
  const created = localDay(book.createdMs, book.timeZone);
  const begun = book.registrations === 'all' ? [] : [created];
  const [oldest] = last ? [daysAfter(last.end, 1)] : [...open.map(({ month }) => `${month}-01`), ...begun].sort();
  return oldest === undefined ? null : getLastDay(getPeriod(book, state, oldest).last);
};

/**
 * The entries of a filing: everything open up to the end of its period. An earlier period that is not closed takes the
 * older entries.
 */
const dueIn = (book: Book, state: string, end: string) => {
  const next = nextEnd(book, state);
  const first = next !== null && end > next ? getFirstDay(getPeriod(book, state, end).first).slice(0, 7) : '';
  return [...book.journal.values()].filter(
    (entry) => entry.state === state && entry.filing === null && entry.month <= end.slice(0, 7) && entry.month >= first,
  );
};

const closingRefusal = (book: Book, { state: code, period_end, dry_run }: Closing, nowMs: number): Refusal[] => {
  const state = `US-${code}`;
  const meta = { state, period_end };
  const today = localDay(nowMs, book.timeZone);
  const { first, last } = getPeriod(book, state, period_end);
  if (getLastDay(last) !== period_end) return [refusal('validation_invalid_format', '/period_end')];
  const isTooEarly = dry_run ? first > getPeriod(book, state, today).last : period_end >= today;
  if (isTooEarly) return [refusal('conflict_period_not_over', '/period_end', meta)];
  const next = nextEnd(book, state);
  return dry_run || next === null || next === period_end
    ? []
    : [refusal('conflict_period_order', '/period_end', { ...meta, period_end: next })];
};

/** Compares the response to closing a period with the model, and records the filing's entries. */
const judgeClosing = (
  { nowMs }: Model,
  book: Book,
  request: Closing,
  { status, body, headers }: FilingResponse,
): void => {
  const state = getState(request);
  const members = dueIn(book, state, request.period_end);
  const amounts = getAmounts(book, members);
  if (request.dry_run) {
    same([status, body.id, body.status], [200, null, 'dry_run'], 'A dry run');
    mustTotal(body, amounts);
    return;
  }
  same([status, body.status, headers.get('location')], [202, 'closing', `filings/${body.id}`], 'A filing that begins');
  const at = instant(nowMs);
  const { first, frequency } = getPeriod(book, state, request.period_end);
  const filing: Filing = {
    id: body.id,
    state,
    start: getFirstDay(first),
    end: request.period_end,
    frequency,
    createdAt: at,
    closedAt: at,
    filedAt: null,
    canceledAt: null,
    status: 'closed',
    confirmation: null,
    exceptions: 0,
    members: members.map(({ id }) => id),
    amounts,
  };
  mustBeFrame(body, filing);
  for (const member of members) member.filing = body.id;
  book.filings.push(filing);
};

const unacknowledged = ({ exceptions }: Filing): Refusal[] => [
  refusal('conflict_exceptions_not_acknowledged', '/acknowledge_exceptions', { count: exceptions }),
];

const changingRefusal = (
  book: Book,
  filing: Filing,
  { status, acknowledge_exceptions: acknowledged = 0 }: Requested,
): Refusal[] => {
  const { status: from, state } = filing;
  const allowed = from === 'closed' ? ['filed', 'canceled'] : [];
  if (!allowed.includes(String(status)))
    return [refusal('conflict_invalid_status_transition', '/status', { from, to: status, allowed })];
  if (status === 'filed') return acknowledged === filing.exceptions ? [] : unacknowledged(filing);
  const last = standing(book, state).at(-1);
  return status === 'canceled' && last !== filing
    ? [refusal('conflict_period_order', '/status', { state, period_end: last?.end })]
    : [];
};

/** A transaction lists each filing that filed it. Its status becomes `filed` when all of its states are filed. */
const mark = (book: Book, id: string, filing: Filing, nowMs: number): void => {
  const entry = book.entries.get(id);
  if (!entry) throw new Error('A filing has an entry of nothing.');
  const filings = [...entry.body.filings, { id: filing.id, state: filing.state, status: 'filed' as const }];
  const waiting = [...book.journal.values()].filter((posted) => posted.id === id);
  const isFiled = waiting.every(({ state }) => filings.some((one) => one.state === state));
  const at = instant(nowMs);
  const status = isFiled ? { status: 'filed' as const, filed_at: at } : {};
  const body = { ...entry.body, ...status, filings, updated_at: at, version: entry.body.version + 1 };
  change(entry, nowMs, body, ['filings', ...(isFiled ? ['status'] : [])]);
};

const judgeChange = (
  { nowMs }: Model,
  book: Book,
  filing: Filing,
  { status, confirmation_number }: Requested,
): void => {
  filing.status = status as Filing['status'];
  if (status === 'filed') {
    filing.confirmation = confirmation_number ?? null;
    filing.filedAt = instant(nowMs);
    for (const id of filing.members) mark(book, id, filing, nowMs);
    return;
  }
  filing.canceledAt = instant(nowMs);
  for (const posted of book.journal.values()) if (posted.filing === filing.id) posted.filing = null;
};

/** Checks that a request for the current state changes nothing. */
const mustBeUnchanged = ({ status, body }: FilingResponse, filing: Filing): void => {
  same(status, 200, 'The status of a filing as it is');
  mustBeFiling(body, filing);
};

const checkFiling = (model: Model, book: Book, request: Closing, response: FilingResponse): void => {
  const found = standing(book, getState(request)).find(({ end }) => end === request.period_end);
  const refused = found ? [] : closingRefusal(book, request, model.nowMs);
  if (found) mustBeUnchanged(response, found);
  else if (refused.length > 0) mustBeRefused(response, refused);
  else judgeClosing(model, book, request, response);
};

const checkChange = (
  model: Model,
  book: Book,
  filing: Filing | undefined,
  request: Requested,
  response: FilingResponse,
): void => {
  const { confirmation_number: number, acknowledge_exceptions: acknowledged, status } = request;
  if (!filing) mustBeRefused(response, [refusal('not_found')]);
  else if (filing.status !== status) {
    const refused = changingRefusal(book, filing, request);
    if (refused.length > 0) mustBeRefused(response, refused);
    else {
      same([response.status, response.body.id], [202, filing.id], 'A filing that changes');
      judgeChange(model, book, filing, request);
    }
  } else if (number && number !== filing.confirmation)
    mustBeRefused(response, [refusal('conflict_immutable_field', '/confirmation_number')]);
  else if (acknowledged !== undefined && acknowledged !== filing.exceptions)
    mustBeRefused(response, unacknowledged(filing));
  else mustBeUnchanged(response, filing);
};

/** Compares the response to a request about filings with the model, and records its changes. */
export const judgeFiling = (
  model: Model,
  book: Book,
  { path, body: request }: Sent,
  response: FilingResponse,
): void => {
  if (path === '/filings') checkFiling(model, book, request as Closing, response);
  else
    checkChange(
      model,
      book,
      book.filings.find(({ id }) => path === `/filings/${id}`),
      request,
      response,
    );
};
