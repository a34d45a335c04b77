import { now } from '../config/clock.ts';
import { operation } from '../http/operation.ts';
import { mapResult } from '../result.ts';
import { ledgerReads } from '../store/ledger/ledger-reads.ts';
import { transactionIndex } from '../store/ledger/transaction-index.ts';
import { TransactionListQuery } from '../transactions/list-query.ts';
import { listTransactions } from '../transactions/list-transactions.ts';

export const serve = operation({
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
