import * as z from 'zod/mini';
import { type Account, tooEarlyProblem } from '../accounts/account.ts';
import { component, described, readDescription } from '../base/described.ts';
import { asObject, type JsonObject } from '../base/json.ts';
import { invalidField, type Problem, problemPointer } from '../base/result.ts';
import { decimalString, identifier, text } from '../calculations/fields.ts';
import { creditShape, inputShape } from '../calculations/request.ts';
import {
  addressProblems,
  calculationProblems,
  crossFieldProblems,
  dateProblems,
} from '../calculations/request-problems.ts';
import { isCurrency, minorDigits } from '../money/currency.ts';

const referenceAdvice =
  'The id in your billing system, without white space at the start or the end. Unique among the transactions of the account that are not void.';

/** POST /transactions: the inputs of a calculation and the fields of a transaction. */
export const TransactionRequest = component(
  'TransactionRequest',
  'An order to record. Levy ignores unknown fields and names them in `warnings`.',
  {
    ...inputShape,
    ...creditShape,
    status: described(
      z.nullish(z.enum(['draft', 'finalized'], 'Send draft or finalized.')),
      'Default: `draft`, which creates no tax liability.',
      { title: 'NewTransactionStatus' },
    ),
    reference_id: described(z.nullish(identifier), referenceAdvice),
    tax_amount: described(z.nullish(decimalString), 'The tax that you collected. Default: the calculated tax.'),
  },
  'Send a JSON object.',
);
export type TransactionRequest = z.infer<typeof TransactionRequest>;

type Nullish<Schema extends z.core.$ZodType> = z.ZodMiniOptional<z.ZodMiniNullable<Schema>>;

/** A field that always has a value: an update can omit it, but not clear it with null. */
const required = <Schema extends z.ZodMiniType>(field: Nullish<Schema>, description = readDescription(field)) => {
  const title = z.globalRegistry.get(field)?.title;
  return described(z.optional(field._zod.def.innerType._zod.def.innerType), description, { ...(title && { title }) });
};

const { credit_remaining: _, ...identityShape } = creditShape;

/** POST /transactions/{id}: the fields to change. Absent means unchanged; null clears an optional field. */
export const TransactionUpdate = component(
  'TransactionUpdate',
  'The fields to change. Absent fields remain unchanged. `null` clears a field that may be empty.',
  {
    ...inputShape,
    ...identityShape,
    currency: required(inputShape.currency),
    tax_date: required(inputShape.tax_date),
    tax_included: required(inputShape.tax_included),
    collected_by: required(inputShape.collected_by),
    line_items: required(inputShape.line_items, 'Replaces all line items. Only on a draft.'),
    metadata: described(
      inputShape.metadata,
      'Merged by key: a null value deletes its key, and `null` clears all metadata.',
    ),
    explain: required(inputShape.explain),
    type: required(creditShape.type),
    status: described(
      z.optional(z.enum(['draft', 'finalized', 'filed', 'void'], 'Send draft, finalized or void.')),
      '`finalized` or `void`. Only Levy sets `filed`.',
      { title: 'TransactionStatus' },
    ),
    void_reason: described(z.nullish(text(500)), 'Why the transaction is voided. Only with `status: void`.'),
    reference_id: described(z.nullish(identifier), referenceAdvice),
    tax_amount: described(z.nullish(decimalString), 'The tax that you collected. `null` restores the calculated tax.'),
  },
  'Send a JSON object.',
);
export type TransactionUpdate = z.infer<typeof TransactionUpdate>;

/** Fields that an update may change in any status. The calculation does not read them. */
export const freeFields = ['metadata'] as const satisfies readonly (keyof TransactionUpdate)[];

/**
 * Returns the problem of a supplied tax with more decimals than the currency has. An unknown currency is refused
 * separately, and not quoted, because it can be long.
 */
export const taxDecimalsProblem = (tax: unknown, currency: unknown): Problem | null => {
  const code = isCurrency(currency) ? currency : 'USD';
  const exponent = minorDigits(code);
  const decimals = typeof tax === 'string' ? (tax.split('.')[1] ?? '').length : 0;
  return decimals > exponent ? invalidField('/tax_amount', `Send at most ${exponent} decimals for ${code}.`) : null;
};

/** Returns the cross-field problems of a new transaction. */
export const newTransactionProblems = (body: unknown, nowMs: number, account: Account): Problem[] => {
  const { tax_amount, tax_date, currency, type, parent_transaction_id }: JsonObject = asObject(body) ?? {};
  // A credit without a currency uses its sale's, so the use case checks its decimals.
  const isInherited = type === 'credit' && typeof parent_transaction_id === 'string' && typeof currency !== 'string';
  const decimals = isInherited ? null : taxDecimalsProblem(tax_amount, currency);
  const tooEarly = tooEarlyProblem('/tax_date', tax_date, account);
  return [...calculationProblems(body, nowMs), ...[decimals, tooEarly].filter((problem) => problem !== null)];
};

const withinLines = /^\/line_items\/\d+\//;

// Whether a line may omit its price depends on the transaction: a credit line inherits it.
const isMissingPrice = (problem: Problem) =>
  problem.code === 'validation_required_field' && problemPointer(problem).endsWith('/unit_price');

/** Returns the cross-field problems of an update that do not depend on the stored transaction. */
export const listUpdateProblems = (body: unknown, nowMs: number): Problem[] => [
  ...dateProblems(body, nowMs),
  ...addressProblems(body),
  ...crossFieldProblems(body).filter(
    (problem) => withinLines.test(problemPointer(problem)) && !isMissingPrice(problem),
  ),
];
