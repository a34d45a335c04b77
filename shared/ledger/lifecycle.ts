import type { Problem } from '../base/problem.ts';
import type { StoredTransaction, Transaction, TransactionSummary } from './transaction.ts';

/** Whether a draft's deadline has passed, which counts before the sweep runs. */
export const isExpired = ({ status, expires_at }: Pick<Transaction, 'status' | 'expires_at'>, nowMs: number): boolean =>
  status === 'draft' && expires_at !== null && Date.parse(expires_at) <= nowMs;

/** The void_reason of expired drafts, which only the service sets. */
export const expiredReason = 'draft_expired';

/** Whether a void transaction is an expired draft. */
export const isExpiredDraft = ({ void_reason, voided_at, expires_at }: Transaction): boolean =>
  void_reason === expiredReason && voided_at !== null && voided_at === expires_at;

/** The void transaction that the sweep writes for an expired draft. */
export const expired = <Some extends Transaction | TransactionSummary>(transaction: Some): Some => ({
  ...transaction,
  status: 'void',
  void_reason: expiredReason,
  voided_at: transaction.expires_at,
  updated_at: transaction.expires_at ?? transaction.updated_at,
  version: transaction.version + 1,
});

/** Return an expired draft as the void transaction that the sweep will write, and any other transaction unchanged. */
export const expireIfDue = <Some extends Transaction | TransactionSummary>(transaction: Some, nowMs: number): Some =>
  isExpired(transaction, nowMs) ? expired(transaction) : transaction;

/** `expireIfDue` for a stored transaction. */
export const expireStoredIfDue = (stored: StoredTransaction, nowMs: number): StoredTransaction =>
  isExpired(stored.transaction, nowMs) ? { ...stored, transaction: expired(stored.transaction) } : stored;

/** The refusal of finalizing or editing a draft after its deadline. */
export const draftExpired = ({ expires_at }: Transaction): Problem => ({
  code: 'conflict_draft_expired',
  title: 'Draft expired',
  detail: `Its deadline was ${expires_at}. Create the transaction again; its reference_id is free.`,
  source: { pointer: '/status' },
});

/** Whether a transaction counts: it is finalized or filed. */
export const isLive = ({ status }: Pick<Transaction, 'status'>): boolean =>
  status === 'finalized' || status === 'filed';
