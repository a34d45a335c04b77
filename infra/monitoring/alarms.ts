import {
  ComparisonOperator,
  type CreateAlarmOptions,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type ScheduleName, schedules } from '../../shared/http/routes.ts';
import { pascalCase } from '../pascal-case.ts';
import type { Metrics } from './metrics.ts';

/** What a person is woken up for. `runbook` is the heading of its paragraph in decision 0017. */
export type AlarmDefinition = {
  readonly id: string;
  readonly runbook: string;
  /** What is the matter, for whoever reads the mail at night. */
  readonly says: string;
  readonly metric: IMetric;
} & Pick<
  CreateAlarmOptions,
  'threshold' | 'evaluationPeriods' | 'comparisonOperator' | 'treatMissingData' | 'evaluateLowSampleCountPercentile'
>;

export type Watched = {
  readonly metrics: Metrics;
  readonly ledger: string;
  /** The queue of events that could not be told; `null` where none are. */
  readonly untold: string | null;
};

// No data is no requests, and nothing is the matter with that.
const above = {
  comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  treatMissingData: TreatMissingData.NOT_BREACHING,
};
// A schedule that does not run writes nothing: here it is the silence that matters.
const silent = {
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  treatMissingData: TreatMissingData.BREACHING,
};

const forRequests = ({ metrics }: Watched): AlarmDefinition[] => [
  {
    id: 'ErrorShare',
    runbook: 'ErrorShare',
    says: 'At least 5 % of all requests have been answered with 5xx for ten minutes.',
    metric: metrics.errorShare,
    threshold: 5,
    evaluationPeriods: 2,
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

const forSchedules = ({ metrics, untold }: Watched): AlarmDefinition[] => [
  ...(Object.keys(schedules) as ScheduleName[]).map((name) => ({
    id: `${pascalCase(name)}Silent`,
    runbook: 'ScheduleSilent',
    says: `No run of ${name} has ended for 20 minutes; there is one every five.`,
    metric: metrics.ofSchedule(name, 'Complete', 'SampleCount'),
    threshold: 1,
    evaluationPeriods: 4,
    ...silent,
  })),
  {
    id: 'FilingsStuck',
    runbook: 'FilingsStuck',
    says: 'Every run of close-periods for half an hour has failed at some filing or account.',
    metric: metrics.ofSchedule('close-periods', 'Failed', 'Minimum'),
    threshold: 1,
    evaluationPeriods: 6,
    ...above,
  },
  ...(untold === null
    ? []
    : [
        {
          id: 'EventsUntold',
          runbook: 'EventsUntold',
          says: 'Changes of the ledger could not be told, and wait in the queue UntoldEvents.',
          metric: metrics.waiting(untold),
          threshold: 1,
          evaluationPeriods: 1,
          ...above,
        },
      ]),
];

/** Few, so that each is believed. Whatever mends itself, or can wait for the morning, is on the dashboard only. */
export const alarmsOf = (watched: Watched): readonly AlarmDefinition[] => [
  ...forRequests(watched),
  ...forStores(watched),
  ...forSchedules(watched),
];
