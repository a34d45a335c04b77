import { AuditEntry } from '../../ledger/audit.ts';
import { isExpiredDraft, type Transaction } from '../../ledger/transaction.ts';
import { defineItem, type Item } from '../define-item.ts';
import { auditKey } from '../keys.ts';

const items = defineItem({ key: auditKey, schema: AuditEntry });

/**
 * The item of an audit entry. It is never deleted.
 *
 * `answer` is the digest of the idempotency record that has the state; no hash covers it. It has no attributes `id` and
 * `account`, because the indexes of the heads would list an item that has both.
 */
export const auditItem = (account: string, entry: AuditEntry, answer?: string): Item => ({
  ...items.write([account, entry.transactionId, entry.version], entry),
  ...(answer !== undefined && { answer }),
});

/** The audit entry of an item. Throws where the item is not what `auditItem` makes. */
export const auditEntryFrom = items.read;

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
