import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { exampleFilingId, exampleId } from '../shared/api/openapi/sample-requests.ts';
import { filingNotFound } from '../shared/filings/problems.ts';
import { listFilingExceptions } from '../shared/filings/read-filings.ts';
import { FilingExceptionsQuery } from '../shared/filings/request.ts';
import { FilingExceptionList } from '../shared/filings/response.ts';
import { listResponse } from '../shared/ledger/page-limit.ts';
import { filingReadPorts } from '../shared/store/filings/filing-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'list-filing-exceptions',
  method: 'GET',
  path: '/filings/{id}/exceptions',
  scope: 'read',
  access: ledgerAccess(['GetItem', 'Query'], partitions.filings),
  query: FilingExceptionsQuery,
  respond: ({ id, query, caller }) => listFilingExceptions(id, query, caller.account, filingReadPorts),
});

/** An example with one sale that the content does not cover. */
const exampleList = () =>
  listResponse(`/filings/${exampleFilingId}/exceptions`, [
    {
      transaction_id: exampleId,
      reference_id: 'invoice_1001',
      type: 'sale',
      tax_day: '2026-10-08',
      customer_id: 'cus_9',
      postal_code: '48933',
      certificate_numbers: [],
      currency: 'USD',
      reasons: [{ reason: 'not_covered', gross_amount: '95.00' }],
      review_codes: [],
      gross_amount: '95.00',
      tax_amount: '0.00',
    },
  ]);

export const documentation = (): Documentation => ({
  summary: 'List the exceptions or review entries of a filing',
  description:
    'Returns the sales and credits that need attention before the return is sent: those that the tax content does not cover, and those whose recorded tax differs from the calculated tax. With `list=review`, returns those with warnings that can change their tax. Incomplete while the filing is closing.',
  response: { description: 'A page of exceptions.', schema: FilingExceptionList, example: exampleList },
  errorExamples: () => [filingNotFound],
});
