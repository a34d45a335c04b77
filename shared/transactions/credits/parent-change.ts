import { auditEntry } from '../audit.ts';
import type { HeadChange } from '../ledger.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import { takenBy, withCredited } from './remaining.ts';

/** A credit that is added to its parent's counters (`1n`) or removed from them (`-1n`). */
export type Move = { readonly credit: Transaction; readonly sign: 1n | -1n };

/**
 * The change of a parent when a credit is finalized or voided, or both when its tax changes: in the same write, as one
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
