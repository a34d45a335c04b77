import { idempotencyOf, replyOfAnswer } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import { refusedInOrder } from '../http/refused-in-order.ts';
import { mapResult } from '../result.ts';
import { newTransactionId } from '../store/new-id.ts';
import { changePortsWithin } from '../store/transaction-ports.ts';
import { transactionAnswerFields } from '../transactions/answer-fields.ts';
import { createTransaction } from '../transactions/create-transaction.ts';
import { TransactionRequest } from '../transactions/request.ts';
import { newTransactionProblems } from '../transactions/request-problems.ts';

export const serve = operation({
  body: { schema: TransactionRequest, answer: transactionAnswerFields, inspect: newTransactionProblems },
  run: async ({ body, caller, unknownFields, exchange }) => {
    const creation = { request: body, idempotency: idempotencyOf(exchange), unknownFields };
    const ports = { ...changePortsWithin(exchange.remainingMs), newId: newTransactionId };
    return mapResult(refusedInOrder(await createTransaction(creation, caller, ports), exchange.body), replyOfAnswer);
  },
});
