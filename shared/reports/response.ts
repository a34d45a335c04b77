import type * as z from 'zod/mini';
import { array, component, described, nullable, string } from '../base/described.ts';
import {
  count,
  currencyCode,
  hasMore,
  nextCursor,
  objectType,
  signedAmount,
  timestamp,
} from '../base/response-scalars.ts';
import { warnings } from '../calculations/response.ts';
import { amounts } from '../filings/filing.ts';

const month = string('A month, as `YYYY-MM`.', { pattern: '^\\d{4}-\\d{2}$' });

export const asOfField = nullable(
  timestamp,
  'When an amount in this response last changed. A transaction counts about a minute after it is finalized or voided. `null` without any amounts.',
);

const ReportAmounts = component(
  'ReportAmounts',
  'Amounts of finalized and filed transactions. Amounts of credits are positive.',
  {
    ...amounts,
    gross_amount: described(signedAmount, 'The sum of the taxable, the exempt and the not covered amount.'),
    count: described(count, 'The number of transactions with lines in the state.'),
  },
);
export type ReportAmounts = z.infer<typeof ReportAmounts>;

const ReportRow = component('ReportByStateRow', 'The amounts of one state, month and currency.', {
  state: string('The jurisdiction code of the state, such as `US-MI`.'),
  month: described(month, 'The month of the tax day, as `YYYY-MM`.'),
  currency: currencyCode,
  sales: described(ReportAmounts, 'The sales, before credits.'),
  credits: described(ReportAmounts, "The credits, as positive amounts, in the month of the credit's tax day."),
});

/** The response of GET /reports/by-state. */
export const ReportByState = component('ReportByState', 'Sales and credits by state and month.', {
  object: objectType('report_by_state'),
  from: described(month, 'The first month, as `YYYY-MM`.'),
  to: described(month, 'The last month, as `YYYY-MM`.'),
  as_of: asOfField,
  has_more: hasMore,
  next_cursor: nextCursor,
  data: array(
    ReportRow,
    'The rows with amounts, by month, state and currency. A page has at most 2,000 rows, enough for all states over 36 months in one currency.',
  ),
  warnings,
});
export type ReportByState = z.infer<typeof ReportByState>;
