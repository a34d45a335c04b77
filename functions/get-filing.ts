import { electronicReturnResponse, filingOrCsv, prefersReturn } from '../shared/api/csv-response.ts';
import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { mapResult } from '../shared/base/result.ts';
import { totalsCsv } from '../shared/filings/csv.ts';
import { filingNotFound } from '../shared/filings/problems.ts';
import { getFiling, readFiling } from '../shared/filings/read-filings.ts';
import { FilingQuery } from '../shared/filings/request.ts';
import { Filing } from '../shared/filings/response.ts';
import { readPageLimit } from '../shared/ledger/page-limit.ts';
import { exampleReturn, filingReturn, identityMissing } from '../shared/returns/electronic-return.ts';
import { withWorksheet } from '../shared/returns/worksheet.ts';
import { filingReadPorts } from '../shared/store/filings/filing-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'get-filing',
  method: 'GET',
  path: '/filings/{id}',
  scope: 'read',
  access: ledgerAccess(['GetItem', 'BatchGetItem', 'Query'], partitions.filings),
  query: FilingQuery,
  run: async ({ id, query, caller, context }) => {
    const { account } = caller;
    if (prefersReturn(context)) {
      const filing = await readFiling(id, account, filingReadPorts);
      if (!filing.ok) return filing;
      const { process_type = 'T', return_type = 'O', acknowledge_exceptions: count } = query;
      const options = {
        processType: process_type,
        returnType: return_type,
        acknowledged: count === undefined ? count : Number(count),
      };
      return mapResult(filingReturn(filing.value, account, options), electronicReturnResponse);
    }
    const { form } = query;
    const read = await (form === undefined
      ? getFiling(id, query, account, filingReadPorts)
      : readFiling(id, account, filingReadPorts));
    const filing = form !== undefined && read.ok ? withWorksheet(read.value, form, { parameter: 'form' }) : read;
    return mapResult(filing, (filing) => filingOrCsv(filing, readPageLimit(query), context));
  },
});

export const documentation = (): Documentation => ({
  summary: 'Retrieve a filing',
  description: [
    'Returns the totals by jurisdiction and rate, and the progress. While the filing is closing, the totals are partial.',
    'The totals of most filings fit into one response, which has room for about 2,000 jurisdictions. If `totals_next_cursor` is not `null`, send it as `totals_starting_after` for the next page.',
    '`expand=entries` adds a page of its entries: each transaction in the totals, once.',
    'With `Accept: text/csv`, the totals are a CSV file, one row for each jurisdiction, currency and rate, and with the sums of the whole state at the end of the last page; with `expand=entries`, the entries of the page. `Link` names the next page. Text that a spreadsheet would run as a formula begins with an apostrophe.',
    'With `Accept: application/xml`, the filing is a simplified electronic return of the Streamlined Sales Tax Agreement, with the ids of the account setting `return_identity`. It is a test unless you send `process_type=P`. The same filing gives the same bytes; the hash in the name of the file and in `ETag` changes with the return.',
    "`form` adds `worksheet`: the lines of the state's form in `worksheet_form`, rounded as the form requires, and its schedule of local jurisdictions. A line that Levy cannot fill is blank, with the reason. With `Accept: text/csv`, the worksheet is the file.",
  ].join('\n\n'),
  response: {
    description: 'The filing.',
    schema: Filing,
    example: ({ filings }) => filings.closed,
    csvExample: ({ filings }) => totalsCsv(filings.closed),
    returnExample: ({ filings }) => exampleReturn(filings.closed),
    headers: ['Vary'],
    optionalHeaders: ['Link', 'Content-Disposition', 'ETag'],
  },
  errorExamples: () => [filingNotFound, identityMissing],
});
