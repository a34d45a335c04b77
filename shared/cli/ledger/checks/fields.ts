import { differing, type Fault, faultUnless } from '../../../ledger/invariants.ts';
import { expireIfDue, isExpiredDraft } from '../../../ledger/lifecycle.ts';
import type { StoredTransaction, Transaction } from '../../../ledger/transaction.ts';
import type { Item } from '../../../store/ledger/ledger-walk.ts';
import { transactionItem } from '../../../store/ledger/transaction-item.ts';

// Compressed attributes are read, but not compared: another compressor version may write other bytes.
const isCompressed = (value: unknown) => value instanceof Uint8Array;

/** Check that the attributes for conditions, lists and operators match the compressed transaction. */
export const attributeFaults = (account: string, item: Item, stored: StoredTransaction): Fault[] => {
  const expected: Item = transactionItem(account, stored);
  const names = [...new Set([...Object.keys(expected), ...Object.keys(item)])];
  return names
    .filter((name) => !(isCompressed(item[name]) && isCompressed(expected[name])))
    .flatMap((name) => differing(`attribute ${name}`, item[name], expected[name]));
};

const what = 'claim on its reference_id';

/** A transaction that holds its reference has the claim, with a deadline only if it is a draft. */
export const missingClaimFaults = ({ id, status, expires_at }: Transaction, claim: Item | undefined): Fault[] => {
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
export const leftoverClaimFaults = (
  transaction: Transaction,
  claim: Item | undefined,
  holder: Transaction | undefined,
  nowMs: number,
): Fault[] => {
  if (!claim || isPast(claim, nowMs)) return [];
  const owner = String(claim['transaction_id']);
  // An expired draft keeps its claim until another transaction takes the reference (decision 0005).
  if (owner === transaction.id) {
    const isLeft = isExpiredDraft(expireIfDue(transaction, nowMs)) && claim['expires_at'] === transaction.expires_at;
    return faultUnless(isLeft, what, 'kept', 'released');
  }
  const isHeld = holder?.reference_id === transaction.reference_id && holder.status !== 'void';
  return faultUnless(isHeld, what, owner, 'none, or the claim of a live transaction');
};

const isPast = ({ expires_at }: Item, nowMs: number) =>
  typeof expires_at === 'string' && Date.parse(expires_at) <= nowMs;
