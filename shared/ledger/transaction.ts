import type * as z from 'zod/mini';
import type { Problem } from '../base/result.ts';
import type * as response from './response.ts';
import type { RecordedBasis } from './settings-snapshot.ts';

/** A transaction as the API returns it. Types only, so no function builds response schemas at run time. */
export type Transaction = z.infer<typeof response.Transaction>;

/** Returns the type of the correcting transaction if voiding is not possible: a credit for a sale, a sale for a credit. */
export const oppositeType = ({ type }: Pick<Transaction, 'type'>): Transaction['type'] =>
  type === 'credit' ? 'sale' : 'credit';

/** A transaction in the indexes. Line items and explanation are null, which preserves the order of keys. */
export type TransactionSummary = Omit<Transaction, 'line_items' | 'explanation'> & {
  readonly line_items: null;
  readonly explanation: null;
};

/** Net and tax, in minor units. */
export type Share = { readonly net: bigint; readonly tax: bigint };

export type Bases = { readonly taxable: bigint; readonly exempt: bigint };

/** `calculated` is the calculated tax. It differs from `tax` if a different tax was recorded. */
export type RowAmounts = Bases & { readonly tax: bigint; readonly calculated: bigint };

/**
 * The amounts of a line or shipping charge and of its rows, in order: recorded, credited so far, or credited now.
 *
 * Each amount has a counter because none can be derived from the others: taxes may be supplied, discounts sent, and
 * credits voided in any order. The credits of a line must still add up to every recorded amount.
 */
export type Amounts = Share &
  Bases & { readonly discount: bigint; readonly third_party_discount: bigint; readonly rows: readonly RowAmounts[] };

/** The amounts of live credits by id of the sale's line or shipping charge, and of credit lines that match none. */
export type Credited = { readonly charges: ReadonlyMap<string, Amounts>; readonly unmatched: Share };

/** A stored transaction: the API response, and internal fields. */
export type StoredTransaction = RecordedBasis & {
  readonly transaction: Transaction;
  /** The amounts of a sale's live credits. */
  readonly credited: Credited;
  /**
   * Commitments to the personal data, which the state hash covers instead of the data (personal-data/fields.ts): their
   * salt, or their digest after a redaction.
   */
  readonly commitments: { readonly salt: string } | { readonly digest: string };
  /** The hash of the newest audit entry. */
  readonly auditHash: string;
};

/** The next state of a transaction, before the commit that stores it adds the audit entry. */
export type NextTransaction = Omit<StoredTransaction, 'auditHash'>;

/** Whether a draft's deadline has passed. It takes effect even before the sweep runs. */
export const isExpired = ({ status, expires_at }: Pick<Transaction, 'status' | 'expires_at'>, nowMs: number): boolean =>
  status === 'draft' && expires_at !== null && Date.parse(expires_at) <= nowMs;

/** The void_reason of expired drafts. Only the service sets it. */
export const expiredReason = 'draft_expired';

/** Whether a void transaction is an expired draft. */
export const isExpiredDraft = ({ void_reason, voided_at, expires_at }: Transaction): boolean =>
  void_reason === expiredReason && voided_at !== null && voided_at === expires_at;

/** Returns the void transaction that the sweep writes for an expired draft. */
export const expired = <Some extends Transaction | TransactionSummary>(transaction: Some): Some => ({
  ...transaction,
  status: 'void',
  void_reason: expiredReason,
  voided_at: transaction.expires_at,
  updated_at: transaction.expires_at as string,
  version: transaction.version + 1,
});

/** Returns an expired draft as the void transaction that the sweep will write, and any other transaction unchanged. */
export const expireIfDue = <Some extends Transaction | TransactionSummary>(transaction: Some, nowMs: number): Some =>
  isExpired(transaction, nowMs) ? expired(transaction) : transaction;

/** Applies `expireIfDue` to a stored transaction. */
export const expireStoredIfDue = (stored: StoredTransaction, nowMs: number): StoredTransaction =>
  isExpired(stored.transaction, nowMs) ? { ...stored, transaction: expired(stored.transaction) } : stored;

/** Returns the problem of finalizing or editing a draft after its deadline. */
export const draftExpired = ({ expires_at }: Transaction): Problem => ({
  code: 'conflict_draft_expired',
  title: 'Draft expired',
  detail: `Its deadline was ${expires_at}. Create the transaction again; its reference_id is free.`,
  source: { pointer: '/status' },
});

/** Whether a transaction is live: finalized or filed. */
export const isLive = ({ status }: Pick<Transaction, 'status'>): boolean =>
  status === 'finalized' || status === 'filed';
