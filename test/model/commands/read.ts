import fc from 'fast-check';
import { committedHash, personalDigest } from '../../support/committed-hash.ts';
import type { ApiResponse, Schema } from '../../support/http.ts';
import { type Body, type Book, type Change, type Cursor, type Entry, getTrail, getView, must, same } from '../book.ts';
import { inZone, wallMs } from '../money.ts';
import { mustBeRefused, refusal } from '../refusal.ts';
import { ask, dayMs, pick, type Side } from '../requests.ts';
import { combine, command, type Generated, type Scene, seldom, target } from './create.ts';

export type Filters = Readonly<Record<string, string>>;

const bounds = ['gte', 'gt', 'lte', 'lt'] as const;

/** Returns whether a timestamp is within a bound; a bound that is a day means the whole day. */
const isWithin = (at: number, bound: (typeof bounds)[number], text: string): boolean => {
  const from = wallMs(text);
  const to = text.length === 10 ? from + dayMs - 1 : from;
  return { gte: at >= from, gt: at > to, lte: at <= to, lt: at < from }[bound];
};

const isInRange = (filters: Filters, name: string, at: number, timeZone = 'UTC'): boolean =>
  bounds.every((bound) => {
    const text = filters[`${name}[${bound}]`];
    return text === undefined || isWithin(at, bound, inZone(text, timeZone));
  });

const byField: Readonly<Record<string, (body: Body) => unknown>> = {
  status: ({ status }) => status,
  type: ({ type }) => type,
  reference_id: ({ reference_id }) => reference_id,
  parent_transaction_id: ({ parent_transaction_id }) => parent_transaction_id,
  customer_id: ({ customer }) => customer?.id,
};

const isKept = (body: Body, filters: Filters, timeZone: string): boolean =>
  Object.entries(byField).every(([name, read]) => filters[name] === undefined || read(body) === filters[name]) &&
  isInRange(filters, 'tax_date', wallMs(body.tax_date), timeZone) &&
  isInRange(filters, 'created_at', Date.parse(body.created_at));

/** Newest first: by tax date with a filter on it, otherwise by creation. */
const isBefore = (left: Body, right: Body, filters: Filters): boolean => {
  const isByTaxDate = bounds.some((bound) => filters[`tax_date[${bound}]`] !== undefined);
  const difference = isByTaxDate ? wallMs(left.tax_date) - wallMs(right.tax_date) : 0;
  return difference === 0 ? left.id > right.id : difference > 0;
};

/** The expected rows of a list after a position, in order. */
export const expectedRows = (book: Book, filters: Filters, after: Cursor['at'] | null, nowMs: number): Body[] =>
  [...book.entries.values()]
    .map((entry) => getView(entry, nowMs))
    .filter((body) => isKept(body, filters, book.timeZone))
    .filter((body) => after === null || isBefore(after, body, filters))
    .sort((left, right) => (isBefore(left, right, filters) ? -1 : 1));

type History = ApiResponse<Schema<'TransactionHistory'>>;
/** The compared fields of a history row. */
type Row = Change & { readonly by: string; readonly hash: string; readonly previous_hash: string | null };

/** Compares rows of a history, newest first, with the model and with earlier responses. */
const mustBeHistory = (rows: readonly Row[], expected: readonly Change[], entry: Entry, book: Book): void => {
  same(
    rows.map(({ version, at, from, to, fields }) => ({ version, at, from, to, fields })),
    expected,
    'The history',
  );
  rows.forEach((row, index) => {
    const before = rows[index + 1];
    if (before) same(row.previous_hash, before.hash, 'The chain');
    same(row.previous_hash === null, row.version === 1, 'Its beginning');
    const seen = entry.hashes.get(row.version) ?? row.hash;
    same(row.hash, seen, 'A hash that was seen before');
    entry.hashes.set(row.version, row.hash);
    if (row.by !== 'draft_expired' && row.by !== 'operator') book.credential ??= row.by;
    const isDeadline = row.by === 'draft_expired' && row.to === 'void';
    const isOfOperator = row.by === 'operator' && row.fields.includes('redacted_at');
    must(isDeadline || isOfOperator || row.by === book.credential, 'Somebody else is said to have changed it.');
  });
};

