import { type ScheduleName, schedules } from '../../../functions/endpoints.ts';
import { assumed } from './assumed.ts';
import type { Usage } from './bill.ts';
import { billedOperations } from './deployment.ts';
import { begun, type Month, microsecondsOf, onService, runsOf, toldOf } from './month.ts';

const perThousand = 1000n;

/** What the requests cost before a function sees them. */
export const gatewayUsage = ({ requests }: Month): Usage[] =>
  billedOperations.map((operation) => onService('API Gateway')(operation, 'gatewayRequest', requests[operation]));

/** The functions, by name: their requests, and the memory and time that these take. */
export const lambdaUsage = (month: Month): Usage[] => {
  const line = onService('Lambda');
  const { requests, deployed, traffic } = month;
  const { ofThousand, microseconds } = assumed.coldStarts;
  const memory = BigInt(deployed.memoryMb);
  // Billed by the millisecond begun.
  const time = (milliseconds: bigint) => milliseconds * memory;
  const work = { 'sweep-drafts': traffic.expiries, 'close-periods': traffic.filedSales + traffic.filedCredits };
  const { records } = toldOf(month);
  const names = Object.keys(schedules) as ScheduleName[];
  return [
    ...billedOperations.map((operation) => line(`${operation}, requests`, 'lambdaRequest', requests[operation])),
    ...names.map((name) => line(`${name}, runs`, 'lambdaRequest', runsOf(name))),
    line('announce-changes, requests', 'lambdaRequest', records),
    ...billedOperations.map((operation) => {
      const warm = requests[operation] * begun(BigInt(microsecondsOf(month, operation)), 1000n);
      const cold = (requests[operation] * ofThousand * microseconds) / (perThousand * 1000n);
      return line(`${operation}, time`, 'lambdaTime', time(warm + cold));
    }),
    ...names.map((name) => {
      const { base, each } = assumed.run[name];
      const taken = runsOf(name) * BigInt(base) + work[name] * BigInt(each);
      return line(`${name}, time`, 'lambdaTime', time(begun(taken, 1000n)));
    }),
    line('announce-changes, time', 'lambdaTime', time(records * begun(assumed.announcement, 1000n))),
  ];
};
