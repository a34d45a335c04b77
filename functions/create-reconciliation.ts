import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { exampleId } from '../shared/api/openapi/sample-requests.ts';
import { now } from '../shared/config/clock.ts';
import { ReconciliationRequest, reconcile, reconciliationProblems } from '../shared/ledger/reconciliation.ts';
import { Reconciliation } from '../shared/ledger/response.ts';
import { holderReads } from '../shared/store/ledger/ledger-reads.ts';
import { transactionIndex } from '../shared/store/ledger/transaction-index.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'create-reconciliation',
  method: 'POST',
  path: '/reconciliations',
  scope: 'read',
  access: {
    ...ledgerAccess(['BatchGetItem'], partitions.transactions, partitions.references),
    indexes: ['by_reference', 'by_tax_date'],
  },
  body: { schema: ReconciliationRequest, ignored: {}, inspect: reconciliationProblems },
  respond: ({ body, caller, unknownFields }) =>
    reconcile(body, unknownFields, caller.account, { holders: holderReads, index: transactionIndex, now }),
});

const exampleReconciliation = {
  object: 'reconciliation',
  from: '2026-10-01',
  to: '2026-10-31',
  matched_count: 1,
  missing: [{ reference_id: 'invoice_1003', transaction_id: null, reason: 'not_found' }],
  different: [
    {
      reference_id: 'invoice_1002',
      transaction_id: exampleId,
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

export const documentation = (): Documentation => ({
  summary: 'Reconcile with a billing system',
  description: [
    'Compares a list of invoices and credit memos with the ledger, and stores nothing. Returns what is missing in the ledger, what has a different total or tax there, and, with a range of tax dates, what is only in the ledger. Only finalized and filed transactions count.',
    'Amounts must match exactly; amounts of credits are positive. A `reference_id` that occurs twice is rejected.',
    'Missing and different transactions are read with strong consistency, so a transaction that was just finalized counts. One response covers at most 2,000 transactions of the range, and has `complete: false` if there are more.',
  ].join('\n\n'),
  requests: {
    month: {
      summary: 'Invoices of one month',
      value: {
        from: '2026-10-01',
        to: '2026-10-31',
        transactions: [
          { reference_id: 'invoice_1001', total_amount: '100.70', tax_amount: '5.70' },
          { reference_id: 'invoice_1002', total_amount: '100.00', tax_amount: '5.00' },
          { reference_id: 'invoice_1003', total_amount: '53.00', tax_amount: '3.00' },
        ],
      },
    },
  },
  response: {
    description: 'The differences between the list and the ledger.',
    schema: Reconciliation,
    example: () => exampleReconciliation,
  },
});
