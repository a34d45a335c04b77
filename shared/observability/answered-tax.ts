import type { Calculation } from '../calculations/response.ts';
import { exponentOf, parseAmount } from '../money/currency.ts';
import { tally } from './tally.ts';

type Answered = Pick<Calculation, 'type' | 'currency' | 'content_releases' | 'tax_summary'>;

/**
 * Note the tax of an answer by state (`US-MN`), in dollars, for a metric; other currencies cannot be added up.
 *
 * It is summed exactly, and becomes a floating point number only where CloudWatch keeps nothing else.
 */
export const noteTax = ({ type, currency, content_releases, tax_summary }: Answered): void => {
  const own = tally();
  if (!own || currency !== 'USD') return;
  const exponent = exponentOf(currency);
  own.taxes = Object.keys(content_releases).map((state) => {
    const rows = tax_summary.filter(({ jurisdiction_code }) => jurisdiction_code.startsWith(state));
    const minor = rows.reduce((sum, { tax_amount }) => sum + parseAmount(tax_amount, exponent), 0n);
    // A credit's amounts are written as what is given back.
    return [state, Number(type === 'credit' ? -minor : minor) / 10 ** exponent];
  });
};
