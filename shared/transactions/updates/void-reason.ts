import { invalidFormat } from '../../calculations/fields.ts';
import type { Problem } from '../../problem.ts';
import { expiredReason } from '../lifecycle.ts';
import type { TransactionUpdate } from '../request.ts';
import type { Transaction } from '../transaction.ts';

const refused = (advice: string): Problem => invalidFormat('/void_reason', 'Invalid void_reason', advice);

/**
 * The refusal of a reason that no update may give: without the status that it is for, or the service's own; or `null`.
 * The stored reason is unchanged, whatever is sent beside it (interface decisions 1).
 */
export const voidReasonProblem = (
  { status, void_reason: reason }: TransactionUpdate,
  transaction: Transaction,
): Problem | null => {
  if (reason === undefined || reason === null || reason === transaction.void_reason) return null;
  if (reason === expiredReason) return refused('The service itself gives this reason: send another.');
  return status === 'void' ? null : refused('Send it together with status "void", or leave it out.');
};
