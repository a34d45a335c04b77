import * as z from 'zod/mini';
import { count, currencyCode, signedAmount } from '../calculations/answer-scalars.ts';
import { described } from '../described.ts';

export const filingStatuses = ['closing', 'closed', 'marking', 'filed', 'canceled'] as const;
export type FilingStatus = (typeof filingStatuses)[number];

export const frequencies = ['month', 'quarter', 'year'] as const;
export type Frequency = (typeof frequencies)[number];

/** The amounts of a filing, by any grouping. */
export const sums = {
  gross_amount: described(signedAmount, 'The sum of the taxable and the exempt amount.'),
  exempt_amount: described(signedAmount, 'The part that is not taxed. Negative if credits exceed sales.'),
  taxable_amount: described(signedAmount, 'The part that is taxed. Negative if credits exceed sales.'),
  tax_amount: described(signedAmount, 'The tax. Negative if credits exceed sales.'),
  count: described(count, 'The number of entries included. An entry with several rates counts once.'),
};

/**
 * The amounts of a state in one currency. Gross, exempt and taxable count each line once: as the state has it, or, if the
 * state levies no tax of its own (Alaska), as the jurisdiction with the largest gross. The tax is that of all levels.
 */
export const FilingSummary = described(
  z.object({ currency: currencyCode, ...sums }),
  'The amounts of the whole state in one currency.',
  { id: 'FilingSummary' },
);
export type FilingSummary = z.infer<typeof FilingSummary>;
