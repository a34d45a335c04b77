import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { accept, mapResult, type Result, refuse } from '../shared/base/result.ts';
import { now } from '../shared/config/clock.ts';
import { TransactionQuery, transactionWithHistory } from '../shared/ledger/history.ts';
import { notFound, transactionResponse } from '../shared/ledger/ports.ts';
import { RetrievedTransaction } from '../shared/ledger/response.ts';
import { expireIfDue } from '../shared/ledger/transaction.ts';
import { historyReads, ledgerReads } from '../shared/store/ledger/ledger-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

const withoutHistory = async (id: string, account: string): Promise<Result<RetrievedTransaction>> => {
  const stored = await ledgerReads.find(account, id);
  return stored ? accept({ ...expireIfDue(stored.transaction, now()), history: null }) : refuse(notFound);
};

export const { endpoint, handler } = defineEndpoint({
  name: 'get-transaction',
  method: 'GET',
  path: '/transactions/{id}',
  scope: 'read',
  access: ledgerAccess(['GetItem', 'Query'], partitions.transactions),
  query: TransactionQuery,
  run: async ({ id, query, caller: { account } }) => {
    const found = query.expand
      ? await transactionWithHistory(id, account, { history: historyReads, now })
      : await withoutHistory(id, account.id);
    return mapResult(found, (transaction) => transactionResponse(200, transaction));
  },
});

export const documentation = (): Documentation => ({
  summary: 'Retrieve a transaction',
  description:
    'Returns the current transaction. A draft past its deadline has the status void. `expand=history` adds the newest 50 changes. No other response contains `history`, and it is not part of the hashed state.',
  response: {
    description: 'The transaction.',
    schema: RetrievedTransaction,
    example: ({ finalized }) => ({ ...finalized, history: null }),
    headers: ['ETag'],
  },
});
