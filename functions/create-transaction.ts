import { endpoint } from '../shared/http/endpoint.ts';
import { idempotencyOf, replyOfAnswer } from '../shared/http/idempotency.ts';
import { mapResult } from '../shared/result.ts';
import { newTransactionId } from '../shared/store/new-id.ts';
import { transactionPorts } from '../shared/store/transaction-ports.ts';
import { transactionAnswerFields } from '../shared/transactions/answer-fields.ts';
import { createTransaction } from '../shared/transactions/create-transaction.ts';
import { TransactionRequest } from '../shared/transactions/request.ts';
import { newTransactionProblems } from '../shared/transactions/request-problems.ts';

/** POST /transactions: record a sale or a credit and answer with its tax. */
export const handler = endpoint('create-transaction', {
  body: { schema: TransactionRequest, answer: transactionAnswerFields, inspect: newTransactionProblems },
  run: async ({ body, caller, unknownFields, exchange }) => {
    const creation = { request: body, idempotency: idempotencyOf(exchange), unknownFields };
    const ports = { ...transactionPorts, newId: newTransactionId, remainingMs: exchange.remainingMs };
    return mapResult(await createTransaction(creation, caller, ports), replyOfAnswer);
  },
});
