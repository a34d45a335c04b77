import { ifMatchOf } from '../http/entity-tag.ts';
import { idempotencyOf, replyOfAnswer } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import { mapResult } from '../result.ts';
import { changePortsWithin } from '../store/ledger/transaction-ports.ts';
import { transactionAnswerFields } from '../transactions/answer-fields.ts';
import { TransactionUpdate } from '../transactions/request.ts';
import { updateProblemsOf } from '../transactions/request-problems.ts';
import { updateTransaction } from '../transactions/update-transaction.ts';

export const serve = operation({
  body: { schema: TransactionUpdate, answer: transactionAnswerFields, inspect: updateProblemsOf },
  run: async ({ body, caller, unknownFields, exchange }) => {
    const update = {
      id: exchange.pathParameters['id'] ?? '',
      update: body,
      ifMatch: ifMatchOf(exchange.headers.get('if-match')),
      idempotency: idempotencyOf(exchange),
      unknownFields,
    };
    const ports = changePortsWithin(exchange.remainingMs);
    return mapResult(await updateTransaction(update, caller, ports), replyOfAnswer);
  },
});
