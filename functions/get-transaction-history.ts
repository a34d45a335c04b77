import { now } from '../shared/config/clock.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { lambdaHandler } from '../shared/http/lambda-handler.ts';
import { mapResult } from '../shared/result.ts';
import { historyReads } from '../shared/store/ledger/history-reads.ts';
import { partitions } from '../shared/store/table-access.ts';
import { transactionHistory } from '../shared/transactions/history/history.ts';
import { TransactionHistoryQuery } from '../shared/transactions/history/query.ts';

export const endpoint = defineEndpoint({
  name: 'get-transaction-history',
  method: 'GET',
  path: '/transactions/{id}/history',
  scope: 'read',
  access: {
    actions: { transactions: ['Query'] },
    partitions: { transactions: [partitions.transactions] },
  },
  tag: 'Transactions',
  summary: 'List the changes of a transaction',
  description: [
    'Every change, newest first, kept for ever. Page with `starting_after`.',
    'The entries are a chain: each holds the hash of the one before and of the state that it left, so that anybody can check that nothing was altered. The last entry of a draft after its deadline is the one that says so, whether or not it has been written yet.',
  ].join('\n\n'),
  query: TransactionHistoryQuery,
  responses: [{ status: 200, description: 'A page of changes.', schema: 'TransactionHistory' }],
  errors: ['validation_invalid_cursor', 'not_found'],
  run: async ({ id, query, caller }) => {
    const ports = { history: historyReads, now };
    return mapResult(await transactionHistory(id, query, caller.account, ports), (body) => ({ status: 200, body }));
  },
});

export const handler = lambdaHandler(endpoint);
