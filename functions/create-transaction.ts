import { defaults } from '../shared/accounts/account.ts';
import { withTaxDay } from '../shared/accounts/time-zone.ts';
import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { readIdempotency } from '../shared/api/idempotency.ts';
import { oneItem, refund, sale } from '../shared/api/openapi/sample-requests.ts';
import { transactionResponseFields } from '../shared/calculations/response-fields.ts';
import { sentWarnings } from '../shared/calculations/sent-warnings.ts';
import { createTransaction } from '../shared/ledger/create-transaction.ts';
import { newTransactionProblems, TransactionRequest } from '../shared/ledger/request.ts';
import { Transaction } from '../shared/ledger/response.ts';
import { recordCreation, recordTax } from '../shared/observability/tally.ts';
import { newTransactionId } from '../shared/store/ledger/new-id.ts';
import { transactionPorts } from '../shared/store/ledger/transaction-ports.ts';
import { contentReads, customersRead, transactionPartitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'create-transaction',
  method: 'POST',
  path: '/transactions',
  scope: 'write',
  access: {
    actions: { ...contentReads, transactions: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'] },
    partitions: { transactions: transactionPartitions },
    ...customersRead,
  },
  body: { schema: TransactionRequest, ignored: transactionResponseFields, inspect: newTransactionProblems },
  run: async ({ body, sent, caller, unknownFields, context }) => {
    const request = withTaxDay(body, caller.account);
    const warnings = sentWarnings(sent, unknownFields, caller.account);
    const { replaces } = context;
    const creation = { request, idempotency: readIdempotency(context), sent: warnings, sentBody: sent, replaces };
    const ports = { ...transactionPorts(context.remainingMs), newId: newTransactionId };
    const created = await createTransaction(creation, caller, ports);
    if (created.ok && created.value.transaction) {
      recordTax(created.value.transaction);
      recordCreation();
    }
    return created;
  },
});

export const documentation = (): Documentation => ({
  summary: 'Create a transaction',
  description: `Records a sale or a credit. A draft expires after ${defaults.draft_ttl_hours} hours by default; a finalized transaction creates a tax liability. A credit with a parent and without line items reverses the whole sale, with the tax that was recorded.`,
  requests: {
    draft: { summary: 'Draft before the invoice is created', value: { ...sale, status: 'draft' } },
    finalized: {
      summary: 'Completed sale with the collected tax',
      value: { ...sale, status: 'finalized', reference_id: 'invoice_1001', tax_amount: '5.70' },
    },
    fullRefund: { summary: 'Full refund', value: refund },
    partialRefund: { summary: 'Partial refund of one of two items', value: { ...refund, line_items: oneItem } },
  },
  response: {
    status: 201,
    description: 'The created transaction.',
    schema: Transaction,
    example: ({ draft }) => draft,
    headers: ['Location', 'ETag'],
  },
});
