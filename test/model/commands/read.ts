import fc from 'fast-check';
import { committedHash, personalDigest } from '../../support/committed-hash.ts';
import type { Answer, Schema } from '../../support/http.ts';
import { type Book, type Change, type Entry, type Model, must, same, trailOf, viewOf, type World } from '../book.ts';
import { mustBeRefused, refusal } from '../refusal.ts';
import { ask, pick } from '../requests.ts';
import { of, Step, seldom, side, target, type Wished } from './parts.ts';

type History = Answer<Schema<'TransactionHistory'>>;
/** A row of a history, in the fields that are compared. */
type Row = Change & { readonly by: string; readonly hash: string; readonly previous_hash: string | null };

/** Compare rows of a history, newest first, with the model and with earlier responses. */
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

/** The id belongs to another account, and has the same response as an unknown id. */
const mustBeUnknown = async (id: string, path: string, first: Answer, ask: (path: string) => Promise<Answer>) => {
  mustBeRefused(first, [refusal('not_found')]);
  const unknown = await ask(path.replace(id, 'txn_01ARZ3NDEKTSV4RRFFQ69G5FAV'));
  const said = ({ body }: Answer) => body.errors.map(({ meta: _, ...error }) => error);
  same([unknown.status, said(unknown)], [first.status, said(first)], 'The responses to two unknown ids');
};

const wishes = {
  target,
  isForeign: seldom(fc.constant(true), 8),
  way: fc.constantFrom('get', 'get', 'expand', 'history'),
  limit: fc.integer({ min: 1, max: 4 }),
};

type Wish = Wished<typeof wishes>;

class Read extends Step<Wish> {
  async run(model: Model, world: World): Promise<void> {
    const book = model.books[this.side];
    const other = model.books[this.side === 0 ? 1 : 0];
    const found = pick(this.wish.isForeign ? other : book, this.wish.target);
    if (!found) return;
    const query = { get: '', expand: '?expand=history', history: `/history?limit=${this.wish.limit}` };
    const path = `/transactions/${found.id}${query[this.wish.way as keyof typeof query]}`;
    const get = (wanted: string) => ask(model, world, this.side, 'GET', wanted);
    const answer = await get(this.noted(path));
    const entry = book.entries.get(found.id);
    if (!entry) await mustBeUnknown(found.id, path, answer, get);
    else if (this.wish.way === 'history')
      await this.#pages(answer as History, trailOf(entry, model.nowMs).toReversed(), entry, book, get);
    else this.#whole(answer as Answer<Schema<'RetrievedTransaction'>>, entry, book, model.nowMs);
  }

  #whole(answer: Answer<Schema<'RetrievedTransaction'>>, entry: Entry, book: Book, nowMs: number): void {
    const { history, commitments, ...body } = answer.body;
    const view = viewOf(entry, nowMs);
    same(body, view, 'The transaction as it reads');
    same([answer.status, answer.headers.get('etag')], [200, `"${view.version}"`], 'Its status and tag');
    if (this.wish.way === 'get') same(history, null, 'A history that nobody asked for');
    else {
      mustBeHistory(history ?? [], trailOf(entry, nowMs).toReversed(), entry, book);
      const { salt = null, digest = '' } = commitments ?? {};
      same(salt === null, view.redacted_at !== undefined, 'Whether the salt is gone');
      const hash = committedHash(view, salt === null ? digest : personalDigest(view, salt));
      same(history?.[0]?.state_hash, hash, 'The hash of the state');
    }
  }

  async #pages(
    first: History,
    trail: readonly Change[],
    entry: Entry,
    book: Book,
    get: (path: string) => Promise<Answer>,
  ): Promise<void> {
    const { limit } = this.wish;
    const rows: Row[] = [];
    for (let answer = first; ; ) {
      const { data, has_more, next_cursor, url } = answer.body;
      must(data.length === Math.min(limit, trail.length - rows.length), 'A page of a history has another length.');
      rows.push(...data);
      const last = (rows.at(-1) as Row).version;
      same([has_more, next_cursor], last > 1 ? [true, String(last)] : [false, null], 'Where the history goes on');
      if (!has_more) break;
      answer = (await get(`${url}?limit=${limit}&starting_after=${next_cursor}`)) as History;
    }
    mustBeHistory(rows, trail, entry, book);
  }
}

export const read = fc.tuple(side, of(wishes)).map(([at, wish]) => new Read(at, wish));
