import * as z from 'zod/mini';
import { described } from '../base/described.ts';
import { date, hasMore, nextCursor, objectType, timestamp } from '../base/response-scalars.ts';
import { frequencies } from './filing.ts';

const FilingPeriod = described(
  z.object({
    object: objectType('filing_period'),
    state: described(z.string(), 'The code of the state, such as `US-MI`.'),
    period_start: described(date, 'The first day.'),
    period_end: described(date, 'The last day.'),
    frequency: described(z.enum(frequencies), 'The frequency of the registration.', { title: 'FilingFrequency' }),
    is_over: described(z.boolean(), "Whether the period is over, by the day in the account's time zone."),
    closes_at: described(
      z.nullable(timestamp),
      'From when on the schedule closes the period. `null` if it does not, because a client canceled the filing or the registration has ended.',
    ),
    due_date: described(z.nullable(date), 'When the return is due. `null` where this is not established.'),
  }),
  'A period of a registered state without a filing.',
  { id: 'FilingPeriod' },
);
export type FilingPeriod = z.infer<typeof FilingPeriod>;

/** The response of GET /filing-periods. */
export const FilingPeriodList = described(
  z.object({
    object: objectType('list'),
    url: described(z.literal('/filing-periods'), 'The path of the list.'),
    has_more: hasMore,
    next_cursor: nextCursor,
    data: described(z.array(FilingPeriod), 'By state, the oldest period first.'),
  }),
  'A page of the periods without a filing.',
  { id: 'FilingPeriodList' },
);
export type FilingPeriodList = z.infer<typeof FilingPeriodList>;
