import type { Account } from '../accounts/account.ts';
import { tooEarlyProblem } from '../accounts/books-open.ts';
import { asObject, type JsonObject } from '../base/json.ts';
import { invalidFormat, type Problem, problemPointer } from '../base/problem.ts';
import {
  addressProblems,
  calculationProblems,
  crossFieldProblems,
  dateProblems,
} from '../calculations/request-problems.ts';
import { minorDigits } from '../money/currency.ts';

/** The refusal of a supplied tax with more decimals than the currency has. */
export const taxDecimalsProblem = (tax: unknown, currency: unknown): Problem | null => {
  const exponent = minorDigits(typeof currency === 'string' ? currency : 'USD');
  const decimals = typeof tax === 'string' ? (tax.split('.')[1] ?? '').length : 0;
  return decimals > exponent
    ? invalidFormat('/tax_amount', 'Invalid tax_amount', `Send at most ${exponent} decimals, as the currency has.`)
    : null;
};

/** Problems between the fields of a new transaction. */
export const newTransactionProblems = (body: unknown, nowMs: number, account: Account): Problem[] => {
  const { tax_amount, tax_date, currency, type, parent_transaction_id }: JsonObject = asObject(body) ?? {};
  // A credit without a currency has its sale's, so the use case checks its decimals.
  const isInherited = type === 'credit' && typeof parent_transaction_id === 'string' && typeof currency !== 'string';
  const decimals = isInherited ? null : taxDecimalsProblem(tax_amount, currency);
  const tooEarly = tooEarlyProblem('/tax_date', tax_date, account);
  return [...calculationProblems(body, nowMs), ...[decimals, tooEarly].filter((problem) => problem !== null)];
};

const withinLines = /^\/line_items\/\d+\//;

// Whether a line may omit its price depends on the transaction: a credit line inherits it.
const isMissingPrice = (problem: Problem) =>
  problem.code === 'validation_required_field' && problemPointer(problem).endsWith('/unit_price');

/** Problems between the fields of an update that do not depend on the stored transaction. */
export const listUpdateProblems = (body: unknown, nowMs: number): Problem[] => [
  ...dateProblems(body, nowMs),
  ...addressProblems(body),
  ...crossFieldProblems(body).filter(
    (problem) => withinLines.test(problemPointer(problem)) && !isMissingPrice(problem),
  ),
];
