import { auditEntry } from './audit.ts';
import type { Commit } from './ledger.ts';
import { expired } from './lifecycle.ts';
import type { StoredTransaction } from './transaction.ts';

/**
 * The write that makes an expired draft void in the table, as it has read since its deadline (interface decisions 4).
 *
 * The deadline is the time of the change, so that it comes out the same whoever writes it, and whenever.
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
