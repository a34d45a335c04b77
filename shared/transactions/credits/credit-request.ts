import type { TransactionRequest } from '../request.ts';

/** The request fields that a credit of a sale is computed from, in a calculation, a new transaction or an update. */
export type CreditRequest = Pick<
  TransactionRequest,
  | 'line_items'
  | 'shipping'
  | 'tax_date'
  | 'currency'
  | 'customer'
  | 'ship_from'
  | 'discount_amount'
  | 'third_party_discount_amount'
  | 'tax_included'
  | 'collected_by'
  | 'metadata'
  | 'explain'
  | 'credit_remaining'
>;
