import * as z from 'zod/mini';
import type { AuditEntry } from '../../ledger/audit.ts';
import type { Transaction } from '../../ledger/transaction.ts';
import { isExpiredDraft } from '../../ledger/transaction.ts';
import { auditKey } from '../keys.ts';

/**
 * The item of an audit entry. It is never deleted.
 *
 * `answer` is the digest of the idempotency record that has the state; no hash covers it. It has no attributes `id` and
 * `account`, because the indexes of the heads would list an item that has both.
 */
export const auditItem = (account: string, entry: AuditEntry, answer?: string): Record<string, unknown> => ({
  ...auditKey(account, entry.transactionId, entry.version),
  transaction_id: entry.transactionId,
  version: entry.version,
  at: entry.at,
  by: entry.by,
  from_status: entry.from,
  to_status: entry.to,
  fields: entry.fields,
  state_hash: entry.stateHash,
  previous_hash: entry.previousHash,
  // The head has the hash of the newest entry under the same name.
  audit_hash: entry.hash,
  ...(answer !== undefined && { answer }),
});

const Item = z.object({
  transaction_id: z.string(),
  version: z.int(),
  at: z.string(),
  by: z.string(),
  from_status: z.nullable(z.string()),
  to_status: z.string(),
  fields: z.array(z.string()),
  state_hash: z.string(),
  previous_hash: z.nullable(z.string()),
  audit_hash: z.string(),
});

/** The audit entry of an item. Throws where the item is not what `auditItem` makes. */
export const auditEntryFrom = (item: unknown): AuditEntry => {
  const read = Item.parse(item);
  return {
    transactionId: read.transaction_id,
    version: read.version,
    at: read.at,
    by: read.by,
    from: read.from_status,
    to: read.to_status,
    fields: read.fields,
    stateHash: read.state_hash,
    previousHash: read.previous_hash,
    hash: read.audit_hash,
  };
};

/**
 * The attribute of an audit entry from which the events of a status change are made (shared/events). Entries without a
 * status change have none. It is small, so that most entries take one write unit of 1 KB.
 */
export const statusChangeAttribute = ({ from, to }: AuditEntry, after: Transaction): Record<string, unknown> => {
  if (from === to) return {};
  const { type, reference_id, parent_transaction_id, currency, tax_date, total_amount, tax_amount } = after;
  return {
    about: {
      ...{ type, currency, tax_date, total_amount, tax_amount },
      ...(reference_id !== null && { reference_id }),
      ...(parent_transaction_id !== null && { parent_transaction_id }),
      ...(isExpiredDraft(after) && { expired: true }),
    },
  };
};
