import fc from 'fast-check';
import type { Answer, Schema } from '../../support/http.ts';
import { type Body, type Book, type Entry, type Model, same, type World } from '../book.ts';
import { expectedRows, type Filters } from '../list.ts';
import { mustBeRefused, refusal } from '../refusal.ts';
import { ask, pick, type Side } from '../requests.ts';
import { of, Step, seldom, side, target, type Wished } from './parts.ts';

const range = seldom(
  of({
    name: fc.constantFrom('tax_date', 'created_at'),
    bound: fc.constantFrom('gte', 'gt', 'lte', 'lt'),
    target,
    isDay: fc.boolean(),
    offset: fc.constantFrom(0, 0, 1, -1),
  }),
  3,
);

const wishes = {
  status: seldom(fc.constantFrom('draft', 'finalized', 'filed', 'void'), 4),
  type: seldom(fc.constantFrom('sale', 'credit'), 5),
  reference: seldom(fc.constantFrom('r1', 'r2', 'r3'), 6),
  customer: seldom(fc.constantFrom('c1', 'c2'), 6),
  parent: seldom(target, 6),
  ranges: fc.tuple(range, range),
  limit: fc.constantFrom(1, 1, 2, 3, 5, null),
  hasLines: seldom(fc.constant(true), 5),
  from: seldom(of({ way: fc.constantFrom('cursor', 'id', 'stolen id', 'stolen cursor', 'other filters'), target }), 2),
};

type Wish = Wished<typeof wishes>;

const filtersOf = (wish: Wish, { books }: Model, own: Book): Filters => {
  const anyone = pick(own, wish.parent ?? 0) ?? pick(books[1], 0);
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

type Page = Answer<Schema<'TransactionList'>>;
type Start = {
  readonly filters: Filters;
  readonly after: string | null;
  readonly at: Body | null;
  readonly isBad: boolean;
};

class List extends Step<Wish> {
  async run(model: Model, world: World): Promise<void> {
    await this.#gather(model, world);
    const { filters, after, at, isBad } = this.#start(model);
    if (isBad) {
      const answer = await this.#page(model, world, filters, after);
      mustBeRefused(answer, [refusal('validation_invalid_cursor', 'starting_after')]);
      return;
    }
    let place = at;
    let next = after;
    for (let pages = 0; pages < 4; pages++) {
      const answer = await this.#page(model, world, filters, next);
      const last = this.#mustBePage(answer, model, filters, place);
      if (!last) return;
      place = last;
      next = pages % 2 === 0 ? answer.body.next_cursor : last.id;
    }
  }

  /** See that there is a cursor to misuse, if there can be one. */
  async #gather(model: Model, world: World): Promise<void> {
    const { way } = this.wish.from ?? {};
    const from = way === 'stolen cursor' ? ((1 - this.side) as Side) : this.side;
    const book = model.books[from];
    if (!way?.endsWith('cursor') && way !== 'other filters') return;
    if (book.cursors.length > 0 || book.entries.size < 2) return;
    const { body } = await ask(model, world, from, 'GET', '/transactions?limit=1');
    book.cursors.push({ text: body.next_cursor, filters: {}, at: ([...book.entries.values()].at(-1) as Entry).body });
  }

  /** Where a list begins: at its beginning, or after what some page before ended with, or with what is refused. */
  #start(model: Model): Start {
    const own = model.books[this.side];
    const other = model.books[this.side === 0 ? 1 : 0];
    const filters = filtersOf(this.wish, model, own);
    const { way, target: number } = this.wish.from ?? {};
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
  }

  #page(model: Model, world: World, filters: Filters, after: string | null): Promise<Page> {
    const { limit, hasLines } = this.wish;
    const query = new URLSearchParams({
      ...filters,
      ...(limit !== null && { limit: String(limit) }),
      ...(hasLines && { expand: 'line_items' }),
      ...(after !== null && { starting_after: after }),
    });
    return ask(model, world, this.side, 'GET', this.noted(`/transactions?${query}`));
  }

  /** Hold a page against the model; answers its last row if more follow, whose cursor is kept for later. */
  #mustBePage({ status, body, text }: Page, model: Model, filters: Filters, after: Body | null): Body | null {
    const book = model.books[this.side];
    const { hasLines, limit } = this.wish;
    const length = limit ?? (hasLines ? 10 : 25);
    same(status, 200, `The status of ${text}`);
    const rows = expectedRows(book, filters, after, model.nowMs);
    const shown = rows
      .slice(0, length)
      .map((row) => (hasLines ? row : { ...row, line_items: null, explanation: null }));
    same(body.data, shown, 'The rows of a page');
    same([body.url, body.has_more], ['/transactions', rows.length > length], 'Whether there are more');
    same(body.next_cursor === null, !body.has_more, 'The cursor');
    if (!body.has_more) return null;
    const last = rows[length - 1] as Body;
    book.cursors.push({ text: body.next_cursor, filters, at: last });
    return last;
  }
}

export const list = fc.tuple(side, of(wishes)).map(([at, wish]) => new List(at, wish));
