import { mapResult } from '../shared/base/result.ts';
import { now } from '../shared/config/clock.ts';
import { FilingPeriodsQuery, filingPeriods } from '../shared/filings/filing-periods.ts';
import { stateOf } from '../shared/filings/request.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { ok } from '../shared/http/reply.ts';
import { filingReadPorts } from '../shared/store/filings/filing-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'list-filing-periods',
  method: 'GET',
  path: '/filing-periods',
  scope: 'read',
  access: ledgerAccess(['BatchGetItem', 'Query'], partitions.periods, partitions.openEntries),
  tag: 'Filings',
  summary: 'List periods without a filing',
  description:
    'Returns the periods of each registered state after its last filing, up to the running one or the end of the registration, with their due dates. If sales or credits were recorded after the last period of an ended registration, the next period with any is listed; close it with `POST /filings`. Periods with a filing are in `GET /filings`. An account without a list of registrations has none.',
  query: FilingPeriodsQuery,
  responses: [{ status: 200, description: 'A page of periods.', schema: 'FilingPeriodList' }],
  errors: ['validation_invalid_cursor'],
  run: async ({ query, caller }) => {
    const only = query.state === undefined ? null : stateOf(query.state);
    return mapResult(await filingPeriods(caller.account, only, query, { ...filingReadPorts, now }), ok);
  },
});
