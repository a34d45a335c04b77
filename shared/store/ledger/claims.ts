import type { HeadChange } from '../../transactions/ledger.ts';
import { isExpired } from '../../transactions/lifecycle.ts';
import type { StoredTransaction } from '../../transactions/transaction.ts';
import { claimKey } from '../keys.ts';
import { ttlSeconds } from './idempotency-item.ts';

/** The reference_id that a change claims, and the one that it releases. Void transactions have no claim. */
export type ClaimChanges = { readonly take: string | null; readonly release: string | null };

const heldBy = (stored: StoredTransaction | null): string | null =>
  stored === null || stored.transaction.status === 'void' ? null : stored.transaction.reference_id;

const becomesFinal = ({ before, after }: HeadChange) =>
  before?.transaction.status === 'draft' && after.transaction.status !== 'draft';

/**
 * Decide which reference_id a change claims and which it releases (architecture, decision 5).
 *
 * Finalizing a draft claims its reference_id again, without the deadline. The claim of an expired draft is not released:
 * another transaction may have taken it over; otherwise its TTL removes it.
 */
export const claimChanges = (change: HeadChange, nowMs: number): ClaimChanges => {
  const held = heldBy(change.before);
  const holds = heldBy(change.after);
  const mayHaveLostIt = change.before !== null && isExpired(change.before.transaction, nowMs);
  return {
    take: holds !== held || becomesFinal(change) ? holds : null,
    release: holds !== held && !mayHaveLostIt ? held : null,
  };
};

/** The claim of a live transaction on a reference_id. A draft's claim can be taken over after the draft's deadline. */
export const claimItem = (
  account: string,
  reference: string,
  { transaction: { id, status, expires_at } }: StoredTransaction,
): Record<string, unknown> => ({
  ...claimKey(account, reference),
  transaction_id: id,
  ...(status === 'draft' &&
    expires_at !== null && {
      expires_at: new Date(expires_at).toISOString(),
      ttl: ttlSeconds(Date.parse(expires_at)),
    }),
});
