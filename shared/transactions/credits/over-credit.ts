import { exponentOf, formatAmount } from '../../money/currency.ts';
import type { Problem } from '../../problem.ts';
import type { Share } from './counters.ts';

/** What a credit takes too much of; `meta` has what is left of that. */
const details = {
  sale: 'More would be credited than is left of the sale. Credit at most meta.remaining_amount and its tax.',
  line: 'More would be credited than is left of this line. Credit at most meta.remaining_amount and its tax.',
  shipping: 'More would be credited than is left of the shipping. Credit at most meta.remaining_amount and its tax.',
  tax: 'More tax would be credited than is left where this credit takes it. Send at most meta.remaining_tax_amount.',
} as const;

/**
 * The refusal of a credit that would exceed what is left of its parent, or of a line or the shipping of it, in minor
 * units. Of a supplied tax: what is left of the sale's net, and of the tax of what is credited.
 */
export const overCredit = (
  remaining: Share,
  currency: string,
  pointer: string,
  of: keyof typeof details = 'sale',
): Problem => ({
  code: 'conflict_over_credit',
  title: 'Credit exceeds the sale',
  detail: details[of],
  source: { pointer },
  meta: {
    remaining_amount: formatAmount(remaining.net, exponentOf(currency)),
    remaining_tax_amount: formatAmount(remaining.tax, exponentOf(currency)),
  },
});
