import { now } from '../shared/config/clock.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { lambdaHandler } from '../shared/http/lambda-handler.ts';
import { mapResult } from '../shared/result.ts';
import { holderReads } from '../shared/store/ledger/holder-reads.ts';
import { transactionIndex } from '../shared/store/ledger/transaction-index.ts';
import { partitions } from '../shared/store/table-access.ts';
import { reconcile } from '../shared/transactions/reconciliation/reconcile.ts';
import { ReconciliationRequest, reconciliationProblems } from '../shared/transactions/reconciliation/request.ts';

export const endpoint = defineEndpoint({
  name: 'create-reconciliation',
  method: 'POST',
  path: '/reconciliations',
  scope: 'read',
  access: {
    actions: { transactions: ['BatchGetItem'] },
    indexes: ['by_reference', 'by_tax_date'],
    partitions: { transactions: [partitions.transactions, partitions.references] },
  },
  tag: 'Transactions',
  summary: 'Reconcile with a billing system',
  description: [
    'Compares a list of invoices and credit memos with the ledger, and stores nothing: what is missing in the ledger, what it has with another total or tax, and, with a range of tax dates, what it has beyond the list. What counts is finalized or filed.',
    'Amounts are compared exactly, and those of credits are positive. A reference_id that is sent twice is refused.',
    'What is missing or different is read from the table itself: a transaction that was finalized a moment ago counts. One answer looks through at most 2,000 transactions of the range, and says `complete: false` where there are more.',
  ].join('\n\n'),
  requestHeaders: ['Prefer'],
  body: { schema: ReconciliationRequest, answer: {}, inspect: reconciliationProblems },
  responses: [
    {
      status: 200,
      description: 'How the list compares with the ledger.',
      schema: 'Reconciliation',
      optionalHeaders: ['Preference-Applied'],
    },
  ],
  errors: ['validation_invalid_cursor'],
  run: async ({ body, caller, unknownFields }) => {
    const ports = { holders: holderReads, index: transactionIndex, now };
    return mapResult(await reconcile(body, unknownFields, caller.account, ports), (reconciliation) => ({
      status: 200,
      body: reconciliation,
    }));
  },
});

export const handler = lambdaHandler(endpoint);
