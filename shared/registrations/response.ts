import * as z from 'zod/mini';
import { described } from '../base/described.ts';
import { amount, count, date, objectType } from '../base/response-scalars.ts';
import { warnings } from '../calculations/response.ts';
import { asOfField } from '../reports/response.ts';
import { measures, nexusStatuses } from './economic-nexus.ts';

const MeasuredPeriod = described(
  z.object({
    from: described(date, 'The first day.'),
    to: described(date, 'The last day. In the current period, the last day of the current month.'),
    counts_from: described(
      z.nullable(date),
      'The day from which the state counts the period. `null` if it already counts.',
    ),
    sales_amount: described(amount, 'The sales in US dollars, as the state measures them, before credits.'),
    transaction_count: described(count, 'The number of sales.'),
    share_reached: described(
      z.string(),
      'The share of the threshold that is reached, as a fraction, rounded down. With two thresholds, it is the larger share if either is enough, the smaller if both are required.',
      { pattern: '^\\d+\\.\\d{4}$' },
    ),
    reached: described(z.boolean(), 'Whether the threshold is reached in this period.'),
  }),
  'Sales of a state in one measuring period.',
  { id: 'NexusPeriod' },
);
export type MeasuredPeriod = z.infer<typeof MeasuredPeriod>;

const reachedAt = z.enum(['over', 'at_least']);

const NexusThreshold = described(
  z.object({
    sales_amount: described(amount, 'The sales threshold in US dollars.'),
    sales_reached_at: described(reachedAt, '`over` the amount, or `at_least` the amount.', { title: 'ReachedAt' }),
    transaction_count: described(z.nullable(count), 'The transaction threshold. `null` if there is none.'),
    count_reached_at: described(
      z.nullable(described(reachedAt, '`over` the count, or `at_least` the count.', { title: 'ReachedAt' })),
      'How the transaction threshold is reached. `null` if there is none.',
    ),
    requires: described(z.enum(['sales', 'either', 'both']), 'Which threshold must be reached.', {
      title: 'NexusRequirement',
    }),
    measured: described(
      z.enum(measures),
      'Which sales count: `gross` (all), `retail` (without sales for resale) or `taxable` (without exempt sales).',
      { title: 'NexusMeasure' },
    ),
    includes_marketplace: described(
      z.boolean(),
      'Whether sales whose tax a marketplace collects count toward the threshold.',
    ),
    period: described(z.string(), 'The measuring period in words.'),
    effective_from: described(date, 'The day from which the threshold applies.'),
    source: described(z.string(), 'The source of this information.'),
    confidence: described(z.string(), '`high` or `medium`. Check it with the state.'),
    note: described(z.string(), 'What else the sources say.'),
  }),
  'The economic nexus threshold of a state.',
  { id: 'NexusThreshold' },
);

const StateAdvice = described(
  z.object({
    state: described(z.string(), 'The jurisdiction code of the state, such as `US-MI`.'),
    state_name: described(z.string(), 'The name of the state.'),
    status: described(
      z.enum(nexusStatuses),
      '`registered` today; `reached` (the threshold is reached: register); `upcoming` (reached in a period that counts later, from `counts_from`); `approaching` (80 percent or more); or `below`.',
      { title: 'NexusStatus' },
    ),
    advice: described(z.string(), 'What to do, in one sentence.'),
    periods: described(z.array(MeasuredPeriod), 'The last measuring period that is over, and the running one.'),
    threshold: NexusThreshold,
  }),
  'Whether an account must register in one state.',
  { id: 'StateRegistrationAdvice' },
);
export type StateAdvice = z.infer<typeof StateAdvice>;

/** The response of GET /registrations/advice. */
export const RegistrationAdvice = described(
  z.object({
    object: objectType('registration_advice'),
    date: described(date, "Today in the account's time zone."),
    as_of: asOfField,
    data: described(
      z.array(StateAdvice),
      'The states with a threshold, those that need action first. Delaware, Montana, New Hampshire and Oregon have no sales tax.',
    ),
    warnings,
  }),
  'Economic nexus by state.',
  { id: 'RegistrationAdvice' },
);
export type RegistrationAdvice = z.infer<typeof RegistrationAdvice>;
