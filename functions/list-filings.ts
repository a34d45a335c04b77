import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { listFilings } from '../shared/filings/read-filings.ts';
import { FilingListQuery } from '../shared/filings/request.ts';
import { FilingList } from '../shared/filings/response.ts';
import { listResponse } from '../shared/ledger/page-limit.ts';
import { filingReadPorts } from '../shared/store/filings/filing-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';
import { readState } from '../shared/vocabulary/jurisdiction.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'list-filings',
  method: 'GET',
  path: '/filings',
  scope: 'read',
  access: ledgerAccess(['GetItem', 'BatchGetItem', 'Query'], partitions.filings),
  query: FilingListQuery,
  respond: ({ query, caller }) => {
    const filters = { ...query, ...(query.state !== undefined && { state: readState(query.state) }) };
    return listFilings(filters, caller.account, filingReadPorts);
  },
});

export const documentation = (): Documentation => ({
  summary: 'List filings',
  description:
    'Returns filings, newest first, without their totals. Filters are ANDed. A page may have fewer rows than `limit`: continue while `has_more` is true.',
  response: {
    description: 'A page of filings.',
    schema: FilingList,
    example: ({ filings }) => listResponse('/filings', [{ ...filings.filed, totals: null }]),
  },
});
