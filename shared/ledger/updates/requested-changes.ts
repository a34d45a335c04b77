import { instantMs } from '../../base/calendar.ts';
import { withoutAddedFees } from '../../calculations/delivery-fees.ts';
import { chargeEchoes, echoMetadata, restoreInput } from '../../calculations/echo.ts';
import { decimal, digits, rescale } from '../../money/decimal.ts';
import type { TransactionUpdate } from '../request.ts';
import { isSame, withoutNulls } from '../same-value.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';

/** The inputs of the calculation. Changing one recalculates a draft; later statuses refuse it. */
const inputFields = [
  'currency',
  'tax_date',
  'customer',
  'ship_from',
  'discount_amount',
  'discount_applies_to',
  'third_party_discount_amount',
  'shipping',
  'tax_included',
  'collected_by',
  'line_items',
  'explain',
] as const;

/** Fields that an update may change in every status. The calculation does not read them. */
export const freeFields = ['metadata'] as const;

/** The fields that an update stores as they are sent, in the order of the audit entry. */
export const plainFields = [...freeFields, 'reference_id'] as const;

/** The changes that an update requests, before they are checked. */
export type RequestedChanges = {
  readonly inputs: readonly (typeof inputFields)[number][];
  /** The plain fields that change, with their values after the update. */
  readonly values: Partial<Pick<Transaction, (typeof plainFields)[number]>>;
  readonly tax: boolean;
  readonly status: boolean;
  /** Another void_reason for a void transaction. */
  readonly reason: boolean;
};

/** The changes that an update requests. A field with its stored value is no change. */
export const requestedChanges = (
  update: TransactionUpdate,
  { transaction, settingsSnapshot }: StoredTransaction,
): RequestedChanges => ({
  inputs: changedInputs(update, transaction, settingsSnapshot),
  values: changedValues(update, transaction),
  tax: isTaxChanged(update, transaction),
  status: update.status !== undefined && update.status !== transaction.status,
  reason:
    transaction.status === 'void' && update.void_reason !== undefined && update.void_reason !== transaction.void_reason,
});

const changedInputs = (
  update: TransactionUpdate,
  transaction: Transaction,
  { retail_delivery_fee }: StoredTransaction['settingsSnapshot'],
): RequestedChanges['inputs'] => {
  // A client that sends its line items again does not know of an added fee.
  const sentBy = <Sent extends Pick<TransactionUpdate, 'line_items' | 'shipping'>>(document: Sent): Sent =>
    retail_delivery_fee === 'add' ? withoutAddedFees(document) : document;
  const before = sentBy(restoreInput(transaction));
  const { line_items = before.line_items, shipping = before.shipping } = update;
  const echoes = chargeEchoes(sentBy({ line_items, shipping }));
  return inputFields.filter((field) => {
    if (update[field] === undefined) return false;
    const sent = field === 'line_items' || field === 'shipping' ? echoes[field] : update[field];
    if (field === 'tax_date' && isSameInstant(update.tax_date, transaction.tax_date)) return false;
    return !isSame(withoutNulls(sent), withoutNulls(before[field]));
  });
};

// The account's time zone may have changed since, which writes the same instant in another way.
const isSameInstant = (sent: string | null | undefined, stored: string): boolean =>
  sent !== null &&
  sent !== undefined &&
  sent.length > 10 &&
  stored.length > 10 &&
  instantMs(sent) === instantMs(stored);

// Merged by key: a null value deletes its key, and null clears all.
const mergedMetadata = ({ metadata }: TransactionUpdate, before: Transaction['metadata']) => {
  if (metadata === undefined) return undefined;
  return metadata === null ? {} : echoMetadata({ ...before, ...metadata });
};

const changedValues = (update: TransactionUpdate, transaction: Transaction): RequestedChanges['values'] => {
  const after = { ...update, metadata: mergedMetadata(update, transaction.metadata) };
  const changed = plainFields.filter(
    (field) => after[field] !== undefined && !isSame(after[field], transaction[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, after[field]]));
};

const exact = (amount: string): bigint => rescale(decimal(amount), digits.fraction);

// Compared exactly: the tax may be sent in another currency, or with decimals that the currency lacks.
const isTaxChanged = ({ tax_amount }: TransactionUpdate, transaction: Transaction): boolean => {
  if (tax_amount === undefined) return false;
  if (tax_amount === null) return transaction.tax_amount_source === 'provided';
  return exact(tax_amount) !== exact(transaction.tax_amount);
};
