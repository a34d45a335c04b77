import { type Documentation, defineEndpoint, type Samples } from '../shared/api/define-endpoint.ts';
import { FilingPeriodsQuery, filingPeriods } from '../shared/filings/filing-periods.ts';
import { FilingPeriodList } from '../shared/filings/response.ts';
import { filingReadPorts } from '../shared/store/filings/filing-reads.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';
import { readState } from '../shared/vocabulary/jurisdiction.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'list-filing-periods',
  method: 'GET',
  path: '/filing-periods',
  scope: 'read',
  access: ledgerAccess(['BatchGetItem', 'Query'], partitions.periods, partitions.openEntries),
  query: FilingPeriodsQuery,
  respond: ({ query, caller }) => {
    const only = query.state === undefined ? null : readState(query.state);
    return filingPeriods(caller.account, only, query, filingReadPorts);
  },
});

/** An example account that files monthly in Michigan. */
const exampleList = async ({ accepted, account, ports }: Samples) => {
  const registrations = [{ state: 'US-MI', from: '2026-01-01', to: null, frequency: 'month' as const }];
  const filings = { chains: async () => [], oldestOpenMonths: async () => [] };
  const settings = { ...account.settings, registrations };
  return accepted(await filingPeriods({ ...account, settings }, null, {}, { filings, now: ports.now }));
};

export const documentation = (): Documentation => ({
  summary: 'List periods without a filing',
  description:
    'Returns the periods of each registered state after its last filing, up to the current one or the end of the registration, with their due dates. If sales or credits were recorded after the last period of a registration that ended or was removed, the next period with any is listed; close it with `POST /filings`. States without a registration are listed if they have filings, or if `state` names them. Periods with a filing are in `GET /filings`. An account without a list of registrations gets an empty list.',
  response: { description: 'A page of periods.', schema: FilingPeriodList, example: exampleList },
});
