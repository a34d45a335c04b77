import * as z from 'zod/mini';
import { array, boolean, component, described, nullable, string, stringEnum } from '../base/described.ts';
import { amount, count, date, objectType } from '../base/response-scalars.ts';
import { warnings } from '../calculations/response.ts';
import { asOfField } from '../reports/response.ts';
import { type MeasuringPeriod, measures, nexusStatuses } from './economic-nexus.ts';

const MeasuredPeriod = component('NexusPeriod', 'Sales of a state in one measuring period.', {
  from: described(date, 'The first day.'),
  to: described(date, 'The last day. In the current period, the last day of the current month.'),
  counts_from: nullable(date, 'The day from which the state counts the period. `null` if it already counts.'),
  sales_amount: described(amount, 'The sales in US dollars, as the state measures them, before credits.'),
  transaction_count: described(
    count,
    'The number of sales. Sales whose tax a marketplace collects count only if `includes_marketplace` is true; sales for resale and exempt sales always count.',
  ),
  share_reached: string(
    'The share of the threshold that is reached, as a fraction, rounded down. With two thresholds, it is the larger share if either is enough, the smaller if both are required.',
    { pattern: '^\\d+\\.\\d{4}$' },
  ),
  reached: boolean('Whether the threshold is reached in this period.'),
});
export type MeasuredPeriod = z.infer<typeof MeasuredPeriod>;

const reachedAt = z.enum(['over', 'at_least']);

const NexusThreshold = component('NexusThreshold', 'The economic nexus threshold of a state.', {
  sales_amount: described(amount, 'The sales threshold in US dollars.'),
  sales_reached_at: described(reachedAt, '`over` the amount, or `at_least` the amount.', { title: 'ReachedAt' }),
  transaction_count: nullable(count, 'The transaction threshold. `null` if there is none.'),
  count_reached_at: nullable(
    described(reachedAt, '`over` the count, or `at_least` the count.', { title: 'ReachedAt' }),
    'How the transaction threshold is reached. `null` if there is none.',
  ),
  requires: stringEnum('NexusRequirement', ['sales', 'either', 'both'], 'Which threshold must be reached.'),
  measured: stringEnum(
    'NexusMeasure',
    measures,
    'Which sales count: `gross` (all), `retail` (without sales for resale) or `taxable` (without exempt sales).',
  ),
  includes_marketplace: boolean('Whether sales whose tax a marketplace collects count toward the threshold.'),
  period: string('The measuring period in words.'),
  effective_from: described(date, 'The day from which the threshold applies.'),
  source: string('The source of this information.'),
  confidence: string('`high` or `medium`. Check it with the state.'),
  note: string('Details from the sources.'),
});

/** The terms of a threshold, with its measuring period as data. */
export type NexusTerms = Omit<z.infer<typeof NexusThreshold>, 'period'> & { readonly period: MeasuringPeriod };

const StateAdvice = component('StateRegistrationAdvice', 'Whether an account must register in one state.', {
  state: string('The jurisdiction code of the state, such as `US-MI`.'),
  state_name: string('The name of the state.'),
  status: stringEnum(
    'NexusStatus',
    nexusStatuses,
    '`registered` today; `registered_later` (registered today, but sales were recorded before the registration was set: record them again); `reached` (the threshold is reached: register); `upcoming` (reached in a period that counts later, from `counts_from`); `approaching` (80 percent or more); or `below`.',
  ),
  advice: string('What to do.'),
  periods: array(MeasuredPeriod, 'The last measuring period that is over, and the running one.'),
  threshold: NexusThreshold,
});
export type StateAdvice = z.infer<typeof StateAdvice>;

/** The response of GET /registrations/advice. */
export const RegistrationAdvice = component('RegistrationAdvice', 'Economic nexus by state.', {
  object: objectType('registration_advice'),
  date: described(date, "Today in the account's time zone."),
  as_of: asOfField,
  data: array(
    StateAdvice,
    'The states with a threshold, those that need action first. Delaware, Montana, New Hampshire and Oregon have no sales tax.',
  ),
  warnings,
});
export type RegistrationAdvice = z.infer<typeof RegistrationAdvice>;
