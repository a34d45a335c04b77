import { inputOf, lineEchoes, metadataOf } from '../../calculations/echo.ts';
import type { TransactionUpdate } from '../request.ts';
import { isSame, withoutNulls } from '../same-value.ts';
import type { Transaction } from '../transaction.ts';

/** The inputs of the calculation. Changing one recalculates a draft; later statuses refuse it (interface decisions 4). */
const inputFields = [
  'currency',
  'tax_date',
  'customer',
  'ship_from',
  'discount_amount',
  'third_party_discount_amount',
  'shipping',
  'tax_included',
  'collected_by',
  'line_items',
  'explain',
] as const;
export type InputField = (typeof inputFields)[number];

/** The inputs whose values differ from the stored ones (interface decisions 1). */
export const changedInputs = (update: TransactionUpdate, transaction: Transaction): InputField[] => {
  const before = inputOf(transaction);
  return inputFields.filter((field) => {
    if (update[field] === undefined) return false;
    const sent = field === 'line_items' ? lineEchoes(update.line_items ?? []) : update[field];
    return !isSame(withoutNulls(sent), withoutNulls(before[field]));
  });
};

/** Metadata after an update: merged by key, a null value deletes, null clears all; or `null` where nothing changes. */
export const changedMetadata = (
  { metadata }: TransactionUpdate,
  transaction: Transaction,
): Record<string, string> | null => {
  if (metadata === undefined) return null;
  const after = metadata === null ? {} : metadataOf({ ...transaction.metadata, ...metadata });
  return isSame(after, transaction.metadata) ? null : after;
};
