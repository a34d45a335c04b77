import { exponentOf, parseAmount } from '../../money/currency.ts';
import type { TransactionUpdate } from '../request.ts';
import type { Transaction } from '../transaction.ts';
import { changedInputs, changedMetadata } from './changed-fields.ts';
import type { RequestedChanges } from './immutable.ts';

/** The changes that an update requests. A field with its stored value is no change (interface decisions 1). */
export const requestedChanges = (update: TransactionUpdate, transaction: Transaction): RequestedChanges => ({
  inputs: changedInputs(update, transaction),
  metadata: changedMetadata(update, transaction),
  reference: update.reference_id !== undefined && update.reference_id !== transaction.reference_id,
  tax: isTaxChanged(update, transaction),
  status: update.status !== undefined && update.status !== null && update.status !== transaction.status,
  reason:
    transaction.status === 'void' && update.void_reason !== undefined && update.void_reason !== transaction.void_reason,
});

const isTaxChanged = ({ tax_amount }: TransactionUpdate, transaction: Transaction): boolean => {
  if (tax_amount === undefined) return false;
  if (tax_amount === null) return transaction.tax_amount_source === 'provided';
  const exponent = exponentOf(transaction.currency);
  return parseAmount(tax_amount, exponent) !== parseAmount(transaction.tax_amount, exponent);
};
