import { differing, type Fault, faultUnless } from '../../../ledger/invariants.ts';
import { withoutPersonalData } from '../../../ledger/personal-data/fields.ts';
import { isSame } from '../../../ledger/same-value.ts';
import type { StoredTransaction } from '../../../ledger/transaction.ts';

/**
 * Check a transaction's claim of a redaction: an audit entry made it at that time, the digest of the commitments is there
 * instead of the salt, and no personal data is left, which the state hash would not show.
 */
export const redactionFaults = (
  { transaction, commitments }: StoredTransaction,
  redactedAt: string | undefined,
): readonly Fault[] => {
  const isRedacted = commitments !== undefined && 'digest' in commitments;
  const isEmpty = !isRedacted || isSame(withoutPersonalData(transaction), transaction);
  return [
    ...differing('redacted_at', transaction.redacted_at, redactedAt),
    ...faultUnless(
      isRedacted === (transaction.redacted_at !== undefined),
      'personal data',
      isRedacted ? 'removed, without redacted_at' : 'there, with redacted_at',
      'removed exactly if redacted_at is set',
    ),
    ...faultUnless(isEmpty, 'personal data of a redacted transaction', 'there', 'removed'),
  ];
};
