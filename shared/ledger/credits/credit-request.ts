import type { Context } from '../../calculations/document.ts';
import type { CalculationInput } from '../../calculations/request.ts';
import type { TransactionRequest } from '../request.ts';
import type { Transaction } from '../transaction.ts';
import { parentLineId } from './remaining.ts';

/** The request fields that a credit of a sale is computed from, in a calculation, a new transaction or an update. */
export type CreditRequest = CalculationInput & Pick<TransactionRequest, 'credit_remaining'>;

/** The common inputs of a credit's computation; `exponent` is the currency's. */
export type CreditContext = {
  readonly parent: Transaction;
  readonly request: CreditRequest;
  readonly context: Context;
  readonly exponent: number;
};

/** The document fields for unmatched lines: the sale's terms, and the customer of the credit or the sale. */
export const unmatchedBasis = (
  { currency, tax_date, tax_included, collected_by, ship_from, customer }: Transaction,
  request: CreditRequest,
) => ({ currency, tax_date, tax_included, collected_by, ship_from, customer: request.customer ?? customer });

/** The lines of a credit that match no line of its sale, which are calculated instead of taken from it. */
export const unmatchedInput = (parent: Transaction, request: CreditRequest): CalculationInput => ({
  ...unmatchedBasis(parent, request),
  line_items: (request.line_items ?? []).filter((line) => parentLineId(line, parent) === undefined),
});
