import { invalidFormat } from '../../calculations/fields.ts';
import type { Problem } from '../../problem.ts';
import { expiredReason } from '../lifecycle.ts';
import type { TransactionUpdate } from '../request.ts';
import type { Transaction } from '../transaction.ts';

const refused = (advice: string): Problem => invalidFormat('/void_reason', 'Invalid void_reason', advice);

/**
 * The problem of a void_reason: sent without status `void`, or reserved for the service; `null` where it is allowed. The
 * stored reason is always allowed, because it is no change (interface decisions 1).
 */
export const voidReasonProblem = (
  { status, void_reason: reason }: TransactionUpdate,
  transaction: Transaction,
): Problem | null => {
  if (reason === undefined || reason === null || reason === transaction.void_reason) return null;
  if (reason === expiredReason) return refused('The service reserves this reason. Send another one.');
  return status === 'void' ? null : refused('Send it together with status "void", or leave it out.');
};
