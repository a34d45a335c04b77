import type { AuditEntry } from '../transactions/audit.ts';
import { auditKey } from './keys.ts';

/**
 * An audit entry as the table holds it, for ever.
 *
 * Not under `id` and `account`: an item with both would be listed by the indexes of the heads.
 */
export const auditItem = (account: string, entry: AuditEntry): Record<string, unknown> => ({
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
  // As the head calls it, which holds the newest one.
  audit_hash: entry.hash,
});
