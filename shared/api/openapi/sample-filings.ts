import { findFilingTerms } from '../../filings/filing-calendar.ts';
import type { Filing } from '../../filings/response.ts';
import { exampleFilingId } from './sample-requests.ts';

const michigan = {
  jurisdiction_code: 'US-MI',
  jurisdiction_name: 'Michigan',
  jurisdiction_type: 'state',
} as const;

const figures = {
  gross_amount: '95.00',
  exempt_amount: '0.00',
  exempt_by_reason: {
    resale: '0.00',
    product: '0.00',
    customer: '0.00',
    snap: '0.00',
    marketplace: '0.00',
    not_registered: '0.00',
  },
  not_covered_amount: '0.00',
  taxable_amount: '95.00',
  calculated_tax_amount: '5.70',
  tax_amount: '5.70',
  over_collected_amount: '0.00',
  credit_amount: '0.00',
  credit_count: 0,
  count: 1,
} as const;

/** October in Michigan, with the example sale as its only transaction. */
export const closed: Filing = {
  object: 'filing',
  id: exampleFilingId,
  state: 'US-MI',
  period_start: '2026-10-01',
  period_end: '2026-10-31',
  frequency: 'month',
  ...findFilingTerms('US-MI', 'month', '2026-10-31'),
  status: 'closed',
  confirmation_number: null,
  totals: [{ ...michigan, reporting_code: null, currency: 'USD', ...figures, rates: [{ rate: '0.06', ...figures }] }],
  totals_next_cursor: null,
  summary: [{ currency: 'USD', ...figures }],
  exceptions: { count: 0, gross_amount: '0.00', by_reason: [], transactions: null },
  progress: { entries_moved: 1, entries_marked: 0, entries_reopened: 0, complete: true },
  asked_by: 'key_9c1f24ad7be0',
  created_at: '2026-11-02T09:00:00.000Z',
  closed_at: '2026-11-02T09:00:00.250Z',
  filed_at: null,
  canceled_at: null,
  warnings: [],
  entries: null,
};

export const closing: Filing = {
  ...closed,
  status: 'closing',
  totals: [],
  summary: [],
  progress: { entries_moved: 0, entries_marked: 0, entries_reopened: 0, complete: false },
  closed_at: null,
};

export const dryRun: Filing = {
  ...closed,
  id: null,
  status: 'dry_run',
  exceptions: { count: 0, gross_amount: '0.00', by_reason: [], transactions: [] },
  created_at: null,
  closed_at: null,
};

/** The return was sent, and Levy is marking the transactions as filed. */
export const marking: Filing = {
  ...closed,
  status: 'marking',
  confirmation_number: 'MI-2026-10-4711',
  progress: { ...closed.progress, complete: false },
};

export const filed: Filing = {
  ...marking,
  status: 'filed',
  progress: { ...closed.progress, entries_marked: 1 },
  filed_at: '2026-11-16T15:00:00.000Z',
};
