import { filingAnswerFields } from '../shared/filings/answer-fields.ts';
import { createFiling } from '../shared/filings/create-filing.ts';
import { FilingRequest, stateOf } from '../shared/filings/request.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { changedFilingReply } from '../shared/http/filing-reply.ts';
import { idempotencyOf } from '../shared/http/idempotency.ts';
import { lambdaHandler } from '../shared/http/lambda-handler.ts';
import { mapResult } from '../shared/result.ts';
import { filingPorts } from '../shared/store/filings/filing-ports.ts';
import { filingActions, filingPartitions, partitions } from '../shared/store/table-access.ts';

export const endpoint = defineEndpoint({
  name: 'create-filing',
  method: 'POST',
  path: '/filings',
  scope: 'write',
  access: {
    actions: { transactions: filingActions },
    partitions: { transactions: [...filingPartitions, partitions.idempotencyKeys] },
  },
  tag: 'Filings',
  summary: 'Close a period',
  description: [
    "Closes a state's period: everything that is open up to its end moves into the filing, and nothing joins it afterwards. What arrives late, a sale or a credit, falls into the next period.",
    "Periods are months, quarters or calendar years, by the frequency of the account's registration; a state without one is closed by month. They are closed in order. Asked again for the same period, it answers the same filing.",
    'The answer comes at once, with `status: closing`. `GET /filings/{id}` shows the progress; what is left of it is finished by a schedule, which also closes the due periods of registered states by itself.',
    '`dry_run: true` answers the totals as they would be now, and stores nothing.',
  ].join('\n\n'),
  requestHeaders: ['IdempotencyKey', 'Prefer'],
  body: { schema: FilingRequest, answer: filingAnswerFields },
  responses: [
    {
      status: 202,
      description: 'The filing, which is being closed.',
      schema: 'Filing',
      optionalHeaders: ['Location', 'Idempotent-Replayed', 'Preference-Applied'],
    },
    {
      status: 200,
      description: 'The totals of a dry run, or the filing that the period has already.',
      schema: 'Filing',
      optionalHeaders: ['Idempotent-Replayed', 'Preference-Applied'],
    },
  ],
  errors: [
    'idempotency_key_reused',
    'conflict_period_not_over',
    'conflict_period_order',
    'conflict_filing_in_progress',
    'validation_too_many_entries',
  ],
  run: async ({ body, caller, unknownFields, exchange }) => {
    const requested = { ...body, state: stateOf(body.state) };
    const ports = filingPorts(exchange.remainingMs);
    return mapResult(await createFiling(requested, idempotencyOf(exchange), caller, ports), (answered) =>
      changedFilingReply(answered, unknownFields),
    );
  },
});

export const handler = lambdaHandler(endpoint);
