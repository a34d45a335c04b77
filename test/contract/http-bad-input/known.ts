import { exampleFilingId, exampleId } from '../../../shared/api/openapi/sample-requests.ts';
import type { Chance } from './chance.ts';

type Answered = {
  readonly id?: unknown;
  readonly data?: unknown;
  readonly next_cursor?: unknown;
  readonly entries?: { readonly next_cursor?: unknown } | null;
};

/** The ids and cursors of earlier responses, for later requests. */
export class Known {
  readonly #transactions: string[] = [];
  readonly #filings: string[] = [];
  readonly #cursors: string[] = ['2'];
  readonly #tags: string[] = ['"1"', '"2"', '*'];

  readonly note = (answered: unknown, tag: string | null): void => {
    const body = answered as Answered | null;
    if (tag !== null && this.#tags.length < 50) this.#tags.push(tag);
    for (const one of [body, ...(Array.isArray(body?.data) ? body.data : [])]) {
      if (typeof one?.id !== 'string') continue;
      if (one.id.startsWith('txn_') && !this.#transactions.includes(one.id)) this.#transactions.push(one.id);
      if (one.id.startsWith('fil_') && !this.#filings.includes(one.id)) this.#filings.push(one.id);
    }
    const cursor = body?.next_cursor ?? body?.entries?.next_cursor;
    if (typeof cursor === 'string' && this.#cursors.length < 50) this.#cursors.push(cursor);
  };

  readonly idFor = (path: string, chance: Chance): string =>
    path.startsWith('/filings') ? this.filing(chance) : this.transaction(chance);

  readonly transaction = (chance: Chance): string => chance.pick([exampleId, ...this.#transactions]);
  readonly filing = (chance: Chance): string => chance.pick([exampleFilingId, ...this.#filings]);
  readonly cursor = (chance: Chance): string => chance.pick(this.#cursors);
  readonly tag = (chance: Chance): string => chance.pick(this.#tags);
  readonly transactions = (): readonly string[] => this.#transactions;

  /** The ids of the document's examples, replaced by some that exist. */
  readonly inPlaceOfExamples = (text: string, chance: Chance): string =>
    text.replaceAll(exampleId, this.transaction(chance)).replaceAll(exampleFilingId, this.filing(chance));
}
