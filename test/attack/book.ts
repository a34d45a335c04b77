/** The requests and responses of an account's clients, which are the only input of the oracle. */
import type { Sent, Settings, Transaction } from './draw.ts';
import { must, same } from './violation.ts';

/** `unknown`: every reply was lost, and the client gave up. The request was applied at most once. */
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
  /** The responses with each version of a transaction, by `id version`. */
  readonly versions: Map<string, Seen>;
  /** The service's time when a response first reported the transaction as finalized, or slightly later. */
  readonly finalizedMs: Map<string, number>;
  /** Customers whose redaction was requested. */
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

/** The fields that never change within a version of a transaction. */
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

/** Records a response. Two responses with the same version must be equal. */
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
