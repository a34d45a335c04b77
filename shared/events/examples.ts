const account = 'acct_01JC2W8Q4T6Y9B3F5H7K1M0N2P';

const sale = {
  id: 'txn_01JC3B5N7Q9S2T4V6W8X0Y1Z3A',
  type: 'sale',
  reference_id: 'order-1001',
  parent_transaction_id: null,
  currency: 'USD',
  tax_date: '2026-11-05',
  total_amount: '106.00',
  tax_amount: '6.00',
};

const credit = {
  ...sale,
  id: 'txn_01JC7D9F1H3J5K7M9N2P4Q6R8S',
  type: 'credit',
  reference_id: 'refund-1001-1',
  parent_transaction_id: sale.id,
  total_amount: '53.00',
  tax_amount: '3.00',
};

const filing = {
  id: 'fil_01JE8Z3V5X7C9B1N4M6K8J0H2G',
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
};

const transactionEvent = (
  type: string,
  of: typeof sale | typeof credit,
  version: number,
  [previous_status, status]: readonly [before: string | null, after: string],
  occurred_at: string,
) => ({
  event_id: `${of.id}.${version}.${type}`,
  event_type: type,
  account,
  occurred_at,
  transaction: { ...of, version, status, previous_status },
});

const filingEvent = (type: string, version: number, status: string, occurred_at: string, changes = {}) => ({
  event_id: `${filing.id}.${version}.${type}`,
  event_type: type,
  account,
  occurred_at,
  filing: { ...filing, version, status, ...changes },
});

/** One event of each type, which the schemas show. */
export const examples = [
  transactionEvent('transaction.created', sale, 1, [null, 'draft'], '2026-11-05T09:30:00.000Z'),
  transactionEvent('transaction.finalized', sale, 2, ['draft', 'finalized'], '2026-11-05T09:31:12.040Z'),
  transactionEvent('credit.finalized', credit, 1, [null, 'finalized'], '2026-11-07T16:02:45.500Z'),
  transactionEvent('transaction.filed', sale, 4, ['finalized', 'filed'], '2026-12-15T08:00:03.000Z'),
  transactionEvent('transaction.voided', credit, 2, ['finalized', 'void'], '2026-11-08T10:00:00.000Z'),
  transactionEvent('draft.expired', sale, 2, ['draft', 'void'], '2026-11-06T09:30:00.000Z'),
  filingEvent('filing.closed', 2, 'closed', '2026-12-01T00:05:02.000Z'),
  filingEvent('filing.filed', 4, 'filed', '2026-12-15T08:00:04.000Z', { confirmation_number: 'MI-2026-11-778' }),
  filingEvent('filing.canceled', 4, 'canceled', '2026-12-02T11:20:00.000Z'),
];
