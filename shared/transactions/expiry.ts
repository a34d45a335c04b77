import { auditEntry } from './audit.ts';
import type { Commit } from './ledger.ts';
import { expired } from './lifecycle.ts';
import type { StoredTransaction } from './transaction.ts';

/**
 * The write that stores an expired draft as void. Reads already return it as void since its deadline (interface
 * decisions 4).
 *
 * The time of the change is the deadline, so that every writer writes the same.
 */
export const expiryOf = (stored: StoredTransaction, account: string, nowMs: number): Commit => {
  const transaction = expired(stored.transaction);
  const entry = auditEntry({
    before: stored,
    after: transaction,
    at: transaction.updated_at,
    by: 'draft_expired',
    fields: ['status'],
  });
  return {
    account,
    nowMs,
    idempotency: null,
    head: { before: stored, after: { ...stored, transaction, auditHash: entry.hash }, entry },
    parent: null,
    openEntries: { post: [], remove: [] },
  };
};
