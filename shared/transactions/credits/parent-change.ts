import { auditEntry } from '../audit.ts';
import type { HeadChange } from '../ledger.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import { takenBy, withCredited } from './remaining.ts';

/** What a credit takes from its parent (`1n`) or gives back to it (`-1n`). */
export type Move = { readonly credit: Transaction; readonly sign: 1n | -1n };

/**
 * What finalizing or voiding a credit does to its parent, or both where its tax changes: in the same write, as one
 * version (interface decisions 5.4).
 */
export const parentAfter = (parent: StoredTransaction, moves: readonly Move[], at: string, by: string): HeadChange => {
  const moved = moves.reduce(
    (stored, { credit, sign }) => withCredited(stored, takenBy(credit, parent.transaction), sign, at),
    parent,
  );
  const after = { ...moved, transaction: { ...moved.transaction, version: parent.transaction.version + 1 } };
  const fields = ['credited_amount', 'credited_tax_amount', 'refund_status'];
  const entry = auditEntry({ before: parent, after: after.transaction, at, by, fields });
  return { before: parent, after: { ...after, auditHash: entry.hash }, entry };
};
