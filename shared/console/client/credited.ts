import type { Schemas } from '../../client/client.ts';
import { negative, sumOf } from './amounts.ts';

type Sale = Pick<
  Schemas['RetrievedTransaction'],
  'tax_included' | 'total_amount' | 'applied_third_party_discount_amount' | 'credited_amount' | 'credited_tax_amount'
>;

/** The credited amount of a sale and the remainder, with tax and before discounts of third parties. */
export const creditedOf = (sale: Sale): { readonly credited: string; readonly left: string } => {
  // With prices that include the tax, `credited_amount` includes it as well.
  const credited = sumOf([sale.credited_amount, ...(sale.tax_included ? [] : [sale.credited_tax_amount])]);
  // The buyer paid less by the discount, which does not reduce what credits are counted in.
  const whole = sumOf([sale.total_amount, sale.applied_third_party_discount_amount]);
  return { credited, left: sumOf([whole, negative(credited)]) };
};
