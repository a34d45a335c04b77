import {
  changedFilingResponse,
  electronicReturnResponse,
  filingOrCsv,
  prefersReturn,
  withUnknownFieldWarnings,
} from '../shared/api/csv-response.ts';
import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { readIdempotency } from '../shared/api/idempotency.ts';
import { asObject } from '../shared/base/json.ts';
import { mapResult } from '../shared/base/result.ts';
import { createFiling, readDryRun } from '../shared/filings/create-filing.ts';
import * as problems from '../shared/filings/problems.ts';
import {
  dryRunProblem,
  FilingRequest,
  filingRequestProblems,
  filingResponseFields,
} from '../shared/filings/request.ts';
import { Filing } from '../shared/filings/response.ts';
import { exampleReturn, filingReturn, testReturn } from '../shared/returns/electronic-return.ts';
import { exampleWorksheet, withWorksheet } from '../shared/returns/worksheet.ts';
import { filingPorts } from '../shared/store/filings/filing-ports.ts';
import { filingActions, filingPartitions, ledgerAccess, partitions } from '../shared/store/table-access.ts';
import { readState } from '../shared/vocabulary/jurisdiction.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'create-filing',
  method: 'POST',
  path: '/filings',
  scope: 'write',
  readsOnly: (body) => asObject(body)?.['dry_run'] === true,
  access: ledgerAccess(filingActions, ...filingPartitions, partitions.idempotencyKeys),
  body: {
    schema: FilingRequest,
    ignored: filingResponseFields,
    inspect: filingRequestProblems,
    refuseUnknown: dryRunProblem,
  },
  run: async ({ body, caller, unknownFields, context }) => {
    const requested = { ...body, state: readState(body.state) };
    const call = { idempotency: null, caller, ports: filingPorts(context.remainingMs) };
    if (body.dry_run && (body.form != null || prefersReturn(context))) {
      const dryRun = await readDryRun(requested, call);
      if (!dryRun.ok) return dryRun;
      if (body.form == null || prefersReturn(context))
        return mapResult(filingReturn(dryRun.value, caller.account, testReturn), electronicReturnResponse);
      return mapResult(withWorksheet(dryRun.value, body.form, { pointer: '/form' }), (filing) =>
        filingOrCsv(withUnknownFieldWarnings(filing, unknownFields), 0, context),
      );
    }
    const created = await createFiling(requested, { ...call, idempotency: readIdempotency(context) });
    return mapResult(created, (response) => changedFilingResponse(response, unknownFields));
  },
});

export const documentation = (): Documentation => ({
  summary: 'Close a period',
  description: [
    "Closes a state's period: all open entries up to its end move into the filing, and none is added afterwards. A sale or a credit that arrives late counts in the next period.",
    "Periods are months, quarters, half-years or years of the state's calendar, depending on the frequency of the account's registration. A state without a registration is closed by month. Periods close in order. A repeated request for the same period returns the same filing.",
    'Returns immediately, with `status: closing`. `GET /filings/{id}` shows the progress. A schedule finishes the filing; it also closes the due periods of registered states without a request.',
    '`dry_run: true` returns the current totals of any period up to the current one, and stores nothing. It needs the scope `read` only. It includes the open entries of the period, and late entries that no earlier open period would include. If `totals_next_cursor` is not `null`, send it as `totals_starting_after` for the next page of totals, or to `GET /filings/{id}` if the response has an `id`. Sales that are recorded between two pages can change the totals.',
    "A dry run with `form` returns `worksheet`, the lines of the state's form. With `Accept: text/csv`, the response is the worksheet as a CSV file.",
    'A dry run with `Accept: application/xml` returns the electronic return as a test (`GET /filings/{id}`).',
  ].join('\n\n'),
  requests: {
    // "Try it" sends the first example.
    dryRun: {
      summary: 'Totals of a month, without closing it',
      value: { state: 'MI', period_end: '2026-10-31', dry_run: true },
    },
    close: { summary: 'Close a month', value: { state: 'MI', period_end: '2026-10-31' } },
  },
  response: {
    status: 202,
    description: 'The filing, which is closing.',
    schema: Filing,
    example: ({ filings }) => filings.closing,
    optionalHeaders: ['Location'],
  },
  otherResponses: [
    {
      description: 'The totals of a dry run, or the existing filing of the period.',
      schema: Filing,
      example: ({ filings }) => filings.dryRun,
      csvExample: ({ filings }) => exampleWorksheet(filings.dryRun),
      returnExample: ({ filings }) => exampleReturn(filings.dryRun),
      optionalHeaders: ['Content-Disposition', 'ETag', 'Vary'],
    },
  ],
  errorExamples: () => [
    problems.closeFirst('US-MI', '2026-09-30'),
    problems.noPeriodEnd('US-MI', { before: '2026-09-30', after: '2026-10-31' }),
  ],
});
