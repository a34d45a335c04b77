import { now } from '../shared/config/clock.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { mapResult } from '../shared/result.ts';
import { ledgerReads } from '../shared/store/ledger-reads.ts';
import { transactionIndex } from '../shared/store/transaction-index.ts';
import { TransactionListQuery } from '../shared/transactions/list-query.ts';
import { listTransactions } from '../shared/transactions/list-transactions.ts';

/** GET /transactions: an account's transactions, newest first. */
export const handler = endpoint('list-transactions', {
  query: TransactionListQuery,
  run: async ({ query, caller }) =>
    mapResult(
      await listTransactions(query, caller.account, { index: transactionIndex, ledger: ledgerReads, now }),
      (list) => ({
        status: 200,
        body: list,
      }),
    ),
});
