import type { Schemas } from '../../client/client.ts';
import { isZero, negative, sumOf } from './format.ts';

type Sums = Pick<Schemas['FilingSummary'], 'currency' | 'calculated_tax_amount' | 'over_collected_amount'>;

/** An amount in a currency, as a decimal string. */
export type Money = { readonly currency: string; readonly amount: string };

/**
 * Returns the amount due of a return by currency: the calculated and the over-collected tax, before a vendor discount,
 * prepayments and interest. Negative if credits exceed sales. A return without sales has no amounts.
 */
export const amountsDue = (summary: readonly Sums[]): Money[] =>
  summary.map(({ currency, calculated_tax_amount, over_collected_amount }) => ({
    currency,
    amount: sumOf([calculated_tax_amount, over_collected_amount]),
  }));

/**
 * Returns the sums by currency of the positive amounts, or of the negative ones without their sign: a state does not
 * set off what another state owes.
 */
export const totalDue = (amounts: readonly Money[], sign: 'payable' | 'refundable'): Money[] => {
  const chosen = amounts.filter(({ amount }) => amount.startsWith('-') === (sign === 'refundable') && !isZero(amount));
  return [...Map.groupBy(chosen, ({ currency }) => currency)].map(([currency, of]) => {
    const sum = sumOf(of.map(({ amount }) => amount));
    return { currency, amount: sign === 'refundable' ? negative(sum) : sum };
  });
};
