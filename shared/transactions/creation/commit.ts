import { answerOf } from '../answer.ts';
import { auditEntry } from '../audit.ts';
import { parentAfter } from '../credits/parent-change.ts';
import type { Commit, Idempotency } from '../ledger.ts';
import { openEntriesOf } from '../open-entries.ts';
import type { Caller } from '../ports.ts';
import type { StoredTransaction } from '../transaction.ts';

/** The atomic writes of recording a transaction. */
export const commitOf = (
  stored: StoredTransaction,
  parent: StoredTransaction | null,
  idempotency: Idempotency | null,
  { account, credential }: Caller,
  nowMs: number,
): Commit => {
  const { transaction } = stored;
  const entry = auditEntry({
    before: null,
    after: transaction,
    at: transaction.created_at,
    by: credential,
    fields: [],
  });
  const isFinal = transaction.status === 'finalized';
  return {
    account: account.id,
    nowMs,
    idempotency: idempotency && { ...idempotency, answer: answerOf(201, transaction) },
    head: { before: null, after: { ...stored, auditHash: entry.hash }, entry },
    parent:
      parent && isFinal
        ? parentAfter(parent, [{ credit: transaction, sign: 1n }], transaction.created_at, credential)
        : null,
    openEntries: { post: isFinal ? openEntriesOf(transaction) : [], remove: [] },
  };
};
