import { type Documentation, defineEndpoint, type Samples } from '../shared/api/define-endpoint.ts';
import { exampleId } from '../shared/api/openapi/sample-requests.ts';
import { now } from '../shared/config/clock.ts';
import { TransactionHistoryQuery, transactionHistory } from '../shared/ledger/history.ts';
import { listResponse } from '../shared/ledger/page-limit.ts';
import { TransactionHistory } from '../shared/ledger/response.ts';
import { historyReads } from '../shared/store/ledger/ledger-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'get-transaction-history',
  method: 'GET',
  path: '/transactions/{id}/history',
  scope: 'read',
  access: ledgerAccess(['Query'], partitions.transactions),
  query: TransactionHistoryQuery,
  respond: ({ id, query, caller }) => transactionHistory(id, query, caller.account, { history: historyReads, now }),
});

const exampleHistory = ({ finalized }: Samples) =>
  listResponse(
    `/transactions/${exampleId}/history`,
    [
      {
        version: 2,
        at: finalized.updated_at,
        by: 'key_9c1f24ad7be0',
        from: 'draft',
        to: 'finalized',
        fields: ['reference_id', 'status'],
        state_hash: 'H0LzI5m3mJcWqYx3Tt9bV8m1b0dQn7rP2wK4sE6uA1c',
        previous_hash: 'x5oZ0Wm3n1nQm0N0uT7xR2v0d4JXk3yq2mS8cQ2r9a0',
        hash: 'p8TzWm1oZ0n3Nq7xR0uT2v4d0JXk9yS3mQ2cr5a8b1E',
      },
    ],
    '2',
  );

export const documentation = (): Documentation => ({
  summary: 'List the changes of a transaction',
  description: [
    'Returns every change, newest first. Changes are never deleted. Page with `starting_after`.',
    'The entries form a hash chain: each has the hash of the previous entry and of the resulting state, so any change can be detected. For a draft past its deadline, the last entry is its expiry, even if it is not stored yet.',
  ].join('\n\n'),
  response: { description: 'A page of changes.', schema: TransactionHistory, example: exampleHistory },
});
