import { type AlarmDefinition, above, type Watched } from './alarm.ts';
import { forBackups, forEvents, forSchedules } from './work-alarms.ts';

const forRequests = ({ metrics }: Watched): AlarmDefinition[] => [
  {
    id: 'ErrorShare',
    runbook: 'ErrorShare',
    says: 'At least 5 % of all requests, and three in five minutes, have been answered with 5xx for ten minutes.',
    metric: metrics.errorShare,
    threshold: 5,
    evaluationPeriods: 2,
    ...above,
  },
  {
    id: 'ErrorShareOfHour',
    runbook: 'ErrorShare',
    says: 'At least half of the requests of the last hour, and at least three, have been answered with 5xx.',
    metric: metrics.errorShareOfHour,
    threshold: 50,
    evaluationPeriods: 1,
    ...above,
  },
  {
    id: 'InternalErrors',
    runbook: 'InternalErrors',
    says: 'Requests have been answered with system_internal_error, a bug, again and again for 15 minutes.',
    metric: metrics.refused('system_internal_error'),
    threshold: 1,
    evaluationPeriods: 3,
    ...above,
  },
  {
    id: 'SlowCalculations',
    runbook: 'SlowCalculations',
    says: 'One calculation in a hundred has taken more than a second for 15 minutes.',
    metric: metrics.durationOf('create-calculation', 'p99'),
    threshold: 1000,
    evaluationPeriods: 3,
    ...above,
    evaluateLowSampleCountPercentile: 'ignore',
  },
  {
    id: 'Throttled',
    runbook: 'Throttled',
    says: 'Lambda has turned calls of functions away for ten minutes: there are no more instances.',
    metric: metrics.throttles,
    threshold: 1,
    evaluationPeriods: 2,
    ...above,
  },
];

const forStores = ({ metrics, ledger }: Watched): AlarmDefinition[] => [
  {
    id: 'CredentialsUnread',
    runbook: 'CredentialsUnread',
    says: 'Callers have not been found for ten minutes: neither the table of accounts nor the issuer may be reachable.',
    metric: metrics.counted('CredentialsUnread'),
    threshold: 5,
    evaluationPeriods: 2,
    ...above,
  },
  {
    id: 'ContentCorrupt',
    runbook: 'ContentCorrupt',
    says: 'An imported release is not what its import wrote: requests that need the corrupt part get 500.',
    metric: metrics.counted('ContentCorrupt'),
    threshold: 1,
    evaluationPeriods: 1,
    ...above,
  },
  {
    id: 'LedgerErrors',
    runbook: 'LedgerErrors',
    says: "DynamoDB has failed at the ledger's table, by its own fault, for ten minutes.",
    metric: metrics.ledgerErrors(ledger),
    threshold: 10,
    evaluationPeriods: 2,
    ...above,
  },
  {
    id: 'LimiterOpen',
    runbook: 'LimiterOpen',
    says: 'The rate limit has not been counted for 15 minutes: every account may send as much as it likes.',
    metric: metrics.counted('RateLimitOpen'),
    threshold: 5,
    evaluationPeriods: 3,
    ...above,
  },
];

/** Few, so that each is believed. Whatever mends itself, or can wait for the morning, is on the dashboard only. */
export const alarmsOf = (watched: Watched): readonly AlarmDefinition[] => [
  ...forRequests(watched),
  ...forStores(watched),
  ...forSchedules(watched),
  ...forEvents(watched),
  ...forBackups(watched),
];
