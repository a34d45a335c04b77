import { auditEntry } from '../audit.ts';
import { type Move, parentAfter } from '../credits/parent-change.ts';
import type { Commit } from '../ledger.ts';
import { openEntriesOf } from '../open-entries.ts';
import type { Caller } from '../ports.ts';
import type { StoredTransaction } from '../transaction.ts';
import type { Plan } from './plan.ts';

/** The atomic writes of a change: the transaction, the sale of a credit, and the open entries. */
export const commitOf = (
  { next, fields }: Plan,
  before: StoredTransaction,
  parent: StoredTransaction | null,
  idempotency: Commit['idempotency'],
  { account, credential }: Caller,
): Commit => {
  const { transaction } = next;
  const at = transaction.updated_at;
  const entry = auditEntry({ before, after: transaction, at, by: credential, fields });
  const was = before.transaction.status;
  const isFinalized = was === 'draft' && transaction.status === 'finalized';
  const isReversed = was === 'finalized' && transaction.status === 'void';
  const isRetaxed = was === 'finalized' && transaction.status === 'finalized' && fields.includes('tax_amount');
  const moves: Move[] = [
    ...(isReversed || isRetaxed ? [{ credit: before.transaction, sign: -1n } as const] : []),
    ...(isFinalized || isRetaxed ? [{ credit: transaction, sign: 1n } as const] : []),
  ];
  return {
    account: account.id,
    nowMs: Date.parse(at),
    idempotency,
    head: { before, after: { ...next, auditHash: entry.hash }, entry },
    parent: parent && moves.length > 0 ? parentAfter(parent, moves, at, credential) : null,
    openEntries: {
      post: isFinalized || isRetaxed ? openEntriesOf(transaction) : [],
      remove: isReversed || isRetaxed ? openEntriesOf(before.transaction) : [],
    },
  };
};
