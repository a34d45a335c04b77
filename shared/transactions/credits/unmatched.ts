import type { CalculationInput } from '../../calculations/request.ts';
import type { Transaction } from '../transaction.ts';
import type { CreditRequest } from './credit-request.ts';
import { parentLineId } from './remaining.ts';

/** What lines that match none of the sale's are calculated with: the sale's terms, and the buyer of either. */
export const unmatchedBasis = (
  { currency, tax_date, tax_included, collected_by, ship_from, customer }: Transaction,
  request: CreditRequest,
) => ({ currency, tax_date, tax_included, collected_by, ship_from, customer: request.customer ?? customer });

/** What of a credit is calculated, and not taken out of its sale: the lines that match none, mostly none at all. */
export const unmatchedInput = (parent: Transaction, request: CreditRequest): CalculationInput => ({
  ...unmatchedBasis(parent, request),
  line_items: (request.line_items ?? []).filter((line) => parentLineId(line, parent) === undefined),
});
