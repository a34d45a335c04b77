import { mapResult } from '../shared/base/result.ts';
import { listFilings } from '../shared/filings/list-filings.ts';
import { FilingListQuery } from '../shared/filings/query.ts';
import { stateOf } from '../shared/filings/request.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { ok } from '../shared/http/reply.ts';
import { filingReadPorts } from '../shared/store/filings/filing-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'list-filings',
  method: 'GET',
  path: '/filings',
  scope: 'read',
  access: ledgerAccess(['GetItem', 'BatchGetItem', 'Query'], partitions.filings),
  tag: 'Filings',
  summary: 'List filings',
  description:
    'Returns filings, newest first, without their totals. Filters are ANDed. A page may have fewer rows than `limit`: continue while `has_more` is true.',
  query: FilingListQuery,
  responses: [{ status: 200, description: 'A page of filings.', schema: 'FilingList' }],
  errors: ['validation_invalid_cursor'],
  run: async ({ query, caller }) => {
    const filters = { ...query, ...(query.state !== undefined && { state: stateOf(query.state) }) };
    return mapResult(await listFilings(filters, caller.account, filingReadPorts), ok);
  },
});
