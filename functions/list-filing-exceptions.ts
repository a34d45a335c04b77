import { mapResult } from '../shared/base/result.ts';
import { listFilingExceptions } from '../shared/filings/get-filing.ts';
import { FilingExceptionsQuery } from '../shared/filings/query.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { ok } from '../shared/http/reply.ts';
import { filingReadPorts } from '../shared/store/filings/filing-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'list-filing-exceptions',
  method: 'GET',
  path: '/filings/{id}/exceptions',
  scope: 'read',
  access: ledgerAccess(['GetItem', 'Query'], partitions.filings),
  tag: 'Filings',
  summary: 'List exceptions of a filing',
  description:
    'Returns the sales and credits to look at before the return is sent: those that the tax content does not cover, and those whose recorded tax differs from the calculated tax. Incomplete while the filing is closing.',
  query: FilingExceptionsQuery,
  responses: [{ status: 200, description: 'A page of exceptions.', schema: 'FilingExceptionList' }],
  errors: ['validation_invalid_cursor', 'not_found'],
  run: async ({ id, query, caller }) =>
    mapResult(await listFilingExceptions(id, query, caller.account, filingReadPorts), ok),
});
