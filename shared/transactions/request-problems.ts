import { crossFieldProblems } from '../calculations/cross-field.ts';
import { invalidFormat } from '../calculations/fields.ts';
import { addressProblems, calculationProblems, dateProblems } from '../calculations/request-problems.ts';
import { type JsonObject, objectOf } from '../json.ts';
import { exponentOf } from '../money/currency.ts';
import type { Problem } from '../problem.ts';

/** The problem of a supplied tax with more decimals than the currency. */
export const taxDecimalsProblem = (tax: unknown, currency: unknown): Problem | null => {
  const exponent = exponentOf(typeof currency === 'string' ? currency : 'USD');
  const decimals = typeof tax === 'string' ? (tax.split('.')[1] ?? '').length : 0;
  return decimals > exponent
    ? invalidFormat(
        '/tax_amount',
        'Invalid tax_amount',
        `Send at most ${exponent} decimals: it is an amount that was collected.`,
      )
    : null;
};

/** Cross-field problems of a new transaction. */
export const newTransactionProblems = (body: unknown, nowMs: number): Problem[] => {
  const { tax_amount, currency, type, parent_transaction_id }: JsonObject = objectOf(body) ?? {};
  // A credit has its sale's currency, so the use case checks the decimals.
  const isInherited = type === 'credit' && typeof parent_transaction_id === 'string' && typeof currency !== 'string';
  const decimals = isInherited ? null : taxDecimalsProblem(tax_amount, currency);
  return [...calculationProblems(body, nowMs), ...(decimals ? [decimals] : [])];
};

/** Fields that an update cannot clear. */
const notNullable = [
  'line_items',
  'currency',
  'tax_date',
  'tax_included',
  'collected_by',
  'explain',
  'status',
  'type',
] as const;

const nullProblem = (field: string): Problem => ({
  code: 'validation_required_field',
  title: `Missing field ${field}`,
  detail: `Send a value, or omit ${field}. It cannot be cleared.`,
  source: { pointer: `/${field}` },
});

const withinLines = /^\/line_items\/\d+\//;

// Whether a line may omit its price depends on the transaction: a credit line inherits it.
const isMissingPrice = ({ code, source }: Problem) =>
  code === 'validation_required_field' && source && 'pointer' in source && source.pointer.endsWith('/unit_price');

/** Cross-field problems of an update that do not depend on the transaction. */
export const updateProblemsOf = (body: unknown, nowMs: number): Problem[] => {
  const fields: JsonObject = objectOf(body) ?? {};
  return [
    ...notNullable.filter((field) => fields[field] === null && field in fields).map(nullProblem),
    ...dateProblems(body, nowMs),
    ...addressProblems(body),
    ...crossFieldProblems(body).filter(
      (problem) =>
        problem.source &&
        'pointer' in problem.source &&
        withinLines.test(problem.source.pointer) &&
        !isMissingPrice(problem),
    ),
  ];
};
