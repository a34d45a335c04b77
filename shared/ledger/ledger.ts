import type { AuditEntry } from './audit.ts';
import type { LiabilityEntry } from './entries/entry.ts';
import type { StoredTransaction, TransactionSummary } from './transaction.ts';

/** The storage ports of the use cases, which shared/store implements on DynamoDB. */

/** The identity of a request with an Idempotency-Key: the key of its record, and its fingerprint. */
export type Idempotency = {
  /** SHA-256 of method, path and key, hexadecimal. */
  readonly digest: string;
  /** SHA-256 of the canonical body and the resolved version. */
  readonly fingerprint: string;
};

/** The owner of the personal data in a saved response. A redaction finds the response by its owner. */
export type AnswerOwner = { readonly transaction: string } | { readonly customer: string };

/** A saved answer, to be returned again byte for byte. */
export type SavedResponse = {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type Replay = { readonly kind: 'replay'; readonly answer: SavedResponse } | { readonly kind: 'key_reused' };

/**
 * The change of one transaction in a commit: its state before (whose version is the condition) and after, and the audit
 * entry.
 */
export type HeadChange = {
  readonly before: StoredTransaction | null;
  readonly after: StoredTransaction;
  readonly entry: AuditEntry;
};

/** Writes that happen atomically. */
export type Commit = {
  readonly account: string;
  /** The service's time in milliseconds, for deadlines in conditions. */
  readonly nowMs: number;
  readonly idempotency: (Idempotency & { readonly answer: SavedResponse }) | null;
  readonly head: HeadChange;
  /** The change of a credit's parent, whose counters change in the same commit. */
  readonly parent: HeadChange | null;
  /** The id of a sale that must not have been redacted: a new draft credit has a copy of its personal data. */
  readonly unredacted?: string | undefined;
  readonly openEntries: { readonly post: readonly LiabilityEntry[]; readonly remove: readonly LiabilityEntry[] };
};

export type Committed =
  /** `isRepeat`: the same commit was already stored, by an earlier attempt or a concurrent writer. */
  | { readonly kind: 'committed'; readonly isRepeat?: true }
  | Replay
  | { readonly kind: 'reference_taken'; readonly transactionId: string }
  /** The transaction or its parent changed since it was read. Read again and retry. */
  | { readonly kind: 'stale' }
  /** A filing has the open entry. */
  | { readonly kind: 'period_closed' };

export type Ledger = {
  readonly find: (account: string, id: string) => Promise<StoredTransaction | undefined>;
  /** The transactions that exist, in one round trip; at most 100 ids. */
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
  /**
   * Store the idempotency record of a request that changes nothing, on the same condition as a commit, with a link from
   * its owner.
   */
  readonly saveAnswer: (
    account: string,
    idempotency: NonNullable<Commit['idempotency']>,
    nowMs: number,
    owner?: AnswerOwner,
  ) => Promise<{ readonly kind: 'committed' } | Replay>;
};

/** A query of one index, newest first. */
export type ListQuery = {
  readonly index: 'by_account' | 'by_customer' | 'by_parent' | 'by_reference' | 'by_tax_date' | 'credits';
  /** The customer, parent or reference; `null` for the three indexes of the whole account. */
  readonly value: string | null;
  /** Bounds of the index's sort key, inclusive: ids, or instants of the tax date. */
  readonly from: string | null;
  readonly to: string | null;
  /** The last row of the previous page. */
  readonly after: ListPosition | null;
  readonly limit: number;
  /** The conditions on rows. The database drops the others, so that they are neither sent nor unpacked. */
  readonly where?: RowConditions;
};

/** Attributes of a row as stored. `state` is a two-letter code. */
export type RowConditions = {
  readonly statuses?: readonly TransactionSummary['status'][];
  readonly type?: TransactionSummary['type'];
  readonly state?: string;
};

/** The position of a row in any index. `tax_date` is `null` in the position of an index that is not sorted by it. */
export type ListPosition = { readonly id: string; readonly tax_date: string | null };

export type ListPage = {
  /** Transactions without line items, as stored. An expired draft is still a draft here. */
  readonly rows: readonly TransactionSummary[];
  /** The number of rows that were read, with those that were dropped. */
  readonly read: number;
  /** The position at which reading stopped; `null` at the end of the index. */
  readonly next: ListPosition | null;
};

export type TransactionIndex = {
  /** One query of one index. */
  readonly page: (account: string, query: ListQuery) => Promise<ListPage>;
};

/** An expired draft in the sparse index of drafts. */
export type ExpiredDraft = { readonly account: string; readonly id: string; readonly expires_at: string };

type DraftPage = {
  readonly drafts: readonly ExpiredDraft[];
  /** The last draft of the page; `null` at the end. */
  readonly next: ExpiredDraft | null;
};

export type DraftIndex = {
  /** The number of shards. The sweep processes them in parallel. */
  readonly shards: number;
  /** Up to `limit` expired drafts of a shard after the given one, oldest deadline first. */
  readonly expired: (shard: number, nowMs: number, limit: number, after: ExpiredDraft | null) => Promise<DraftPage>;
};
