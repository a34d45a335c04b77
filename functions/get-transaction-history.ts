import { mapResult } from '../shared/base/result.ts';
import { now } from '../shared/config/clock.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { ok } from '../shared/http/reply.ts';
import { historyReads } from '../shared/store/ledger/ledger-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';
import { transactionHistory } from '../shared/transactions/history/history.ts';
import { TransactionHistoryQuery } from '../shared/transactions/history/query.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'get-transaction-history',
  method: 'GET',
  path: '/transactions/{id}/history',
  scope: 'read',
  access: ledgerAccess(['Query'], partitions.transactions),
  tag: 'Transactions',
  summary: 'List the changes of a transaction',
  description: [
    'Returns every change, newest first. Changes are never deleted. Page with `starting_after`.',
    'The entries form a hash chain: each has the hash of the previous entry and of the resulting state, so any change can be detected. For a draft past its deadline, the last entry is its expiry, even if it is not stored yet.',
  ].join('\n\n'),
  query: TransactionHistoryQuery,
  responses: [{ status: 200, description: 'A page of changes.', schema: 'TransactionHistory' }],
  errors: ['validation_invalid_cursor', 'not_found'],
  run: async ({ id, query, caller }) => {
    const ports = { history: historyReads, now };
    return mapResult(await transactionHistory(id, query, caller.account, ports), ok);
  },
});
