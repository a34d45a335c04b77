import type { Item } from '../../../store/ledger/ledger-walk.ts';
import { asOf, isExpired, isExpiredDraft } from '../../../transactions/lifecycle.ts';
import type { Transaction } from '../../../transactions/transaction.ts';
import { differing, type Fault, faultUnless } from '../finding.ts';

const what = 'claim on its reference_id';

/** Whether a transaction holds its reference now: it is live, or a draft before its deadline. */
export const holdsReference = (transaction: Transaction, nowMs: number): boolean =>
  transaction.reference_id !== null && transaction.status !== 'void' && !isExpired(transaction, nowMs);

/** A transaction that holds its reference has the claim, with a deadline only if it is a draft. */
export const heldFaults = ({ id, status, expires_at }: Transaction, claim: Item | undefined): Fault[] => {
  if (!claim) return [{ what, actual: 'none', expected: id }];
  // With a deadline, another transaction could take the reference of a finalized one.
  const deadline = status === 'draft' && expires_at !== null ? new Date(expires_at).toISOString() : undefined;
  return [
    ...differing(what, claim['transaction_id'], id),
    ...differing('deadline of its claim', claim['expires_at'], deadline),
  ];
};

/**
 * A transaction that no longer holds its reference has no claim on it, except after the deadline. A claim of another
 * transaction belongs to a live one with the same reference.
 */
export const releasedFaults = (
  transaction: Transaction,
  claim: Item | undefined,
  holder: Transaction | undefined,
  nowMs: number,
): Fault[] => {
  if (!claim || isPast(claim, nowMs)) return [];
  const owner = String(claim['transaction_id']);
  // An expired draft keeps its claim until another transaction takes the reference (decision 0005).
  if (owner === transaction.id) {
    const isLeft = isExpiredDraft(asOf(transaction, nowMs)) && claim['expires_at'] === transaction.expires_at;
    return faultUnless(isLeft, what, 'kept', 'released');
  }
  const isHeld = holder?.reference_id === transaction.reference_id && holder.status !== 'void';
  return faultUnless(isHeld, what, owner, 'none, or that of a live transaction');
};

const isPast = ({ expires_at }: Item, nowMs: number) =>
  typeof expires_at === 'string' && Date.parse(expires_at) <= nowMs;
