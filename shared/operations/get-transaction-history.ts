import { now } from '../config/clock.ts';
import { operation } from '../http/operation.ts';
import { mapResult } from '../result.ts';
import { historyReads } from '../store/ledger/history-reads.ts';
import { transactionHistory } from '../transactions/history/history.ts';
import { TransactionHistoryQuery } from '../transactions/history/query.ts';

const ports = { history: historyReads, now };

export const serve = operation({
  query: TransactionHistoryQuery,
  run: async ({ query, caller, exchange }) =>
    mapResult(await transactionHistory(exchange.pathParameters['id'] ?? '', query, caller.account, ports), (list) => ({
      status: 200,
      body: list,
    })),
});
