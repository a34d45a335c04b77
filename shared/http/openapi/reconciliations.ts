import { ReconciliationRequest } from '../../transactions/reconciliation/request.ts';
import { Reconciliation } from '../../transactions/reconciliation/response.ts';
import { finalized } from './answer-examples.ts';
import type { OperationDefinition } from './operations.ts';

const example: Reconciliation = {
  object: 'reconciliation',
  from: '2026-10-01',
  to: '2026-10-31',
  matched_count: 1,
  missing: [{ reference_id: 'invoice_1003', transaction_id: null, reason: 'not_found' }],
  different: [
    {
      reference_id: 'invoice_1002',
      transaction_id: finalized.id,
      type: 'sale',
      status: 'finalized',
      sent: { total_amount: '100.00', tax_amount: '5.00' },
      recorded: { total_amount: '100.70', tax_amount: '5.70' },
      difference: { total_amount: '0.70', tax_amount: '0.70' },
    },
  ],
  extra: [],
  complete: true,
  next_cursor: null,
  warnings: [],
};

export const createReconciliation: OperationDefinition = {
  tag: 'Transactions',
  summary: 'Reconcile with a billing system',
  description: [
    'Compares a list of invoices and credit memos with the ledger, and stores nothing: what is missing in the ledger, what it has with another total or tax, and, with a range of tax dates, what it has beyond the list. What counts is finalized or filed.',
    'Amounts are compared exactly, and those of credits are positive. A reference_id that is sent twice is refused.',
    'What is missing or different is read from the table itself: a transaction that was finalized a moment ago counts. One answer looks through at most 2,000 transactions of the range, and says `complete: false` where there are more.',
  ].join('\n\n'),
  requestHeaders: ['Prefer'],
  body: ReconciliationRequest,
  success: {
    status: 200,
    description: 'How the list compares with the ledger.',
    schema: Reconciliation,
    example,
    sometimes: ['Preference-Applied'],
  },
};
