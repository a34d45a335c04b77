import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { impersonal } from '../../support/committed-hash.ts';
import {
  type Body,
  change,
  type Entry,
  instant,
  isExpired,
  type Model,
  type Requested,
  same,
  viewOf,
  type World,
} from '../book.ts';
import { canonical, pick, write } from '../requests.ts';
import { type Generated, of, Step, side, target } from './parts.ts';

/** Write down that a transaction lost its personal data. */
const redact = (entry: Entry, nowMs: number): void => {
  const view = viewOf(entry, nowMs);
  const at = instant(nowMs);
  const after: Body = { ...JSON.parse(impersonal(view)), redacted_at: at };
  const names = Object.keys(after) as (keyof Body)[];
  const fields = names.filter((name) => !isDeepStrictEqual(after[name], view[name]));
  change(entry, nowMs, { ...after, updated_at: at, version: view.version + 1 }, fields);
};

/** An operator removes the personal data of one transaction. */
class Redact extends Step<number> {
  async run(model: Model, world: World): Promise<void> {
    const book = model.books[this.side];
    const entry = book.entries.get(pick(book, this.wish)?.id ?? '');
    if (!entry) return;
    const isRedacted = entry.body.redacted_at !== undefined;
    await world.advance(1);
    model.nowMs++;
    const outcome = await world.redact(this.side, this.noted(entry.body.id));
    same(outcome, isRedacted ? 'already' : 'redacted', 'The outcome of a redaction');
    if (!isRedacted) redact(entry, model.nowMs);
  }
}

export const redaction = fc.tuple(side, target).map(([at, wish]) => new Redact(at, wish));

const hourMs = 3_600_000;

class Advance extends Step<number> {
  async run(model: Model, world: World): Promise<void> {
    await world.advance(this.wish);
    model.nowMs += this.wish;
  }
}

/** Up to a deadline and past it: drafts of one account last a day, of the other an hour; keys count for a day. */
export const advance = fc
  .constantFrom(1000, 60_000, hourMs - 3, hourMs, 12 * hourMs, 24 * hourMs - 5, 24 * hourMs, 30 * 24 * hourMs)
  .map((byMs) => new Advance(0, byMs));

class Sweep extends Step<null> {
  async run(model: Model, world: World): Promise<void> {
    const expired = model.books
      .flatMap(({ entries }) => [...entries.values()])
      .filter((entry) => isExpired(entry, model.nowMs) && !entry.isSettled);
    const { voided, ...others } = await world.sweep();
    same(others, { skipped: 0, complete: true }, 'What a sweep leaves');
    if (world.isAlone) same(voided, expired.length, 'What a sweep voids');
    for (const entry of expired) entry.isSettled = true;
  }
}

export const sweep = fc.constant(null).map((wish) => new Sweep(0, wish));

const reversed = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, inner]) => [name, reversed(inner)]),
      )
    : value;

const repeated = of({
  number: fc.nat(39),
  isKeyed: fc.boolean(),
  way: fc.constantFrom('same', 'same', 'reversed', 'changed'),
});

/** A request that was sent before, sent again: the same, with its keys in another order, or changed. */
class Repeat extends Step<Generated<typeof repeated>> {
  async run(model: Model, world: World): Promise<void> {
    const { sent } = model.books[this.side];
    const keyed = sent.filter(({ headers }) => 'Idempotency-Key' in headers);
    const { isKeyed, number, way } = this.wish;
    const from = isKeyed && keyed.length > 0 ? keyed : sent;
    const first = from[number % from.length];
    if (!first) return;
    const bodies: Record<string, unknown> = {
      same: first.body,
      reversed: reversed(first.body),
      changed: { ...first.body, metadata: { a: `again ${canonical(first.body).length % 3}` } },
    };
    // Every other change of a filing warns.
    const isChanged = way === 'changed' && !first.path.startsWith('/filings');
    const body = way === 'changed' && !isChanged ? first.body : bodies[way];
    await write(model, world, this.side, this.noted({ ...first, body: body as Requested }));
  }
}

export const repeat = fc.tuple(side, repeated).map(([at, wish]) => new Repeat(at, wish));
