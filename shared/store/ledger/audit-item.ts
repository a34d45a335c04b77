import { AuditEntry } from '../../ledger/audit.ts';
import { isExpiredDraft, type Transaction } from '../../ledger/transaction.ts';
import { defineItem } from '../define-item.ts';
import { auditKey, type Item } from '../keys.ts';

const items = defineItem({ key: auditKey, schema: AuditEntry });

/**
 * Builds the item of an audit entry. It is never deleted.
 *
 * `response` is the digest of the idempotency record whose response contains this state; no hash covers it. The item has
 * no attributes `id` and `account`, because the indexes of heads would otherwise list it.
 */
export const auditItem = (account: string, entry: AuditEntry, response?: string): Item => ({
  ...items.write([account, entry.transactionId, entry.version], entry),
  ...(response !== undefined && { response }),
});

/** Parses an audit entry. Throws if the item does not have the format that `auditItem` writes. */
export const auditEntryFrom = items.read;

/**
 * Returns the attribute of an audit entry from which status change events are built (shared/events). Entries without a
 * status change have none. It is small, so most entries cost one 1 KB write unit.
 */
export const statusChangeAttribute = ({ from, to }: AuditEntry, after: Transaction): Record<string, unknown> => {
  if (from === to) return {};
  const { type, reference_id, parent_transaction_id, currency, tax_date, total_amount, tax_amount } = after;
  return {
    about: {
      type,
      currency,
      tax_date,
      total_amount,
      tax_amount,
      ...(reference_id !== null && { reference_id }),
      ...(parent_transaction_id !== null && { parent_transaction_id }),
      ...(isExpiredDraft(after) && { expired: true }),
    },
  };
};
