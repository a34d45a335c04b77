import { instantMs } from '../../base/calendar.ts';
import { isSame, withoutNulls } from '../../base/json.ts';
import { invalidField, type Problem } from '../../base/result.ts';
import { withoutAddedFees } from '../../calculations/delivery-fees.ts';
import { chargeEchoes, echoMetadata, restoreInput } from '../../calculations/echo.ts';
import { inputShape } from '../../calculations/request.ts';
import { decimal, digits, rescale } from '../../money/decimal.ts';
import { freeFields, type TransactionUpdate } from '../request.ts';
import { type Status, transitionProblem } from '../status.ts';
import {
  draftExpired,
  expiredReason,
  isExpiredDraft,
  oppositeType,
  type StoredTransaction,
  type Transaction,
} from '../transaction.ts';

type InputField = Exclude<keyof typeof inputShape, (typeof freeFields)[number]>;

/** The inputs of the calculation. Changing one recalculates a draft; a transaction in any later status rejects it. */
const inputFields = Object.keys(inputShape).filter((name) => !freeFields.some((free) => free === name)) as InputField[];

/** The fields that an update stores as sent, in the order of the audit entry. */
export const plainFields = [...freeFields, 'reference_id'] as const;

/** The changes that an update requests, before validation. */
export type RequestedChanges = {
  readonly inputs: readonly InputField[];
  /** The plain fields that change, with their values after the update. */
  readonly values: Partial<Pick<Transaction, (typeof plainFields)[number]>>;
  readonly tax: boolean;
  readonly status: boolean;
  /** A new void_reason for a void transaction. */
  readonly reason: boolean;
};

/** Returns the changes that an update requests. A field sent with its stored value is not a change. */
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
  // A client that sends its line items again does not send the fee line that Levy added.
  const sentBy = <Sent extends Pick<TransactionUpdate, 'line_items' | 'shipping'>>(document: Sent): Sent =>
    withoutAddedFees(document, retail_delivery_fee);
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

// The account's time zone may have changed since, so the same instant can have a different representation.
const isSameInstant = (sent: string | null | undefined, stored: string): boolean =>
  sent !== null &&
  sent !== undefined &&
  sent.length > 10 &&
  stored.length > 10 &&
  instantMs(sent) === instantMs(stored);

// Metadata is merged by key: a null value deletes its key, and null clears all.
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

// Compared exactly: the tax may be sent in a different currency, or with decimals that the currency lacks.
const isTaxChanged = ({ tax_amount }: TransactionUpdate, transaction: Transaction): boolean => {
  if (tax_amount === undefined) return false;
  if (tax_amount === null) return transaction.tax_amount_source === 'provided';
  return exact(tax_amount) !== exact(transaction.tax_amount);
};

const advice: Readonly<Record<Status, (transaction: Transaction) => string>> = {
  draft: () => 'Create another draft.',
  finalized: (transaction) => `Void the transaction, or record a ${oppositeType(transaction)}.`,
  filed: (transaction) => `Record a ${oppositeType(transaction)}.`,
  void: () => 'Create another transaction.',
};

const immutable = (field: string, transaction: Transaction): Problem => ({
  code: 'conflict_immutable_field',
  title: `${field} cannot be changed`,
  detail: `It cannot change in a ${transaction.status} transaction. ${advice[transaction.status](transaction)}`,
  source: { pointer: `/${field}` },
  meta: { status: transaction.status },
});

/** Returns the problem of an update to a redacted transaction that adds personal data or recalculates amounts. */
const redacted = (field: string): Problem => ({
  code: 'conflict_immutable_field',
  title: `${field} cannot be changed`,
  detail:
    'The personal data of this transaction was removed, so only its status can change. For other changes, record a new transaction.',
  source: { pointer: `/${field}` },
});

const redactedProblems = (
  { void_reason }: TransactionUpdate,
  { redacted_at }: Transaction,
  { inputs, values, tax, reason, status }: RequestedChanges,
): Problem[] => {
  if (redacted_at === undefined) return [];
  const isReasoned = reason || (status && Boolean(void_reason));
  return [
    ...inputs,
    ...Object.keys(values).filter((field) => field !== 'reference_id'),
    ...(tax ? ['tax_amount'] : []),
    ...(isReasoned ? ['void_reason'] : []),
  ].map(redacted);
};

const identity = ['type', 'parent_transaction_id'] as const;

/**
 * Returns the problems of an update in the transaction's status; empty if the update is allowed.
 *
 * An expired draft is void from its deadline and has a separate error code.
 */
export const updateProblems = (
  update: TransactionUpdate,
  transaction: Transaction,
  requested: RequestedChanges,
): Problem[] => {
  const ofRedacted = redactedProblems(update, transaction, requested);
  if (ofRedacted.length > 0) return ofRedacted;
  const { status } = transaction;
  const isOpen = status === 'draft';
  const fixed = identity.filter((field) => update[field] !== undefined && update[field] !== transaction[field]);
  const problems = [
    ...fixed.map((field) => immutable(field, transaction)),
    ...(isOpen ? [] : requested.inputs.map((field) => immutable(field, transaction))),
    ...('reference_id' in requested.values && !canSetReference(transaction)
      ? [immutable('reference_id', transaction)]
      : []),
    ...(requested.tax && !isOpen && status !== 'finalized' ? [immutable('tax_amount', transaction)] : []),
    ...(requested.tax && status === 'finalized' && hasCredits(transaction) ? [hasCreditsProblem('/tax_amount')] : []),
    ...(requested.reason ? [immutable('void_reason', transaction)] : []),
    ...statusProblems(update, transaction, requested),
  ];
  const isExpired = isExpiredDraft(transaction) && problems.length > 0;
  return isExpired ? [draftExpired(transaction)] : problems;
};

const canSetReference = ({ status, reference_id }: Transaction) =>
  status === 'draft' || (status === 'finalized' && reference_id === null);

const statusProblems = (
  { status }: TransactionUpdate,
  transaction: Transaction,
  requested: RequestedChanges,
): Problem[] => {
  if (!requested.status || !status) return [];
  const problem = transitionProblem(transaction.status, status, advice[transaction.status](transaction));
  if (problem) return [problem];
  return status === 'void' && hasCredits(transaction) ? [hasCreditsProblem('/status')] : [];
};

/** Whether a sale has live credits. */
const hasCredits = ({ refund_status }: Transaction): boolean => refund_status !== 'none';

const hasCreditsProblem = (pointer: string): Problem => ({
  code: 'conflict_has_credits',
  title: 'Sale has credits',
  detail: 'Void its credits first, or record a further credit.',
  source: { pointer },
});

const refused = (advice: string): Problem => invalidField('/void_reason', advice);

/**
 * Returns the problem of a void_reason that is sent without status `void` or reserved for the service; `null` if it is
 * allowed. The stored reason is always allowed, because it is not a change.
 */
export const voidReasonProblem = (
  { status, void_reason: reason }: TransactionUpdate,
  transaction: Transaction,
): Problem | null => {
  if (reason === undefined || reason === null || reason === transaction.void_reason) return null;
  if (reason === expiredReason) return refused('The service reserves this reason. Send a different reason.');
  return status === 'void' ? null : refused('Send it together with status "void", or leave it out.');
};
