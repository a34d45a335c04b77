import type { AuditEntry } from '../../transactions/audit.ts';
import { isExpiredDraft } from '../../transactions/lifecycle.ts';
import type { Transaction } from '../../transactions/transaction.ts';

/**
 * What a change of status was about, beside its audit entry: for whoever reads the table's stream (shared/events). Nothing
 * else does, and other changes have none.
 *
 * Small, so that the entry mostly stays within the KB that it is charged for.
 */
export const aboutChange = ({ from, to }: AuditEntry, after: Transaction): Record<string, unknown> => {
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
