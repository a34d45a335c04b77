import { filingAnswerFields } from '../filings/answer-fields.ts';
import { FilingUpdate, filingUpdateProblems } from '../filings/request.ts';
import { updateFiling } from '../filings/update-filing.ts';
import { changedFilingReply } from '../http/changed-filing-reply.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import { mapResult } from '../result.ts';
import { filingPorts } from '../store/filings/filing-ports.ts';

export const serve = operation({
  body: { schema: FilingUpdate, answer: filingAnswerFields, inspect: filingUpdateProblems },
  run: async ({ body, caller, unknownFields, exchange }) => {
    const { status, confirmation_number = null } = body;
    const change = { id: exchange.pathParameters['id'] ?? '', status, confirmation_number };
    const ports = filingPorts(exchange.remainingMs);
    return mapResult(await updateFiling(change, idempotencyOf(exchange), caller, ports), (answered) =>
      changedFilingReply(answered, unknownFields),
    );
  },
});
