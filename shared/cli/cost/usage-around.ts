import { type ScheduleName, schedules } from '../../../functions/endpoints.ts';
import { assumed, monthSeconds } from './assumed.ts';
import type { Usage } from './bill.ts';
import { billedOperations, deployment } from './deployment.ts';
import { type Month, onService, runsOf, smaller, stepsOf, sumOf, toldOf } from './month.ts';

/** How many of so many requests are traced. */
export const tracesOf = (requests: bigint): bigint => {
  const first = smaller(requests, monthSeconds * assumed.traced.perSecond);
  return first + (requests - first) / assumed.traced.oneOf;
};

/** Logs, metrics, and who looks at them. */
export const cloudWatchUsage = ({ requests, deployed }: Month): Usage[] => {
  const line = onService('CloudWatch');
  const all = sumOf(Object.values(requests));
  const { access, invocation } = assumed.logBytes;
  const asked = billedOperations.filter((operation) => requests[operation] > 0n).length;
  return [
    line('access log', 'accessLogBytes', all * access),
    line('logs of the functions', 'functionLogBytes', all * invocation),
    line('logs that are kept', 'logStorage', all * (access + invocation) * assumed.logMonths),
    line('metrics of the gateway', 'metric', BigInt(asked * deployment.gatewayMetricsByMethod)),
    line('metrics of our own', 'metric', BigInt(asked) + assumed.metrics),
    line('alarms', 'alarm', BigInt(deployed.alarmMetrics)),
    line('dashboards', 'dashboard', BigInt(deployed.dashboards)),
  ];
};

/** The events of the ledger, and the schedules. */
export const eventsUsage = (month: Month): Usage[] => {
  const line = onService('EventBridge');
  const { records, events } = toldOf(month);
  return [
    line('pipe', 'pipeRequest', records),
    line('bus', 'busEvent', events),
    line('schedules', 'scheduledRun', sumOf((Object.keys(schedules) as ScheduleName[]).map(runsOf))),
  ];
};

/** The bytes of all answers. */
export const sentBytes = (month: Month): bigint => {
  const { measures, requests, deployed } = month;
  const bodies = [
    requests['create-calculation'] * BigInt(measures.calculationBytes),
    ...stepsOf(month).map(({ times, step }) => times * BigInt(step.answerBytes)),
    requests['get-transaction'] * BigInt(measures.steps['create finalized'].answerBytes),
    requests['list-transactions'] * BigInt(deployed.rowsOfList * measures.rowAnswerBytes),
  ];
  return sumOf(bodies) + sumOf(Object.values(requests)) * assumed.headerBytes;
};
