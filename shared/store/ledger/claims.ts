import type { HeadChange } from '../../transactions/ledger.ts';
import { isExpired } from '../../transactions/lifecycle.ts';
import type { StoredTransaction } from '../../transactions/transaction.ts';
import { ttlSeconds } from '../client/ttl.ts';
import { claimKey } from '../keys.ts';

/** What a change of a transaction does to the claims on references, which only live transactions hold. */
export type ClaimChanges = { readonly take: string | null; readonly release: string | null };

const heldBy = (stored: StoredTransaction | null): string | null =>
  stored === null || stored.transaction.status === 'void' ? null : stored.transaction.reference_id;

const becomesFinal = ({ before, after }: HeadChange) =>
  before?.transaction.status === 'draft' && after.transaction.status !== 'draft';

/**
 * Which reference a change takes and which it releases (architecture, decision 5).
 *
 * A draft that is finalized takes its own again: the claim loses its deadline. An expired draft's claim is left alone:
 * it may be somebody else's by now, and is tidied away otherwise.
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

/** The claim of a live transaction on a reference. A draft's has the draft's deadline, after which it can be taken over. */
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
