import type { Item } from '../../../store/ledger/ledger-walk.ts';
import { asOf, isExpired, isExpiredDraft } from '../../../transactions/lifecycle.ts';
import type { Transaction } from '../../../transactions/transaction.ts';
import { differing, type Fault } from '../finding.ts';

/** Whether a transaction holds its reference now: it is live, or a draft before its deadline. */
export const holdsReference = (transaction: Transaction, nowMs: number): boolean =>
  transaction.reference_id !== null && transaction.status !== 'void' && !isExpired(transaction, nowMs);

/** A live transaction's reference has a claim, which is its own and lasts as long as it does. */
export const heldFaults = ({ id, status, expires_at }: Transaction, claim: Item | undefined): Fault[] => {
  if (!claim) return [{ what: 'claim on its reference_id', actual: 'none', expected: id }];
  // A finalized transaction's claim without end: with a deadline another transaction could take the reference.
  const deadline = status === 'draft' && expires_at !== null ? new Date(expires_at).toISOString() : undefined;
  return [
    ...differing('claim on its reference_id', claim['transaction_id'], id),
    ...differing('deadline of its claim', claim['expires_at'], deadline),
  ];
};

/**
 * What no longer holds its reference has no claim on it, but one that is past its deadline; a claim of another
 * transaction is that of a live one with the same reference.
 */
export const releasedFaults = (
  transaction: Transaction,
  claim: Item | undefined,
  holder: Transaction | undefined,
  nowMs: number,
): Fault[] => {
  if (!claim) return [];
  const owner = String(claim['transaction_id']);
  if (owner !== transaction.id) {
    const isHolder =
      holder !== undefined && holder.reference_id === transaction.reference_id && holder.status !== 'void';
    return isHolder || isPast(claim, nowMs)
      ? []
      : [{ what: 'claim on its reference_id', actual: owner, expected: 'none, or that of a live transaction' }];
  }
  // An expired draft keeps its claim until another transaction takes the reference (decision 0005).
  const isLeft = isExpiredDraft(asOf(transaction, nowMs)) && claim['expires_at'] === transaction.expires_at;
  return isLeft || isPast(claim, nowMs)
    ? []
    : [{ what: 'claim on its reference_id', actual: 'kept', expected: 'released' }];
};

const isPast = ({ expires_at }: Item, nowMs: number) =>
  typeof expires_at === 'string' && Date.parse(expires_at) <= nowMs;
