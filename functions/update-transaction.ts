import { endpoint } from '../shared/http/endpoint.ts';
import { ifMatchOf } from '../shared/http/entity-tag.ts';
import { idempotencyOf, replyOfAnswer } from '../shared/http/idempotency.ts';
import { mapResult } from '../shared/result.ts';
import { transactionPorts } from '../shared/store/transaction-ports.ts';
import { transactionAnswerFields } from '../shared/transactions/answer-fields.ts';
import { TransactionUpdate } from '../shared/transactions/request.ts';
import { updateProblemsOf } from '../shared/transactions/request-problems.ts';
import { updateTransaction } from '../shared/transactions/update-transaction.ts';

/** POST /transactions/{id}: edit, finalize or void a transaction. */
export const handler = endpoint('update-transaction', {
  body: { schema: TransactionUpdate, answer: transactionAnswerFields, inspect: updateProblemsOf },
  run: async ({ body, caller, unknownFields, exchange }) => {
    const update = {
      id: exchange.pathParameters['id'] ?? '',
      update: body,
      ifMatch: ifMatchOf(exchange.headers.get('if-match')),
      idempotency: idempotencyOf(exchange),
      unknownFields,
    };
    const ports = { ...transactionPorts, remainingMs: exchange.remainingMs };
    return mapResult(await updateTransaction(update, caller, ports), replyOfAnswer);
  },
});
