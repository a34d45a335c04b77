/** The requests and answers of an account's clients, the only input of the oracle. */
import type { Sent, Transaction } from './bodies.ts';
import type { Settings } from './settings.ts';
import { must, same } from './violation.ts';

/**
 * `unknown`: every reply was lost, and the client gave up. The request may or may not have had its effect, at most once.
 */
export type Outcome = 'pending' | 'accepted' | 'refused' | 'unknown';

/** A request for a new sale or credit. `name` is in its metadata. */
export type Creation = {
  readonly name: string;
  readonly body: Partial<Sent>;
  /** The name of the credited sale. */
  readonly parent: string | null;
  readonly idempotencyKey: string | null;
  outcome: Outcome;
  id: string | null;
};

/** A request to change a transaction. */
export type Change = {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
  outcome: Outcome;
};

export type Book = {
  /** The first letter of its names: `a` or `b`. */
  readonly letter: string;
  readonly key: string;
  readonly account: string;
  readonly createdDay: string;
  readonly settings: Settings;
  readonly creations: Map<string, Creation>;
  /** Keyed by the id of the transaction. */
  readonly changes: Map<string, Change[]>;
  /** The answers about each version of a transaction: `id version`. */
  readonly versions: Map<string, Seen>;
  /** When the first answer said that a transaction is finalized, by the service's clock and not before it. */
  readonly finalizedMs: Map<string, number>;
  /** Customers whose personal data was to be removed. */
  readonly redacted: Set<string>;
};

export const newBook = (fields: Pick<Book, 'letter' | 'key' | 'account' | 'createdDay' | 'settings'>): Book => ({
  ...fields,
  creations: new Map(),
  changes: new Map(),
  versions: new Map(),
  finalizedMs: new Map(),
  redacted: new Set(),
});

/** The fields that one version of a transaction has once and for all. */
const seenOf = (transaction: Transaction) => ({
  status: transaction.status,
  reference_id: transaction.reference_id,
  metadata: transaction.metadata,
  subtotal_amount: transaction.subtotal_amount,
  tax_amount: transaction.tax_amount,
  tax_date: transaction.tax_date,
  parent_transaction_id: transaction.parent_transaction_id,
});
type Seen = ReturnType<typeof seenOf>;

/** Note an answer; two answers about one version must say the same. */
export const note = (book: Book, transaction: Transaction, atMs: number): void => {
  const key = `${transaction.id} ${transaction.version}`;
  const [before, seen] = [book.versions.get(key), seenOf(transaction)];
  if (before) same(seen, before, `Two answers about version ${transaction.version} of ${transaction.id} differ.`);
  book.versions.set(key, seen);
  if (transaction.finalized_at !== null && !book.finalizedMs.has(transaction.id))
    book.finalizedMs.set(transaction.id, atMs);
};

export const noteCreation = (book: Book, creation: Creation): Creation => {
  must(!book.creations.has(creation.name), `The name ${creation.name} is used twice.`);
  book.creations.set(creation.name, creation);
  return creation;
};

export const noteChange = (book: Book, id: string, change: Change): Change => {
  book.changes.set(id, [...(book.changes.get(id) ?? []), change]);
  return change;
};
