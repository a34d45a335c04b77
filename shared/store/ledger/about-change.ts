import type { AuditEntry } from '../../transactions/audit.ts';
import { isExpiredDraft } from '../../transactions/lifecycle.ts';
import type { Transaction } from '../../transactions/transaction.ts';

/**
 * The attribute of an audit entry that the events of a change of status are made from (shared/events). Changes that keep
 * the status have none. It is small, so that most entries take one write unit of 1 KB.
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
