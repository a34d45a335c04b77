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

// The request of a transaction may have a tax_amount.
const { tax_amount: _, ...ofCalculation } = calculationAnswerFields;

/** The fields that a transaction has and its request does not. */
export const transactionAnswerFields: AnswerFields = {
  ...ofCalculation,
  ...Object.fromEntries(names.map((name) => [name, true as const])),
};
