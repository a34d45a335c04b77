import { auditEntry } from '../audit.ts';
import type { HeadChange } from '../ledger.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import { takenBy, withCredited } from './remaining.ts';

/** What finalizing (`1n`) or voiding (`-1n`) a credit does to its parent, in the same write (interface decisions 5.4). */
export const parentAfter = (
  parent: StoredTransaction,
  credit: Transaction,
  sign: 1n | -1n,
  at: string,
  by: string,
): HeadChange => {
  const after = withCredited(parent, takenBy(credit, parent.transaction), sign, at);
  const fields = ['credited_amount', 'credited_tax_amount', 'refund_status'];
  const entry = auditEntry({ before: parent, after: after.transaction, at, by, fields });
  return { before: parent, after: { ...after, auditHash: entry.hash }, entry };
};
