import type { Outcome } from '../../calculations/calculate.ts';
import type { Context } from '../../calculations/document.ts';
import type { Warning } from '../../calculations/response.ts';
import { exponentOf, parseAmount } from '../../money/currency.ts';
import { accept, type Result, refuse } from '../../result.ts';
import type { StoredTransaction } from '../transaction.ts';
import type { CreditContext, CreditRequest } from './credit-request.ts';
import { creditWarnings } from './credit-warnings.ts';
import { linesOutcome } from './lines.ts';
import { creditProblems, overCredit } from './problems.ts';
import { remainingOf } from './remaining.ts';
import { restOutcome, wholeOutcome } from './without-lines.ts';

/** The result of a credit: its figures with the recorded tax, and the kind of request. */
export type Credit = { readonly outcome: Outcome; readonly kind: 'all' | 'remaining' | 'lines' };

/**
 * Compute a credit from the current state of its sale. Pure.
 *
 * Without lines it reverses the whole sale, or with `credit_remaining` the remainder. Refused: a parent that cannot be
 * credited, fields that a credit inherits, more than the remainder of a line or of the sale, and an unmatched line in a state
 * that the sale does not have.
 */
export const creditOf = (
  parent: StoredTransaction,
  request: CreditRequest,
  context: Context,
  sent: readonly Warning[],
): Result<Credit> => {
  const [problem, ...others] = creditProblems(parent.transaction, request);
  if (problem) return refuse(problem, ...others);
  const kind = request.line_items ? 'lines' : request.credit_remaining ? 'remaining' : 'all';
  const exponent = exponentOf(parent.transaction.currency);
  const credit = { parent: parent.transaction, request, context, exponent };
  const computed = outcomeOf(kind, parent, credit);
  if (!computed.ok) return computed;
  const outcome = computed.value;
  const warnings = [
    ...sent,
    ...creditWarnings(parent.transaction, { ...request, tax_date: outcome.tax_date }),
    ...outcome.warnings,
  ];
  return accept({ kind, outcome: { ...outcome, warnings } });
};

const outcomeOf = (kind: Credit['kind'], sale: StoredTransaction, credit: CreditContext): Result<Outcome> => {
  if (kind === 'lines') return linesOutcome(credit, remainingOf(sale));
  if (isUntouched(credit)) return accept(wholeOutcome(credit));
  return kind === 'remaining'
    ? restOutcome(credit, remainingOf(sale))
    : refuse(overCredit(remainingOf(sale).total, credit.parent.currency, '/parent_transaction_id'));
};

const isUntouched = ({ parent: { credited_amount, credited_tax_amount }, exponent }: CreditContext): boolean =>
  [credited_amount, credited_tax_amount].every((text) => parseAmount(text, exponent) === 0n);
