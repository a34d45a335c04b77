import type { LedgerEvent } from './event.ts';

const account = 'acct_01JC2W8Q4T6Y9B3F5H7K1M0N2P';
const filingId = 'fil_01JE8Z3V5X7C9B1N4M6K8J0H2G';

const sale = {
  id: 'txn_01JC3B5N7Q9S2T4V6W8X0Y1Z3A',
  type: 'sale',
  reference_id: 'order-1001',
  parent_transaction_id: null,
  currency: 'USD',
  tax_date: '2026-11-05',
  total_amount: '106.00',
  tax_amount: '6.00',
} as const;

const credit = {
  ...sale,
  id: 'txn_01JC7D9F1H3J5K7M9N2P4Q6R8S',
  type: 'credit',
  reference_id: 'refund-1001-1',
  parent_transaction_id: sale.id,
  total_amount: '53.00',
  tax_amount: '3.00',
} as const;

const filing = {
  id: filingId,
  state: 'US-MI',
  period_start: '2026-11-01',
  period_end: '2026-11-30',
  frequency: 'month',
  confirmation_number: null,
  summary: [
    {
      currency: 'USD',
      gross_amount: '50.00',
      exempt_amount: '0.00',
      taxable_amount: '50.00',
      tax_amount: '3.00',
      count: 2,
    },
  ],
} as const;

/** One event of each type, as it comes; the schemas show them. */
export const examples = [
  {
    event_id: `${sale.id}.1.transaction.created`,
    event_type: 'transaction.created',
    account,
    occurred_at: '2026-11-05T09:30:00.000Z',
    transaction: { ...sale, version: 1, status: 'draft', previous_status: null },
  },
  {
    event_id: `${sale.id}.2.transaction.finalized`,
    event_type: 'transaction.finalized',
    account,
    occurred_at: '2026-11-05T09:31:12.040Z',
    transaction: { ...sale, version: 2, status: 'finalized', previous_status: 'draft' },
  },
  {
    event_id: `${credit.id}.1.credit.finalized`,
    event_type: 'credit.finalized',
    account,
    occurred_at: '2026-11-07T16:02:45.500Z',
    transaction: { ...credit, version: 1, status: 'finalized', previous_status: null },
  },
  {
    event_id: `${sale.id}.4.transaction.filed`,
    event_type: 'transaction.filed',
    account,
    occurred_at: '2026-12-15T08:00:03.000Z',
    transaction: { ...sale, version: 4, status: 'filed', previous_status: 'finalized' },
  },
  {
    event_id: `${credit.id}.2.transaction.voided`,
    event_type: 'transaction.voided',
    account,
    occurred_at: '2026-11-08T10:00:00.000Z',
    transaction: { ...credit, version: 2, status: 'void', previous_status: 'finalized' },
  },
  {
    event_id: `${sale.id}.2.draft.expired`,
    event_type: 'draft.expired',
    account,
    occurred_at: '2026-11-06T09:30:00.000Z',
    transaction: { ...sale, version: 2, status: 'void', previous_status: 'draft' },
  },
  {
    event_id: `${filingId}.2.filing.closed`,
    event_type: 'filing.closed',
    account,
    occurred_at: '2026-12-01T00:05:02.000Z',
    filing: { ...filing, version: 2, status: 'closed' },
  },
  {
    event_id: `${filingId}.4.filing.filed`,
    event_type: 'filing.filed',
    account,
    occurred_at: '2026-12-15T08:00:04.000Z',
    filing: { ...filing, version: 4, status: 'filed', confirmation_number: 'MI-2026-11-778' },
  },
  {
    event_id: `${filingId}.4.filing.canceled`,
    event_type: 'filing.canceled',
    account,
    occurred_at: '2026-12-02T11:20:00.000Z',
    filing: { ...filing, version: 4, status: 'canceled' },
  },
] as unknown as readonly LedgerEvent[];
