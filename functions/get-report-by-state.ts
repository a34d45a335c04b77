import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { now } from '../shared/config/clock.ts';
import { ByStateQuery, reportByState } from '../shared/reports/by-state.ts';
import { ReportByState } from '../shared/reports/response.ts';
import { reportReads } from '../shared/store/report-store.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'get-report-by-state',
  method: 'GET',
  path: '/reports/by-state',
  scope: 'read',
  access: ledgerAccess(['Query'], partitions.reports),
  query: ByStateQuery,
  respond: ({ query, caller }) => reportByState(query, caller.account, { reports: reportReads, now }),
});

export const documentation = (): Documentation => ({
  summary: 'Report sales by state and month',
  description:
    'Returns the sales and credits of finalized and filed transactions by state, month and currency, including states where the account is not registered. A transaction counts in the month of its tax day. A filing can differ, because it also includes late transactions of earlier months. A transaction counts about a minute after it is finalized or voided. A report in many currencies has several pages: continue while `has_more` is true.',
  response: {
    description: 'The sums by state and month.',
    schema: ReportByState,
    example: async ({ accepted, account, reportPorts }) => accepted(await reportByState({}, account, reportPorts)),
  },
});
