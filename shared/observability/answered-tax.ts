import type { Calculation } from '../calculations/response.ts';
import { minorDigits, parseAmount } from '../money/currency.ts';
import { tally } from './tally.ts';

type Taxed = Pick<Calculation, 'type' | 'currency' | 'content_releases' | 'tax_summary'>;

/**
 * Record the returned tax by state (`US-MN`) for the metric `Tax`, in dollars. Other currencies are left out, because a
 * sum over currencies has no meaning.
 *
 * The sum is exact. It becomes a floating point number at the end, the only kind that CloudWatch stores.
 */
export const recordTax = ({ type, currency, content_releases, tax_summary }: Taxed): void => {
  const own = tally();
  if (!own || currency !== 'USD') return;
  const exponent = minorDigits(currency);
  own.taxes = Object.keys(content_releases).map((state) => {
    const rows = tax_summary.filter(({ jurisdiction_code }) => jurisdiction_code.startsWith(state));
    const minor = rows.reduce((sum, { tax_amount }) => sum + parseAmount(tax_amount, exponent), 0n);
    // The amounts of a credit are positive; it reduces the tax.
    return [state, Number(type === 'credit' ? -minor : minor) / 10 ** exponent];
  });
};
