import { now } from '../config/clock.ts';
import { replyOfAnswer } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import { accept, mapResult, type Result, refuse } from '../result.ts';
import { historyReads } from '../store/ledger/history-reads.ts';
import { ledgerReads } from '../store/ledger/ledger-reads.ts';
import { answerOf } from '../transactions/answer.ts';
import { transactionWithHistory } from '../transactions/history/history.ts';
import { TransactionQuery } from '../transactions/history/query.ts';
import type { RetrievedTransaction } from '../transactions/history/response.ts';
import { asOf } from '../transactions/lifecycle.ts';
import { notFound } from '../transactions/ports.ts';

const withoutHistory = async (id: string, account: string): Promise<Result<RetrievedTransaction>> => {
  const stored = await ledgerReads.find(account, id);
  return stored ? accept({ ...asOf(stored.transaction, now()), history: null }) : refuse(notFound);
};

export const serve = operation({
  query: TransactionQuery,
  run: async ({ query, caller: { account }, exchange }) => {
    const id = exchange.pathParameters['id'] ?? '';
    const found = query.expand
      ? await transactionWithHistory(id, account, { history: historyReads, now })
      : await withoutHistory(id, account.id);
    return mapResult(found, (transaction) => replyOfAnswer({ answer: answerOf(200, transaction), isReplayed: false }));
  },
});
