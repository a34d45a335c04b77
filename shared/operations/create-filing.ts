import { filingAnswerFields } from '../filings/answer-fields.ts';
import { createFiling } from '../filings/create-filing.ts';
import { FilingRequest, stateOf } from '../filings/request.ts';
import { changedFilingReply } from '../http/changed-filing-reply.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import { mapResult } from '../result.ts';
import { filingPorts } from '../store/filings/filing-ports.ts';

export const serve = operation({
  body: { schema: FilingRequest, answer: filingAnswerFields },
  run: async ({ body, caller, unknownFields, exchange }) => {
    const asked = { ...body, state: stateOf(body.state), dry_run: body.dry_run ?? false };
    const ports = filingPorts(exchange.remainingMs);
    return mapResult(await createFiling(asked, idempotencyOf(exchange), caller, ports), (answered) =>
      changedFilingReply(answered, unknownFields),
    );
  },
});
