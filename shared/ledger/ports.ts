import type { Account } from '../accounts/account.ts';
import type { RemainingMs } from '../base/contention.ts';
import { accept, type Problem, type Result, refuse } from '../base/result.ts';
import type { FindCertificates } from '../calculations/certificates.ts';
import type { LoadContent } from '../catalog/content.ts';
import type { HeadChange } from './audit.ts';
import type { LiabilityEntry } from './entries/entry.ts';
import type { Page } from './page-limit.ts';
import {
  type NextTransaction,
  oppositeType,
  type StoredTransaction,
  type Transaction,
  type TransactionSummary,
} from './transaction.ts';

/** Storage ports of the use cases, implemented on DynamoDB by shared/store. */

/** The identity of a request with an Idempotency-Key: the digest that locates its record, and the request's fingerprint. */
export type Idempotency = {
  /** SHA-256 of method, path and key, in hexadecimal. */
  readonly digest: string;
  /** SHA-256 of the canonical body and the resolved version. */
  readonly fingerprint: string;
};

/** The owner of the personal data in a saved response. A redaction finds the response by its owner. */
export type ResponseOwner = { readonly transaction: string } | { readonly customer: string };

/** The owner with the stored version that the response was built from. */
export type SeenOwner = ResponseOwner & { readonly version: number };

