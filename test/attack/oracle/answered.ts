/** The amounts of filings and reports, as the API answers them, in the form of the oracle's sums. */
import type { Schema } from '../../support/http.ts';
import { minor } from './amounts.ts';
import type { Sums } from './entries.ts';

type Amounts = Pick<
  Schema<'ReportAmounts'>,
  'gross_amount' | 'exempt_amount' | 'exempt_by_reason' | 'not_covered_amount' | 'taxable_amount' | 'tax_amount'
>;

const withoutZeros = (amounts: Readonly<Record<string, bigint>>) =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== 0n));

/** The sums of an answer. Throws where its own parts do not add up. */
export const sumsIn = (amounts: Amounts, currency: string): Sums & { readonly exempt: bigint } => {
  const units = (text: string) => minor(currency, text);
  const reasons = Object.entries(amounts.exempt_by_reason).map(([reason, text]) => [reason, units(text)] as const);
  return {
    gross: units(amounts.gross_amount),
    taxable: units(amounts.taxable_amount),
    tax: units(amounts.tax_amount),
    exempt: units(amounts.exempt_amount),
    untaxed: withoutZeros({ ...Object.fromEntries(reasons), not_covered: units(amounts.not_covered_amount) }),
  };
};

/**
 * Sums for a comparison. Where an answer has `over_collected` in the place of a reason, only the sum of all untaxed amounts
 * is known.
 */
export const comparable = ({ gross, taxable, tax, untaxed }: Sums, isReplaced: boolean) => ({
  ...{ gross, taxable, tax },
  untaxed: isReplaced ? 'any' : withoutZeros(untaxed),
});
