import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { impersonal } from '../../support/committed-hash.ts';
import { type Body, change, type Entry, instant, type Model, same, viewOf, type World } from '../book.ts';
import { pick } from '../requests.ts';
import { side, target } from './parts.ts';
import { Step } from './step.ts';

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
