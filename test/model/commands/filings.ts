import fc from 'fast-check';
import { type Book, type Filing, instant, type Model, must, same, type World } from '../book.ts';
import { mustBeFiling, nextEnd } from '../filings.ts';
import { exceptionsAtLeast, exceptionsAtMost } from '../journal.ts';
import { mustBeRefused, refusal } from '../refusal.ts';
import { ask, type Side, write } from '../requests.ts';
import { type Generated, headersOf, key, of, Step, seldom, side, target } from './parts.ts';

const dayMs = 86_400_000;

const closing = of({
  state: fc.constantFrom('MI', 'MI', 'MI', 'IN'),
  when: fc.constantFrom(
    'next',
    'next',
    'next',
    'next',
    'last month',
    'this month',
    'two months ago',
    'no end',
    'again',
  ),
  isDryRun: seldom(fc.constant(true), 6),
  key,
});

type Closing = Generated<typeof closing>;

const endBefore = (day: string): string => instant(Date.parse(`${day.slice(0, 7)}-01`) - dayMs).slice(0, 10);

const endOf = (wish: Closing, book: Book, nowMs: number): string => {
  const today = instant(nowMs).slice(0, 10);
  const next = nextEnd(book, `US-${wish.state}`);
  const ends: Readonly<Record<string, string | null | undefined>> = {
    next,
    'this month': endBefore(instant(Date.parse(`${today.slice(0, 7)}-01`) + 40 * dayMs)),
    'two months ago': endBefore(endBefore(today)),
    'no end': `${today.slice(0, 7)}-01`,
    again: book.filings.findLast(({ state }) => state === `US-${wish.state}`)?.end,
  };
  return ends[wish.when] ?? endBefore(today);
};

class Close extends Step<Closing> {
  async run(model: Model, world: World): Promise<void> {
    const { state, isDryRun, key: name } = this.wish;
    const body = {
      state,
      period_end: endOf(this.wish, model.books[this.side], model.nowMs),
      ...(isDryRun && { dry_run: true }),
    };
    await write(model, world, this.side, this.noted({ path: '/filings', body, headers: headersOf(name) }));
  }
}

const settling = of({
  target,
  status: fc.constantFrom('filed', 'filed', 'filed', 'canceled', 'canceled', 'closing'),
  isForeign: seldom(fc.constant(true), 10),
  isNewest: fc.boolean(),
  number: fc.constantFrom('c-1', 'c-1', 'c-1', 'c-2', null),
  // How many more exceptions are acknowledged than there are; `null` sends nothing.
  more: fc.constantFrom(0, 0, 0, 0, 1, null),
  key,
});

/** The number of exceptions, which the model bounds, as it depends on how a tax was distributed over states. */
const seeExceptions = async (model: Model, world: World, at: Side, filing: Filing): Promise<void> => {
  const { body } = await ask(model, world, at, 'GET', `/filings/${filing.id}`);
  const { count = -1 } = body.exceptions ?? {};
  const book = model.books[at];
  const bounds = [exceptionsAtLeast(book, filing.members), exceptionsAtMost(book, filing.members)] as const;
  must(bounds[0] <= count && count <= bounds[1], `${count} exceptions are not from ${bounds[0]} to ${bounds[1]}.`);
  filing.exceptions = count;
};

class Settle extends Step<Generated<typeof settling>> {
  async run(model: Model, world: World): Promise<void> {
    const { filings } = model.books[this.wish.isForeign ? 1 - this.side : this.side] as Book;
    const filing = this.wish.isNewest ? filings.at(-1) : filings[this.wish.target % filings.length];
    if (!filing) return;
    const { status, number, more } = this.wish;
    if (!this.wish.isForeign) await seeExceptions(model, world, this.side, filing);
    const acknowledged = more === null ? {} : { acknowledge_exceptions: filing.exceptions + more };
    const body = { status, ...(status === 'filed' && number && { confirmation_number: number, ...acknowledged }) };
    const sent = { path: `/filings/${filing.id}`, body, headers: headersOf(this.wish.key) };
    await write(model, world, this.side, this.noted(sent));
  }
}

/** All filings as they read, the newest first. */
class ReadFilings extends Step<number> {
  async run(model: Model, world: World): Promise<void> {
    const { filings } = model.books[this.side];
    const [other] = (model.books[1 - this.side] as Book).filings;
    const get = <Path extends string>(path: Path) => ask(model, world, this.side, 'GET', this.noted(path));
    const { body } = await get('/filings?limit=100');
    const rows = filings.toReversed().map(({ id, status }) => [id, status]);
    same(
      body.data.map(({ id, status }) => [id, status]),
      rows,
      'The filings',
    );
    const filing = filings[this.wish % filings.length];
    if (filing) {
      const answer = await get(`/filings/${filing.id}?expand=entries&limit=100`);
      const { entries, ...body } = answer.body;
      mustBeFiling({ ...body, entries: null }, filing);
      const members = entries.data.map((entry) => entry.transaction_id);
      // A canceled one has given them back.
      const kept = filing.status === 'canceled' ? [] : filing.members.toSorted();
      same(members.sort(), kept, 'The members of a filing');
    }
    if (other) mustBeRefused(await get(`/filings/${other.id}`), [refusal('not_found')]);
  }
}

export const close = fc.tuple(side, closing).map(([at, wish]) => new Close(at, wish));
export const settle = fc.tuple(side, settling).map(([at, wish]) => new Settle(at, wish));
export const readFilings = fc.tuple(side, target).map(([at, wish]) => new ReadFilings(at, wish));
