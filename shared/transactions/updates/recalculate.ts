import { calculate, type Outcome } from '../../calculations/calculate.ts';
import type { Context } from '../../calculations/document.ts';
import { inputOf } from '../../calculations/echo.ts';
import { crossFieldProblems } from '../../calculations/request-problems.ts';
import type { Problem } from '../../problem.ts';
import { accept, type Result, refuse } from '../../result.ts';
import {
  inheritedFields,
  inheritedProblem,
  lineFieldProblem,
  lineFields,
  shippingAlone,
} from '../credits/admission.ts';
import { creditOf } from '../credits/credit.ts';
import type { CreditRequest } from '../credits/credit-request.ts';
import type { TransactionUpdate } from '../request.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import type { InputField } from './changed-fields.ts';
import type { RequestedChanges } from './immutable.ts';

/** The data that an update is decided with, in addition to the transaction. */
export type Basis = {
  /** The content and settings of the recalculation. */
  readonly context: Context;
  readonly parent: StoredTransaction | null;
};

/** The inputs of a transaction after an update. */
export const inputAfter = (
  update: TransactionUpdate,
  { transaction }: StoredTransaction,
  { inputs }: RequestedChanges,
) => {
  const changes = Object.fromEntries(inputs.map((field) => [field, update[field]])) as Pick<
    TransactionUpdate,
    InputField
  >;
  return { ...inputOf(transaction), ...changes };
};

/** Recalculate: a credit of a sale from the current sale, everything else from its inputs. */
export const recalculate = (
  update: TransactionUpdate,
  stored: StoredTransaction,
  requested: RequestedChanges,
  { context, parent }: Basis,
  unknownFields: readonly string[],
): Result<Outcome> => {
  const input = inputAfter(update, stored, requested);
  if (parent) {
    const [problem, ...others] = keptFromParent(update, stored, requested, parent.transaction);
    if (problem) return refuse(problem, ...others);
    const request = creditRequest(update, input, stored, requested);
    const credit = creditOf(parent, request, context, unknownFields);
    return credit.ok ? accept(credit.value.outcome) : credit;
  }
  const [problem, ...others] = crossFieldProblems(input);
  if (problem) return refuse(problem, ...others);
  return calculate(input, context, unknownFields);
};

// Fields that a credit inherits from its sale cannot be edited: another value would be ignored.
const keptFromParent = (
  update: TransactionUpdate,
  stored: StoredTransaction,
  requested: RequestedChanges,
  parent: Transaction,
): Problem[] => [
  ...inheritedFields.filter((name) => requested.inputs.includes(name)).map((name) => inheritedProblem(name, parent)),
  ...lineFields.filter((name) => requested.inputs.includes(name)).map(lineFieldProblem),
  ...(requested.inputs.includes('shipping') && !isOfLines(update, stored, requested) ? [shippingAlone] : []),
];

/** Whether a credit is of certain lines after an update: it already was, or the update sends lines, or shipping with lines. */
export const isOfLines = (
  { line_items }: TransactionUpdate,
  { creditOf: kind }: StoredTransaction,
  { inputs }: RequestedChanges,
): boolean =>
  kind === 'lines' || inputs.includes('line_items') || (inputs.includes('shipping') && (line_items ?? null) !== null);

/** The credit request that gives the same kind of credit again: all, the remainder, or these lines. */
export const creditRequest = (
  update: TransactionUpdate,
  input: CreditRequest,
  stored: StoredTransaction,
  requested: RequestedChanges,
): CreditRequest => {
  if (isOfLines(update, stored, requested)) return input;
  const { line_items: _lines, shipping: _shipping, ...rest } = input;
  return { ...rest, credit_remaining: stored.creditOf === 'remaining' };
};
