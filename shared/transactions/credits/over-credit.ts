import { exponentOf, formatAmount } from '../../money/currency.ts';
import type { Problem } from '../../problem.ts';
import type { Share } from './counters.ts';

/** The amount that a credit exceeds; `meta` has the remainder. */
const details = {
  sale: 'More would be credited than is left of the sale. Credit at most meta.remaining_amount and its tax.',
  line: 'More would be credited than is left of this line. Credit at most meta.remaining_amount and its tax.',
  shipping: 'More would be credited than is left of the shipping. Credit at most meta.remaining_amount and its tax.',
  tax: 'More tax would be credited than is left where this credit takes it. Send at most meta.remaining_tax_amount.',
} as const;

/**
 * The problem of a credit that exceeds the remainder of its parent, or of a line or the shipping, in minor units. For a
 * supplied tax: the remaining net of the sale, and the remaining tax of the credited lines.
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