/** Checks that an id of the other account gets the same response as an unknown id. */
const mustBeUnknown = async (
  id: string,
  path: string,
  first: ApiResponse,
  ask: (path: string) => Promise<ApiResponse>,
) => {
  mustBeRefused(first, [refusal('not_found')]);
  const unknown = await ask(path.replace(id, 'txn_01ARZ3NDEKTSV4RRFFQ69G5FAV'));
  const said = ({ body }: ApiResponse) => body.errors.map(({ meta: _, ...error }) => error);
  same([unknown.status, said(unknown)], [first.status, said(first)], 'The responses to two unknown ids');
};

const mustBeWhole = (
  response: ApiResponse<Schema<'RetrievedTransaction'>>,
  entry: Entry,
  book: Book,
  nowMs: number,
): void => {
  const { history, commitments, ...body } = response.body;
  const view = getView(entry, nowMs);
  same(body, view, 'The transaction as it reads');
  same([response.status, response.headers.get('etag')], [200, `"${view.version}"`], 'Its status and tag');
  if (history === null) return;
  mustBeHistory(history ?? [], getTrail(entry, nowMs).toReversed(), entry, book);
  const { salt = null, digest = '' } = commitments ?? {};
  same(salt === null, view.redacted_at !== undefined, 'Whether the salt is gone');
  const hash = committedHash(view, salt === null ? digest : personalDigest(view, salt));
  same(history?.[0]?.state_hash, hash, 'The hash of the state');
};

/** Reads the pages of a history. Returns its rows. */
const readPages = async (
  first: History,
  limit: number,
  length: number,
  get: (path: string) => Promise<ApiResponse>,
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (let response = first; ; ) {
    const { data, has_more, next_cursor, url } = response.body;
    must(data.length === Math.min(limit, length - rows.length), 'A page of a history has another length.');
    rows.push(...data);
    const last = (rows.at(-1) as Row).version;
    same([has_more, next_cursor], last > 1 ? [true, String(last)] : [false, null], 'Where the history goes on');
    if (!has_more) return rows;
    response = (await get(`${url}?limit=${limit}&starting_after=${next_cursor}`)) as History;
  }
};

const reading = combine({
  target,
  isForeign: seldom(fc.constant(true), 8),
  way: fc.constantFrom('get', 'get', 'expand', 'history'),
  limit: fc.integer({ min: 1, max: 4 }),
});

export const read = command('Read', reading, async ({ target, isForeign, way, limit }, { model, book, other, get }) => {
  const found = pick(isForeign ? other : book, target);
  if (!found) return;
  const query = { get: '', expand: '?expand=history', history: `/history?limit=${limit}` };
  const path = `/transactions/${found.id}${query[way as keyof typeof query]}`;
  const response = await get(path as string);
  const entry = book.entries.get(found.id);
  if (!entry) return mustBeUnknown(found.id, path, response, get);
  const trail = getTrail(entry, model.nowMs).toReversed();
  if (way === 'history')
    mustBeHistory(await readPages(response as History, limit, trail.length, get), trail, entry, book);
  else {
    const whole = response as ApiResponse<Schema<'RetrievedTransaction'>>;
    same(whole.body.history === null, way === 'get', 'Whether there is a history');
    mustBeWhole(whole, entry, book, model.nowMs);
  }
});

const range = seldom(
  combine({
    name: fc.constantFrom('tax_date', 'created_at'),
    bound: fc.constantFrom('gte', 'gt', 'lte', 'lt'),
    target,
    isDay: fc.boolean(),
    offset: fc.constantFrom(0, 0, 1, -1),
  }),
  3,
);

const listing = combine({
  status: seldom(fc.constantFrom('draft', 'finalized', 'filed', 'void'), 4),
  type: seldom(fc.constantFrom('sale', 'credit'), 5),
  reference: seldom(fc.constantFrom('r1', 'r2', 'r3'), 6),
  customer: seldom(fc.constantFrom('c1', 'c2'), 6),
  parent: seldom(target, 6),
  ranges: fc.tuple(range, range),
  limit: fc.constantFrom(1, 1, 2, 3, 5, null),
  hasLines: seldom(fc.constant(true), 5),
  from: seldom(
    combine({ way: fc.constantFrom('cursor', 'id', 'stolen id', 'stolen cursor', 'other filters'), target }),
    2,
  ),
});

type ListWish = Generated<typeof listing>;

