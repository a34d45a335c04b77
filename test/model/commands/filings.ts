import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { canonical, impersonal } from '../../support/committed-hash.ts';
import {
  type Body,
  type Book,
  change,
  type Entry,
  type Filing,
  getView,
  instant,
  isExpired,
  type Model,
  must,
  type Requested,
  same,
  type World,
} from '../book.ts';
import { mustBeFiling, nextEnd } from '../filings.ts';
import { exceptionsAtLeast, exceptionsAtMost } from '../journal.ts';
import { mustBeRefused, refusal } from '../refusal.ts';
import { ask, dayMs, hourMs, pick, type Side } from '../requests.ts';
import { combine, command, type Generated, getHeaders, key, seldom, target } from './create.ts';

const closing = combine({
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

const getEnd = (wish: Closing, book: Book, nowMs: number): string => {
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

export const close = command('Close', closing, async (wish, { model, book, post }) => {
  const { state, isDryRun, key: name } = wish;
  const body = { state, period_end: getEnd(wish, book, model.nowMs), ...(isDryRun && { dry_run: true }) };
  await post('/filings', body, getHeaders(name));
});

const settling = combine({
  target,
  status: fc.constantFrom('filed', 'filed', 'filed', 'canceled', 'canceled', 'closing'),
  isForeign: seldom(fc.constant(true), 10),
  isNewest: fc.boolean(),
  number: fc.constantFrom('c-1', 'c-1', 'c-1', 'c-2', null),
  // The number of acknowledged exceptions in excess of the actual number; `null` sends no acknowledgment.
  more: fc.constantFrom(0, 0, 0, 0, 1, null),
  key,
});

/** Reads the number of exceptions. The model only bounds it: it depends on how a tax was distributed over states. */
const seeExceptions = async (model: Model, world: World, at: Side, filing: Filing): Promise<void> => {
  const { body } = await ask(model, world, at, 'GET', `/filings/${filing.id}`);
  const { count = -1 } = body.exceptions ?? {};
  const book = model.books[at];
  const bounds = [exceptionsAtLeast(book, filing.members), exceptionsAtMost(book, filing.members)] as const;
  must(bounds[0] <= count && count <= bounds[1], `${count} exceptions are not from ${bounds[0]} to ${bounds[1]}.`);
  filing.exceptions = count;
};

export const settle = command('Settle', settling, async (wish, { model, world, side, book, other, post }) => {
  const { filings } = wish.isForeign ? other : book;
  const filing = wish.isNewest ? filings.at(-1) : filings[wish.target % filings.length];
  if (!filing) return;
  const { status, number, more } = wish;
  if (!wish.isForeign) await seeExceptions(model, world, side, filing);
  const acknowledged = more === null ? {} : { acknowledge_exceptions: filing.exceptions + more };
  const body = { status, ...(status === 'filed' && number && { confirmation_number: number, ...acknowledged }) };
  await post(`/filings/${filing.id}`, body, getHeaders(wish.key));
});

/** All filings as returned, newest first. */
export const readFilings = command('ReadFilings', target, async (number, { book: { filings }, other, get }) => {
  const { body } = await get('/filings?limit=100');
  const rows = filings.toReversed().map(({ id, status }) => [id, status]);
  same(
    body.data.map(({ id, status }) => [id, status]),
    rows,
    'The filings',
  );
  const filing = filings[number % filings.length];
  if (filing) {
    const response = await get(`/filings/${filing.id}?expand=entries&limit=100`);
    const { entries, ...body } = response.body;
    mustBeFiling({ ...body, entries: null }, filing);
    const members = entries.data.map((entry) => entry.transaction_id);
    // A canceled filing has released its entries.
    const kept = filing.status === 'canceled' ? [] : filing.members.toSorted();
    same(members.sort(), kept, 'The members of a filing');
  }
  const [foreign] = other.filings;
  if (foreign) mustBeRefused(await get(`/filings/${foreign.id}`), [refusal('not_found')]);
});

/** Records the redaction of a transaction. */
const redact = (entry: Entry, nowMs: number): void => {
  const view = getView(entry, nowMs);
  const at = instant(nowMs);
  const after: Body = { ...JSON.parse(impersonal(view)), redacted_at: at };
  const names = Object.keys(after) as (keyof Body)[];
  const fields = names.filter((name) => !isDeepStrictEqual(after[name], view[name]));
  change(entry, nowMs, { ...after, updated_at: at, version: view.version + 1 }, fields);
};

/** An operator removes the personal data of one transaction. */
export const redaction = command('Redact', target, async (number, { model, world, side, book, noted }) => {
  const entry = book.entries.get(pick(book, number)?.id ?? '');
  if (!entry) return;
  const isRedacted = entry.body.redacted_at !== undefined;
  await world.advance(1);
  model.nowMs++;
  const outcome = await world.redact(side, noted(entry.body.id));
  same(outcome, isRedacted ? 'already' : 'redacted', 'The outcome of a redaction');
  if (!isRedacted) redact(entry, model.nowMs);
});

const pauses = [1000, 60_000, hourMs - 3, hourMs, 12 * hourMs, 24 * hourMs - 5, 24 * hourMs, 30 * 24 * hourMs];

/**
 * Moves the clock up to a deadline or past it. Drafts last a day in one account and an hour in the other. Keys last a
 * day.
 */
export const advance = command('Advance', fc.constantFrom(...pauses), async (byMs, { model, world }) => {
  await world.advance(byMs);
  model.nowMs += byMs;
});

export const sweep = command('Sweep', fc.constant(null), async (_, { model, world }) => {
  const expired = model.books
    .flatMap(({ entries }) => [...entries.values()])
    .filter((entry) => isExpired(entry, model.nowMs) && !entry.isSettled);
  const { voided, ...others } = await world.sweep();
  same(others, { skipped: 0, complete: true }, 'What a sweep leaves');
  if (world.isAlone) same(voided, expired.length, 'What a sweep voids');
  for (const entry of expired) entry.isSettled = true;
});

const reversed = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, inner]) => [name, reversed(inner)]),
      )
    : value;

const repeated = combine({
  number: fc.nat(39),
  isKeyed: fc.boolean(),
  way: fc.constantFrom('same', 'same', 'reversed', 'changed'),
});

/** Repeats an earlier request: the same, with its keys in a different order, or changed. */
export const repeat = command('Repeat', repeated, async ({ isKeyed, number, way }, { book: { sent }, post }) => {
  const keyed = sent.filter(({ headers }) => 'Idempotency-Key' in headers);
  const from = isKeyed && keyed.length > 0 ? keyed : sent;
  const first = from[number % from.length];
  if (!first) return;
  const bodies: Record<string, unknown> = {
    same: first.body,
    reversed: reversed(first.body),
    changed: { ...first.body, metadata: { a: `again ${canonical(first.body).length % 3}` } },
  };
  // A changed filing request would return a warning about the unknown field `metadata`.
  const isChanged = way === 'changed' && !first.path.startsWith('/filings');
  const body = way === 'changed' && !isChanged ? first.body : bodies[way];
  await post(first.path, body as Requested, first.headers);
});
