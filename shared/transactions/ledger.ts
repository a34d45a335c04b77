import type { AuditEntry } from './audit.ts';
import type { OpenEntry } from './open-entries.ts';
import type { StoredTransaction, TransactionSummary } from './transaction.ts';

/** What the use cases need of the store: the port that shared/store implements on DynamoDB. */

/** A request that may be sent again: where its record lies, and what it must be the same as. */
export type Idempotency = {
  /** SHA-256 of method, path and key, hexadecimal. */
  readonly digest: string;
  /** SHA-256 of the canonical body and the resolved version. */
  readonly fingerprint: string;
  /** An answer's body as the client gets it, and so as it is saved; absent where that is the same. */
  readonly shape?: (body: string) => string;
};

/** An answer as it was given, to be given again byte for byte. */
export type SavedAnswer = {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type Replay = { readonly kind: 'replay'; readonly answer: SavedAnswer } | { readonly kind: 'key_reused' };

/** One transaction's part in a commit: its state before (its version is the condition) and after, and the audit entry. */
export type HeadChange = {
  readonly before: StoredTransaction | null;
  readonly after: StoredTransaction;
  readonly entry: AuditEntry;
};

/** Everything that must become true together (architecture, decision 5). */
export type Commit = {
  readonly account: string;
  /** The service's time in milliseconds, for deadlines in conditions. */
  readonly nowMs: number;
  readonly idempotency: (Idempotency & { readonly answer: SavedAnswer }) | null;
  readonly head: HeadChange;
  /** The parent of a credit, whose counters move with it. */
  readonly parent: HeadChange | null;
  readonly openEntries: { readonly post: readonly OpenEntry[]; readonly remove: readonly OpenEntry[] };
};

export type Committed =
  /** `isRepeat`: this very commit was there already, written by an earlier try or by somebody else. */
  | { readonly kind: 'committed'; readonly isRepeat?: true }
  | Replay
  | { readonly kind: 'reference_taken'; readonly transactionId: string }
  /** The transaction or its parent is no longer as it was read: read again. */
  | { readonly kind: 'stale' }
  /** An open entry has gone into a filing. */
  | { readonly kind: 'period_closed' };

export type Ledger = {
  readonly find: (account: string, id: string) => Promise<StoredTransaction | undefined>;
  /** Those of the transactions that there are, in one round trip; at most 100. */
  readonly findSome: (account: string, ids: readonly string[]) => Promise<readonly StoredTransaction[]>;
  readonly findReplay: (account: string, idempotency: Idempotency, nowMs: number) => Promise<Replay | undefined>;
  /** Both in one round trip. */
  readonly findWithReplay: (
    account: string,
    id: string,
    idempotency: Idempotency | null,
    nowMs: number,
  ) => Promise<{ readonly stored: StoredTransaction | undefined; readonly replay: Replay | undefined }>;
  readonly commit: (commit: Commit) => Promise<Committed>;
  /** Keep the answer to a request that changes nothing, on the condition that a commit would put on its record. */
  readonly saveAnswer: (
    account: string,
    idempotency: NonNullable<Commit['idempotency']>,
    nowMs: number,
  ) => Promise<{ readonly kind: 'committed' } | Replay>;
};

/** Which index answers a list, and from where (interface decisions 6). Newest first. */
export type ListQuery = {
  readonly index: 'by_account' | 'by_customer' | 'by_parent' | 'by_reference' | 'by_tax_date';
  /** The customer, parent or reference; `null` for the two indexes of the whole account. */
  readonly value: string | null;
  /** Bounds of the index's sort key, inclusive: ids, or instants of the tax date. */
  readonly from: string | null;
  readonly to: string | null;
  /** The row after which to go on. */
  readonly after: ListPosition | null;
  readonly limit: number;
};

/** A row's place in every index. */
export type ListPosition = { readonly id: string; readonly tax_date: string };

export type ListPage = {
  /** Transactions without their line items, as stored: an expired draft is still a draft here. */
  readonly rows: readonly TransactionSummary[];
  /** Where the index was left off; `null` at its end. */
  readonly next: ListPosition | null;
};

export type TransactionIndex = {
  /** One query of one index. */
  readonly page: (account: string, query: ListQuery) => Promise<ListPage>;
};

/** A draft whose deadline has passed, as the sparse index of drafts knows it. */
export type ExpiredDraft = { readonly account: string; readonly id: string; readonly expires_at: string };

export type DraftPage = {
  readonly drafts: readonly ExpiredDraft[];
  /** The draft after which there may be more; `null` at the end. */
  readonly next: ExpiredDraft | null;
};

export type DraftIndex = {
  /** How many shards the index has; the sweep works through them in parallel. */
  readonly shards: number;
  /** Up to `limit` expired drafts of one shard, oldest deadline first, after the one that is given. */
  readonly expired: (shard: number, nowMs: number, limit: number, after: ExpiredDraft | null) => Promise<DraftPage>;
};
