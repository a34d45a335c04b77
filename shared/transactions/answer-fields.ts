import { type AnswerFields, calculationAnswerFields } from '../calculations/answer-fields.ts';

const names = [
  'id',
  'calculated_tax_amount',
  'tax_amount_source',
  'credited_amount',
  'credited_tax_amount',
  'refund_status',
  'created_at',
  'updated_at',
  'finalized_at',
  'filed_at',
  'voided_at',
  'void_reason',
  'expires_at',
  'filings',
  'version',
  'history',
] as const;

// In a transaction's request, tax_amount is an input: the collected tax.
const { tax_amount: _, ...ofCalculation } = calculationAnswerFields;

/** The answer fields of a transaction, which a request may send back. */
export const transactionAnswerFields: AnswerFields = {
  ...ofCalculation,
  ...Object.fromEntries(names.map((name) => [name, true as const])),
};
