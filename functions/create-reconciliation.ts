import { mapResult } from '../shared/base/result.ts';
import { now } from '../shared/config/clock.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { ok } from '../shared/http/reply.ts';
import { holderReads } from '../shared/store/ledger/ledger-reads.ts';
import { transactionIndex } from '../shared/store/ledger/transaction-index.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';
import { reconcile } from '../shared/transactions/reconciliation/reconcile.ts';
import { ReconciliationRequest, reconciliationProblems } from '../shared/transactions/reconciliation/request.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'create-reconciliation',
  method: 'POST',
  path: '/reconciliations',
  scope: 'read',
  access: {
    ...ledgerAccess(['BatchGetItem'], partitions.transactions, partitions.references),
    indexes: ['by_reference', 'by_tax_date'],
  },
  tag: 'Transactions',
  summary: 'Reconcile with a billing system',
  description: [
    'Compares a list of invoices and credit memos with the ledger, and stores nothing. Returns what is missing in the ledger, what has a different total or tax there, and, with a range of tax dates, what the ledger has in addition to the list. Only finalized and filed transactions count.',
    'Amounts must match exactly; amounts of credits are positive. A `reference_id` that occurs twice is rejected.',
    'Missing and different transactions are read with strong consistency, so a transaction that was just finalized counts. One response covers at most 2,000 transactions of the range, and has `complete: false` if there are more.',
  ].join('\n\n'),
  body: { schema: ReconciliationRequest, answer: {}, inspect: reconciliationProblems },
  responses: [
    { status: 200, description: 'The differences between the list and the ledger.', schema: 'Reconciliation' },
  ],
  errors: ['validation_invalid_cursor'],
  run: async ({ body, caller, unknownFields }) => {
    const ports = { holders: holderReads, index: transactionIndex, now };
    return mapResult(await reconcile(body, unknownFields, caller.account, ports), ok);
  },
});
