import { idempotencyOf, replyOfAnswer } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import { recordTax } from '../observability/answered-tax.ts';
import { mapResult } from '../result.ts';
import { newTransactionId } from '../store/ledger/new-id.ts';
import { changePortsWithin } from '../store/ledger/transaction-ports.ts';
import { transactionAnswerFields } from '../transactions/answer-fields.ts';
import { createTransaction } from '../transactions/create-transaction.ts';
import { TransactionRequest } from '../transactions/request.ts';
import { newTransactionProblems } from '../transactions/request-problems.ts';

export const serve = operation({
  body: { schema: TransactionRequest, answer: transactionAnswerFields, inspect: newTransactionProblems },
  run: async ({ body, caller, unknownFields, exchange }) => {
    const creation = { request: body, idempotency: idempotencyOf(exchange), unknownFields };
    const ports = { ...changePortsWithin(exchange.remainingMs), newId: newTransactionId };
    const created = await createTransaction(creation, caller, ports);
    if (created.ok && created.value.transaction) recordTax(created.value.transaction);
    return mapResult(created, replyOfAnswer);
  },
});