const listFilters = (wish: ListWish, { model, book: own }: Scene): Filters => {
  const anyone = pick(own, wish.parent ?? 0) ?? pick(model.books[1], 0);
  const ranges = wish.ranges.flatMap((asked) => {
    const at = asked && pick(own, asked.target)?.[asked.name];
    if (!at) return [];
    const text = new Date(Date.parse(at) + asked.offset).toISOString();
    return [[`${asked.name}[${asked.bound}]`, asked.isDay ? text.slice(0, 10) : text]];
  });
  return {
    ...(wish.status && { status: wish.status }),
    ...(wish.type && { type: wish.type }),
    ...(wish.reference && { reference_id: wish.reference }),
    ...(wish.customer && { customer_id: wish.customer }),
    ...(wish.parent !== undefined && anyone && { parent_transaction_id: anyone.parent_transaction_id ?? anyone.id }),
    ...Object.fromEntries(ranges),
  };
};

type Page = ApiResponse<Schema<'TransactionList'>>;
type Start = {
  readonly filters: Filters;
  readonly after: string | null;
  readonly at: Body | null;
  readonly isBad: boolean;
};

/** Ensures that there is a cursor to misuse, if possible. */
const gather = async ({ from }: ListWish, { model, world, side }: Scene): Promise<void> => {
  const { way } = from ?? {};
  const reader = way === 'stolen cursor' ? ((1 - side) as Side) : side;
  const book = model.books[reader];
  if (!way?.endsWith('cursor') && way !== 'other filters') return;
  if (book.cursors.length > 0 || book.entries.size < 2) return;
  const { body } = await ask(model, world, reader, 'GET', '/transactions?limit=1');
  book.cursors.push({ text: body.next_cursor, filters: {}, at: ([...book.entries.values()].at(-1) as Entry).body });
};

/** The start of a list: its beginning, the end of an earlier page, or an invalid cursor. */
const getStart = (wish: ListWish, scene: Scene): Start => {
  const { book: own, other } = scene;
  const filters = listFilters(wish, scene);
  const { way, target: number } = wish.from ?? {};
  const begun = { filters, after: null, at: null, isBad: false };
  const from = (book: Book) => book.cursors[(number as number) % book.cursors.length];
  if (way === 'cursor') {
    const cursor = from(own);
    return cursor ? { filters: cursor.filters, after: cursor.text, at: cursor.at, isBad: false } : begun;
  }
  if (way === 'stolen cursor' || way === 'other filters') {
    const cursor = from(way === 'stolen cursor' ? other : own);
    const changed = { ...cursor?.filters, ...(way === 'other filters' && { reference_id: 'r9' }) };
    return cursor ? { filters: changed, after: cursor.text, at: null, isBad: true } : begun;
  }
  const row = way && pick(way === 'id' ? own : other, number as number);
  return row ? { filters, after: row.id, at: row, isBad: way !== 'id' } : begun;
};

/** Compares a page with the model. Returns its last row if more follow, whose cursor is kept for later. */
const mustBePage = (
  { status, body, text }: Page,
  { hasLines, limit }: ListWish,
  { model, book }: Scene,
  filters: Filters,
  after: Body | null,
): Body | null => {
  const length = limit ?? (hasLines ? 10 : 25);
  same(status, 200, `The status of ${text}`);
  const rows = expectedRows(book, filters, after, model.nowMs);
  const shown = rows.slice(0, length).map((row) => (hasLines ? row : { ...row, line_items: null, explanation: null }));
  same(body.data, shown, 'The rows of a page');
  same([body.url, body.has_more], ['/transactions', rows.length > length], 'Whether there are more');
  same(body.next_cursor === null, !body.has_more, 'The cursor');
  if (!body.has_more) return null;
  const last = rows[length - 1] as Body;
  book.cursors.push({ text: body.next_cursor, filters, at: last });
  return last;
};

export const list = command('List', listing, async (wish, scene) => {
  await gather(wish, scene);
  const { filters, after, at, isBad } = getStart(wish, scene);
  const { limit, hasLines } = wish;
  const getPage = (from: string | null): Promise<Page> => {
    const query = new URLSearchParams({
      ...filters,
      ...(limit !== null && { limit: String(limit) }),
      ...(hasLines && { expand: 'line_items' }),
      ...(from !== null && { starting_after: from }),
    });
    return scene.get(`/transactions?${query}`);
  };
  if (isBad) return mustBeRefused(await getPage(after), [refusal('validation_invalid_cursor', 'starting_after')]);
  let [place, next] = [at, after];
  for (let pages = 0; pages < 4; pages++) {
    const response = await getPage(next);
    const last = mustBePage(response, wish, scene, filters, place);
    if (!last) return;
    place = last;
    next = pages % 2 === 0 ? response.body.next_cursor : last.id;
  }
});