/** A saved response, replayed byte for byte. */
export type SavedResponse = {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type Replay = { readonly kind: 'replay'; readonly response: SavedResponse } | { readonly kind: 'key_reused' };

/** Writes that are committed atomically. */
export type Commit = {
  readonly account: string;
  /** The service's time in milliseconds, for deadlines in conditions. */
  readonly nowMs: number;
  readonly idempotency: (Idempotency & { readonly response: SavedResponse }) | null;
  readonly head: HeadChange;
  /** The change to a credit's parent, whose counters are updated in the same commit. */
  readonly parent: HeadChange | null;
  /** The transaction that a new one replaces: it becomes void, and leaves its reference_id to the new one. */
  readonly replaced?: HeadChange | undefined;
  /** The id of a sale that must not be redacted: a new draft credit copies its personal data. */
  readonly unredacted?: string | undefined;
  readonly openEntries: { readonly post: readonly LiabilityEntry[]; readonly remove: readonly LiabilityEntry[] };
};

export type Committed =
  /** `isRepeat`: the same commit was already stored, by an earlier attempt or a concurrent writer. */
  | { readonly kind: 'committed'; readonly isRepeat?: true }
  | Replay
  | { readonly kind: 'reference_taken'; readonly transactionId: string }
  /** The transaction or its parent has changed since it was read. Read again and retry. */
  | { readonly kind: 'stale' }
  /** The open entry has moved to a filing. */
  | { readonly kind: 'period_closed' };

export type Ledger = {
  readonly find: (account: string, id: string) => Promise<StoredTransaction | undefined>;
  /** Returns the transactions that exist, in one round trip. At most 100 ids. */
  readonly findSome: (account: string, ids: readonly string[]) => Promise<readonly StoredTransaction[]>;
  readonly findReplay: (account: string, idempotency: Idempotency, nowMs: number) => Promise<Replay | undefined>;
  /** Returns both results in one round trip. */
  readonly findWithReplay: (
    account: string,
    id: string,
    idempotency: Idempotency | null,
    nowMs: number,
  ) => Promise<{ readonly stored: StoredTransaction | undefined; readonly replay: Replay | undefined }>;
  readonly commit: (commit: Commit) => Promise<Committed>;
  /**
   * Stores the idempotency record of a request that changes nothing, on the same condition as a commit, with a link
   * from its owner. `stale`: the owner has changed since it was read, or no longer exists. The response may then contain
   * data that a redaction removed.
   */
  readonly saveResponse: (
    account: string,
    idempotency: NonNullable<Commit['idempotency']>,
    nowMs: number,
    owner?: SeenOwner,
  ) => Promise<{ readonly kind: 'committed' } | { readonly kind: 'stale' } | Replay>;
};

/** A query of one index, newest first. */
export type ListQuery = {
  readonly index: 'by_account' | 'by_customer' | 'by_parent' | 'by_reference' | 'by_tax_date' | 'credits';
  /** The customer, parent or reference; `null` for the three indexes of the whole account. */
  readonly value: string | null;
  /** Inclusive bounds of the index's sort key: ids, or timestamps of the tax date. */
  readonly from: string | null;
  readonly to: string | null;
  /** The last row of the previous page. */
  readonly after: ListPosition | null;
  readonly limit: number;
  /** Filter conditions. The database drops rows that do not match, so they are not transferred or decoded. */
  readonly where?: RowConditions;
};

/** Attributes of a row as stored. `state` is a two-letter code. */
export type RowConditions = {
  readonly statuses?: readonly TransactionSummary['status'][];
  readonly type?: TransactionSummary['type'];
  readonly state?: string;
};

/** The position of a row in any index. `tax_date` is `null` if the index is not sorted by it. */
export type ListPosition = { readonly id: string; readonly tax_date: string | null };

export type ListPage = {
  /** Transactions without line items, as stored. An expired draft is still a draft here. */
  readonly rows: readonly TransactionSummary[];
  /** The number of rows read, including dropped rows. */
  readonly read: number;
  /** The position at which reading stopped; `null` at the end of the index. */
  readonly next: ListPosition | null;
};

export type TransactionIndex = {
  /** Runs one query of one index. */
  readonly page: (account: string, query: ListQuery) => Promise<ListPage>;
};

/** An expired draft in the sparse index of drafts. */
export type ExpiredDraft = { readonly account: string; readonly id: string; readonly expires_at: string };

export type DraftIndex = {
  /** The number of shards. The sweep processes them in parallel. */
  readonly shards: number;
  /** Returns up to `limit` expired drafts of a shard after the given one, oldest deadline first. */
  readonly expired: (
    shard: number,
    nowMs: number,
    limit: number,
    after: ExpiredDraft | null,
  ) => Promise<Page<ExpiredDraft, ExpiredDraft>>;
};

/** The caller: account and credential. */
export type Caller = {
  readonly account: Account;
  /** The credential's public name (`key_…`, or `token:` and a token's subject), for the audit trail. Never the secret. */
  readonly credential: string;
};

/** The ports of the use cases. */
export type Ports = {
  readonly ledger: Ledger;
  readonly loadContent: LoadContent;
  readonly customers: { readonly findSome: FindCertificates };
  /** Returns the service's time in milliseconds. */
  readonly now: () => number;
  /** Whether a transaction fits into an item. New amounts also need room for credit counters. */
  readonly fitsItemLimit: (stored: NextTransaction, figures: 'new' | 'kept') => boolean;
  readonly remainingMs: RemainingMs;
};

/** The ports for creating a transaction. */
export type CreatePorts = Ports & { readonly newId: (timeMs: number) => string };

/**
 * Builds the response for a transaction, with its version as the ETag.
 *
 * `Location` is relative to the request's path, because functions do not receive the deployed stage.
 */
export const transactionResponse = (status: 200 | 201, transaction: Transaction): SavedResponse => ({
  status,
  body: JSON.stringify(transaction),
  headers: { ETag: `"${transaction.version}"`, ...(status === 201 && { Location: `transactions/${transaction.id}` }) },
});

/**
 * Returns the saved response of a repeated request, marked with the header Idempotent-Replayed, or an error if a
 * different request used the same key.
 */
export const repeatResponse = (replay: Replay): Result<SavedResponse> =>
  replay.kind === 'replay'
    ? accept({ ...replay.response, headers: { ...replay.response.headers, 'Idempotent-Replayed': 'true' } })
    : refuse({
        code: 'idempotency_key_reused',
        title: 'Idempotency-Key used before',
        detail:
          'A different request used this key in the last 24 hours. Reuse a key only to retry the identical request.',
        source: { header: 'Idempotency-Key' },
      });

/**
 * Responds to a request that changed nothing. Its idempotency record is still written, on the same condition. `stale`:
 * the owner has changed since it was read.
 */
export const saveUnchanged = async (
  account: string,
  response: SavedResponse,
  idempotency: Idempotency | null,
  { ledger, now }: Pick<Ports, 'now'> & { readonly ledger: Pick<Ledger, 'saveResponse'> },
  owner?: SeenOwner,
): Promise<Result<SavedResponse> | 'stale'> => {
  const saved = idempotency && (await ledger.saveResponse(account, { ...idempotency, response }, now(), owner));
  if (saved?.kind === 'stale') return 'stale';
  return saved && saved.kind !== 'committed' ? repeatResponse(saved) : accept(response);
};

/** Returns the problem of a change to a transaction whose open entry has moved to a filing. */
export const periodClosed = (transaction: Transaction, pointer: string): Problem => ({
  code: 'conflict_period_closed',
  title: 'Period closed',
  detail: `A filing includes this transaction. Record a ${oppositeType(transaction)} instead.`,
  source: { pointer },
});

export const referenceTaken = (
  transactionId: string,
  { reference_id }: Pick<Transaction, 'reference_id'>,
): Problem => ({
  code: 'conflict_duplicate_reference_id',
  title: 'Duplicate reference_id',
  detail: `${transactionId} has the reference_id ${reference_id}. If that is your earlier attempt, use it. Otherwise send a different reference_id.`,
  source: { pointer: '/reference_id' },
  meta: { transaction_id: transactionId },
});

/** Returns the problem of a document whose response would exceed Lambda's limit. Checked before anything is stored. */
export const responseTooLarge = ({ explanation }: Pick<Transaction, 'explanation'>): Problem => ({
  code: 'validation_body_too_large',
  title: 'Response too large',
  detail: `The response would exceed 6 MB. ${explanation ? 'Leave out explain, or split' : 'Split'} the document into several.`,
});

export const tooLarge: Problem = {
  code: 'validation_body_too_large',
  title: 'Too large to store',
  detail:
    'The transaction exceeds the size limit of 300 KB after compression, which includes room for its credits. Split it into several.',
};

export const notFound: Problem = {
  code: 'not_found',
  title: 'Not Found',
  detail:
    'No transaction of this account has this id. To find one by your own id, send GET /transactions?reference_id=… instead.',
};

/** Returns the problem of a change whose If-Match does not include the current version. */
export const otherVersion = (version: number, resource: 'transaction' | 'customer' = 'transaction'): Problem => ({
  code: 'precondition_failed',
  title: 'Precondition Failed',
  detail: `The ${resource} is at version ${version}. Read it again, then retry with the new ETag.`,
  source: { header: 'If-Match' },
  meta: { version },
});

/** The progress of a daily sweep: its day, and the last account checked. */
export type SweepPosition = { readonly day: string; readonly after: string | null; readonly isDone: boolean };

/** The stored position of a daily sweep. */
export type SweepPositions = {
  readonly read: () => Promise<SweepPosition | null>;
  /** Advances the sweep from the position that was read. Returns `false` if a concurrent run moved it. */
  readonly move: (before: SweepPosition | null, after: SweepPosition) => Promise<boolean>;
};

/** The reads of all accounts, for a sweep. */
export type AccountReads = {
  /** A page of the register of accounts. */
  readonly accountIds: (after: string | null) => Promise<Page<string>>;
  /** Returns the existing accounts of these ids. An unreadable account throws when its function is called. */
  readonly findAccounts: (ids: readonly string[]) => Promise<ReadonlyMap<string, () => Account>>;
};
