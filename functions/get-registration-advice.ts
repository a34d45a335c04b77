import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { accept } from '../shared/base/result.ts';
import { now } from '../shared/config/clock.ts';
import { registrationAdvice } from '../shared/registrations/advice.ts';
import { RegistrationAdvice } from '../shared/registrations/response.ts';
import { reportReads } from '../shared/store/report-store.ts';
import { ledgerAccess, partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'get-registration-advice',
  method: 'GET',
  path: '/registrations/advice',
  scope: 'read',
  access: ledgerAccess(['Query'], partitions.reports),
  respond: async ({ caller }) => accept(await registrationAdvice(caller.account, { reports: reportReads, now })),
});

export const documentation = (): Documentation => ({
  summary: 'Advise on registrations',
  description: [
    "Compares the sales in each state with the state's economic nexus threshold, over the state's measuring period, and shows where to register. Credits are not subtracted. Sales of unknown taxability are included, so a share can be too high, but never too low.",
    'Levy counts only the sales that are recorded in it. A warehouse, an office or an employee in a state requires a registration without any threshold, and sales through a marketplace may count. Decide with a tax advisor.',
  ].join('\n\n'),
  response: {
    description: 'The advice by state.',
    schema: RegistrationAdvice,
    example: async ({ account, reportPorts }) => {
      const advice = await registrationAdvice(account, reportPorts);
      // An example with one of many states.
      return { ...advice, data: advice.data.filter(({ state }) => state === 'US-MI') };
    },
  },
});
