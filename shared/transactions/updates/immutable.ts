import type { Problem } from '../../problem.ts';
import { draftExpired, isExpiredDraft, transitionProblem } from '../lifecycle.ts';
import type { TransactionUpdate } from '../request.ts';
import type { Transaction } from '../transaction.ts';
import type { InputField } from './changed-fields.ts';

/** What an update asks to change, before anyone asks whether it may. */
export type Asked = {
  readonly inputs: readonly InputField[];
  readonly metadata: Record<string, string> | null;
  readonly reference: boolean;
  readonly tax: boolean;
  readonly status: boolean;
  /** Another reason of what is void already. */
  readonly reason: boolean;
};

const immutable = (field: string, status: string): Problem => ({
  code: 'conflict_immutable_field',
  title: `${field} cannot be changed`,
  detail: `It is fixed while the transaction is ${status}. Void it, or record a credit.`,
  source: { pointer: `/${field}` },
  meta: { status },
});

const identity = ['type', 'parent_transaction_id'] as const;

/**
 * Everything that an update may not do to a transaction in its state (the table of interface decisions 4), or nothing.
 *
 * An expired draft has been void since its deadline, and says so by a code of its own.
 */
export const updateProblems = (update: TransactionUpdate, transaction: Transaction, asked: Asked): Problem[] => {
  const { status } = transaction;
  const isOpen = status === 'draft';
  const fixed = identity.filter((field) => update[field] !== undefined && update[field] !== transaction[field]);
  const problems = [
    ...fixed.map((field) => immutable(field, status)),
    ...(isOpen ? [] : asked.inputs.map((field) => immutable(field, status))),
    ...(asked.reference && !canSetReference(transaction) ? [immutable('reference_id', status)] : []),
    ...(asked.tax && !isOpen && status !== 'finalized' ? [immutable('tax_amount', status)] : []),
    ...(asked.tax && status === 'finalized' && hasCredits(transaction) ? [hasCreditsProblem('/tax_amount')] : []),
    ...(asked.reason ? [immutable('void_reason', status)] : []),
    ...statusProblems(update, transaction, asked),
  ];
  const isExpired = isExpiredDraft(transaction) && problems.length > 0;
  return isExpired ? [draftExpired(transaction)] : problems;
};

const canSetReference = ({ status, reference_id }: Transaction) =>
  status === 'draft' || (status === 'finalized' && reference_id === null);

const statusProblems = ({ status }: TransactionUpdate, transaction: Transaction, asked: Asked): Problem[] => {
  if (!asked.status || !status) return [];
  const problem = transitionProblem(transaction.status, status);
  if (problem) return [problem];
  return status === 'void' && hasCredits(transaction) ? [hasCreditsProblem('/status')] : [];
};

/** Whether live credits have taken something of a sale. */
const hasCredits = ({ refund_status }: Transaction): boolean => refund_status !== 'none';

const hasCreditsProblem = (pointer: string): Problem => ({
  code: 'conflict_has_credits',
  title: 'Sale has credits',
  detail: 'Void its credits first, or record another credit.',
  source: { pointer },
});
