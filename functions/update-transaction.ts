import { withTaxDay } from '../shared/accounts/time-zone.ts';
import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { readIfMatch } from '../shared/api/entity-tag.ts';
import { readIdempotency } from '../shared/api/idempotency.ts';
import { transactionResponseFields } from '../shared/calculations/response-fields.ts';
import { sentWarnings } from '../shared/calculations/sent-warnings.ts';
import { freeFields, listUpdateProblems, TransactionUpdate } from '../shared/ledger/request.ts';
import { Transaction } from '../shared/ledger/response.ts';
import { updateTransaction } from '../shared/ledger/update-transaction.ts';
import { transactionPorts } from '../shared/store/ledger/transaction-ports.ts';
import { contentReads, customersRead, transactionPartitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'update-transaction',
  method: 'POST',
  path: '/transactions/{id}',
  scope: 'write',
  access: {
    actions: {
      ...contentReads,
      transactions: ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
    },
    partitions: { transactions: transactionPartitions },
    ...customersRead,
  },
  body: { schema: TransactionUpdate, ignored: transactionResponseFields, inspect: listUpdateProblems },
  run: ({ id, body, sent, caller, unknownFields, context }) => {
    const ifMatch = readIfMatch(context.headers.get('if-match'));
    const changed = withTaxDay(body, caller.account);
    const warnings = sentWarnings(sent, unknownFields, caller.account, true);
    const update = { id, update: changed, ifMatch, idempotency: readIdempotency(context), sent: warnings };
    return updateTransaction(update, caller, transactionPorts(context.remainingMs));
  },
});

export const documentation = (): Documentation => ({
  summary: 'Update a transaction',
  description: [
    'Changes the fields that are sent. Edits and `status: finalized` in one request apply in that order, as one version.',
    'A field sent with its stored value is unchanged in every status, so a repeated finalization returns 200.',
    '',
    '| Field | draft | finalized | filed, void |',
    '|---|---|---|---|',
    '| status | finalized, void | void | none |',
    '| line_items, tax_date, and the other inputs | yes, recalculates | no | no |',
    '| tax_amount | yes | while its period is open and no credit is in force | no |',
    '| reference_id | yes | once, if null | no |',
    `| ${freeFields.join(', ')} | yes | yes | yes |`,
    '| type, parent_transaction_id | no | no | no |',
  ].join('\n'),
  requestHeaders: ['IfMatch'],
  requests: {
    finalize: {
      summary: 'Finalize a draft after the invoice is created',
      value: { status: 'finalized', reference_id: 'invoice_1002' },
    },
    void: { summary: 'Void a transaction', value: { status: 'void', void_reason: 'Entered twice' } },
    note: { summary: 'Set and delete metadata', value: { metadata: { order: 'A-17', note: null } } },
  },
  response: {
    description: 'The transaction after the change.',
    schema: Transaction,
    example: ({ finalized }) => finalized,
    headers: ['ETag'],
  },
});
