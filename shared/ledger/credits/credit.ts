import { accept, type Result, refuse } from '../../base/result.ts';
import type { Outcome } from '../../calculations/calculate.ts';
import type { Context } from '../../calculations/document.ts';
import type { Warning } from '../../calculations/response.ts';
import { minorDigits, parseAmount } from '../../money/currency.ts';
import type { StoredTransaction } from '../transaction.ts';
import { isNothing, minus, plus, zeroShare } from './arithmetic.ts';
import type { CreditContext, CreditRequest } from './credit-request.ts';
import { creditWarnings } from './credit-warnings.ts';
import { linesOutcome } from './lines.ts';
import { creditProblems, overCredit } from './problems.ts';
import { calculateRemaining, type Remaining } from './remaining.ts';
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
export const buildCredit = (
  parent: StoredTransaction,
  request: CreditRequest,
  context: Context,
  sent: readonly Warning[],
): Result<Credit> => {
  const [problem, ...others] = creditProblems(parent.transaction, request);
  if (problem) return refuse(problem, ...others);
  const kind = request.line_items ? 'lines' : request.credit_remaining ? 'remaining' : 'all';
  const exponent = minorDigits(parent.transaction.currency);
  const credit = { parent: parent.transaction, request, context, exponent };
  const computed = creditOutcome(kind, parent, credit);
  if (!computed.ok) return computed;
  const outcome = computed.value;
  const warnings = [
    ...sent,
    ...creditWarnings(parent.transaction, { ...request, tax_date: outcome.tax_date }),
    ...outcome.warnings,
  ];
  return accept({ kind, outcome: { ...outcome, warnings } });
};

const creditOutcome = (kind: Credit['kind'], sale: StoredTransaction, credit: CreditContext): Result<Outcome> => {
  const remaining = calculateRemaining(sale);
  if (kind === 'lines') return linesOutcome(credit, remaining);
  if (isUntouched(remaining)) return accept(wholeOutcome(credit));
  const { credited_amount, credited_tax_amount, currency } = sale.transaction;
  // Credits of coupons alone leave all of the money.
  const isAllLeft = [credited_amount, credited_tax_amount].every((text) => parseAmount(text, credit.exponent) === 0n);
  return (kind === 'remaining' || isAllLeft) && !isNothing(remaining.total)
    ? accept(restOutcome(credit, remaining))
    : refuse(overCredit(remaining.total, currency, kind === 'all' ? '/parent_transaction_id' : '/credit_remaining'));
};

/** Whether no live credit took money or a coupon of the sale. */
const isUntouched = ({ charges, total }: Remaining): boolean => {
  const balances = [...charges.values()];
  const whole = balances.map((balance) => balance.whole).reduce(plus, zeroShare);
  return isNothing(minus(whole, total)) && balances.every(({ credited }) => credited.third_party_discount === 0n);
};
