import type { Problem } from '../problem.ts';
import type { Status, StoredTransaction, Transaction, TransactionSummary } from './transaction.ts';

/** The status changes that a client may request (specification 3; interface decisions 4). Only the service sets filed. */
const transitions: Readonly<Record<Status, readonly Status[]>> = {
  draft: ['finalized', 'void'],
  finalized: ['void'],
  filed: [],
  void: [],
};

/** The refusal of a status change that is not among the allowed ones, or `null`. */
export const statusProblem = (
  what: 'transaction' | 'filing',
  from: string,
  to: string,
  allowed: readonly string[],
): Problem | null =>
  allowed.includes(to)
    ? null
    : {
        code: 'conflict_invalid_status_transition',
        title: 'Status change not allowed',
        detail:
          allowed.length > 0
            ? `A ${from} ${what} can become ${allowed.join(' or ')}.`
            : `The status of a ${from} ${what} cannot change.`,
        source: { pointer: '/status' },
        meta: { from, to, allowed },
      };

/** The refusal of a transaction's status change that is not allowed, or `null`. */
export const transitionProblem = (from: Status, to: Status): Problem | null =>
  statusProblem('transaction', from, to, transitions[from]);

/** Whether a draft's deadline has passed, which counts before the sweep runs (interface decisions 4). */
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

/** A transaction as of now: an expired draft reads as void, as the sweep will write it. */
export const asOf = <Some extends Transaction | TransactionSummary>(transaction: Some, nowMs: number): Some =>
  isExpired(transaction, nowMs) ? expired(transaction) : transaction;

/** A stored transaction as of now. */
export const storedAsOf = (stored: StoredTransaction, nowMs: number): StoredTransaction =>
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
