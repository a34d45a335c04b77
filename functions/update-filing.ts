import { changedFilingResponse } from '../shared/api/csv-response.ts';
import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { readIdempotency } from '../shared/api/idempotency.ts';
import { mapResult } from '../shared/base/result.ts';
import * as problems from '../shared/filings/problems.ts';
import { FilingUpdate, filingResponseFields, filingUpdateProblems } from '../shared/filings/request.ts';
import { Filing } from '../shared/filings/response.ts';
import { updateFiling } from '../shared/filings/update-filing.ts';
import { filingPorts } from '../shared/store/filings/filing-ports.ts';
import { filingActions, filingPartitions, ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'update-filing',
  method: 'POST',
  path: '/filings/{id}',
  scope: 'write',
  access: ledgerAccess(filingActions, ...filingPartitions, partitions.idempotencyKeys),
  body: { schema: FilingUpdate, ignored: filingResponseFields, inspect: filingUpdateProblems },
  run: async ({ id, body, caller, unknownFields, context }) => {
    const call = { idempotency: readIdempotency(context), caller, ports: filingPorts(context.remainingMs) };
    return mapResult(await updateFiling(id, body, call), (response) => changedFilingResponse(response, unknownFields));
  },
});

const exampleCorrection = {
  status: 'filed',
  confirmation_number: 'MI-2026-10-4712',
  previous_confirmation_number: 'MI-2026-10-4711',
};

export const documentation = (): Documentation => ({
  summary: 'File or cancel a filing',
  description: [
    "`status: filed` with the state's `confirmation_number` records that the return was sent. A transaction becomes filed when the filings of all its states are filed. Until all transactions are marked, the status is `marking`.",
    'If the filing has exceptions, send their number as `acknowledge_exceptions`: sales that the tax content does not cover, and tax that differs from the calculated tax.',
    '`canceled` reopens the entries. Only the last filing of a state can be canceled, and only while its status is `closed`.',
    '',
    '| From | To |',
    '|---|---|',
    '| closing | none, until it is closed |',
    '| closed | filed, canceled |',
    '| marking, filed, canceled | none |',
    '',
    'To correct the confirmation number of a filing that is filed, send `status: filed` with the new number, and the current one as `previous_confirmation_number`. `corrections` lists who corrected it and when, and `filing.filed` is published again with the new number.',
    '',
    'A request for the current status changes nothing and returns the filing.',
  ].join('\n'),
  requests: {
    file: { summary: 'Mark the return as filed', value: { status: 'filed', confirmation_number: 'MI-2026-10-4711' } },
    correct: { summary: 'Correct the confirmation number', value: exampleCorrection },
    cancel: { summary: 'Reopen the period', value: { status: 'canceled' } },
  },
  response: {
    description: 'The filing. All its transactions and entries are processed.',
    schema: Filing,
    example: ({ filings }) => filings.filed,
  },
  otherResponses: [
    {
      status: 202,
      description: 'The filing, whose transactions are still being marked or whose entries are still being reopened.',
      schema: Filing,
      example: ({ filings }) => filings.marking,
    },
  ],
  errorExamples: () => [
    problems.filingNotFound,
    problems.exceptionsNotAcknowledged(2),
    problems.cancelFirst('US-MI', '2026-11-30'),
    problems.confirmationMissing,
  ],
});
