import { invalidFormat, type Problem } from '../../base/problem.ts';
import { draftExpired, expiredReason, isExpiredDraft } from '../lifecycle.ts';
import type { TransactionUpdate } from '../request.ts';
import { type Status, transitionProblem } from '../status.ts';
import { oppositeType, type Transaction } from '../transaction.ts';
import type { RequestedChanges } from './requested-changes.ts';

const advice: Readonly<Record<Status, (transaction: Transaction) => string>> = {
  draft: () => 'Create another draft.',
  finalized: (transaction) => `Void the transaction, or record a ${oppositeType(transaction)}.`,
  filed: (transaction) => `Record a ${oppositeType(transaction)}.`,
  void: () => 'Create another transaction.',
};

const immutable = (field: string, transaction: Transaction): Problem => ({
  code: 'conflict_immutable_field',
  title: `${field} cannot be changed`,
  detail: `It is fixed in a ${transaction.status} transaction. ${advice[transaction.status](transaction)}`,
  source: { pointer: `/${field}` },
  meta: { status: transaction.status },
});

/** The problem of new personal data, or of figures that would be recalculated, after the personal data was removed. */
const redacted = (field: string): Problem => ({
  code: 'conflict_immutable_field',
  title: `${field} cannot be changed`,
  detail: `The personal data of this transaction was removed, so it cannot be recalculated and takes no new data. Send status alone, or record another transaction.`,
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
 * The problems of an update in the transaction's status; empty where it is allowed.
 *
 * An expired draft is void since its deadline, and has its own error code.
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
  const problem = transitionProblem(transaction.status, status);
  if (problem) return [problem];
  return status === 'void' && hasCredits(transaction) ? [hasCreditsProblem('/status')] : [];
};

/** Whether a sale has live credits. */
const hasCredits = ({ refund_status }: Transaction): boolean => refund_status !== 'none';

const hasCreditsProblem = (pointer: string): Problem => ({
  code: 'conflict_has_credits',
  title: 'Sale has credits',
  detail: 'Void its credits first, or record another credit.',
  source: { pointer },
});

const refused = (advice: string): Problem => invalidFormat('/void_reason', 'Invalid void_reason', advice);

/**
 * The problem of a void_reason: sent without status `void`, or reserved for the service; `null` where it is allowed. The
 * stored reason is always allowed, because it is no change.
 */
export const voidReasonProblem = (
  { status, void_reason: reason }: TransactionUpdate,
  transaction: Transaction,
): Problem | null => {
  if (reason === undefined || reason === null || reason === transaction.void_reason) return null;
  if (reason === expiredReason) return refused('The service reserves this reason. Send another one.');
  return status === 'void' ? null : refused('Send it together with status "void", or leave it out.');
};
