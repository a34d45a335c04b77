import {
  type CfnAlarm,
  ComparisonOperator,
  type CreateAlarmOptions,
  type IMetric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type ScheduleName, schedules } from '../../functions/endpoints.ts';
import { pascalCase } from '../constructs.ts';
import type { Metrics } from './metrics.ts';

/** An alarm that notifies a person. By default it fires at a value of 1 or more. */
export type AlarmDefinition = {
  readonly id: string;
  /** The heading in infra/runbook.md; by default the id. */
  readonly runbook?: string;
  /** The problem in one sentence, for the alarm mail. */
  readonly description: string;
  readonly metric: IMetric;
  /** The evaluated periods; by default, they end now. */
  readonly evaluationWindow?: CfnAlarm.EvaluationWindowProperty;
} & Pick<CreateAlarmOptions, 'evaluationPeriods'> &
  Partial<CreateAlarmOptions>;

/** Resources and metrics that the alarms and the dashboard monitor. */
export type AlarmSources = {
  readonly metrics: Metrics;
  readonly ledger: string;
  /** All tables, and the indexes with their tables. */
  readonly tables: readonly string[];
  readonly indexes: readonly (readonly [table: string, index: string])[];
  /** The dead-letter queue of the schedules. */
  readonly failedRuns: string;
  /** Number of states updated each night; `null` without updates. */
  readonly updates: number | null;
  /** The event pipe and its dead-letter queue; `null` without events. */
  readonly events: { readonly pipe: string; readonly deadLetterQueue: string } | null;
  /** The function that counts transactions for reports, and its dead-letter queue. */
  readonly reports: { readonly counter: string; readonly deadLetterQueue: string };
  /** The backup vault, whether each table is backed up daily, and the number of tables; `null` without backups. */
  readonly backups: { readonly vault: string; readonly isDaily: boolean; readonly tables: number } | null;
  /** Whether functions publish all metrics. */
  readonly isFull: boolean;
};

/** A schedule or a backup that does not run emits no metric, so missing data is a failure. */
const silent = {
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  treatMissingData: TreatMissingData.BREACHING,
};

const ofRequests = ({ metrics }: AlarmSources): AlarmDefinition[] => [
  {
    id: 'ErrorShare',
    description:
      'At least 5 % of all requests, and three in five minutes, have been answered with 5xx for ten minutes.',
    metric: metrics.errorShare,
    threshold: 5,
    evaluationPeriods: 2,
  },
  {
    id: 'ErrorShareOfHour',
    runbook: 'ErrorShare',
    description: 'At least half of the requests of the last hour, and at least three, returned 5xx.',
    metric: metrics.errorShareOfHour,
    threshold: 50,
    evaluationPeriods: 1,
  },
  {
    id: 'InternalErrors',
    description: 'For 15 minutes, requests have returned system_internal_error, which indicates a bug.',
    metric: metrics.refused('system_internal_error'),
    evaluationPeriods: 3,
  },
  {
    id: 'SlowCalculations',
    description: 'For 15 minutes, 1 % of the calculations have taken more than a second.',
    metric: metrics.durationOf('create-calculation', 'p99'),
    threshold: 1000,
    evaluationPeriods: 3,
    evaluateLowSampleCountPercentile: 'ignore',
  },
  {
    id: 'Throttled',
    description: 'For ten minutes, Lambda has throttled functions: the account has reached its concurrency limit.',
    metric: metrics.throttles,
    evaluationPeriods: 2,
  },
];

const ofStores = ({ metrics, ledger, tables, indexes }: AlarmSources): AlarmDefinition[] => [
  {
    id: 'CredentialsUnread',
    description: 'For ten minutes, credentials could not be read from the accounts table or from the token issuer.',
    metric: metrics.counted('CredentialsUnread'),
    threshold: 5,
    evaluationPeriods: 2,
  },
  {
    id: 'ContentCorrupt',
    description: 'An imported release is corrupt: requests that need the corrupt part return 500.',
    metric: metrics.counted('ContentCorrupt'),
    evaluationPeriods: 1,
  },
  {
    id: 'LedgerErrors',
    description: "For ten minutes, DynamoDB has returned server errors for the ledger's table.",
    metric: metrics.ledgerErrors(ledger),
    threshold: 10,
    evaluationPeriods: 2,
  },
  {
    id: 'TablesThrottled',
    description: 'For 15 minutes, DynamoDB has throttled reads or writes of a table.',
    metric: metrics.throttledTables(tables),
    threshold: 100,
    evaluationPeriods: 3,
  },
  {
    id: 'IndexesThrottled',
    runbook: 'TablesThrottled',
    description: 'For 15 minutes, DynamoDB has throttled writes of an index.',
    metric: metrics.throttledIndexes(indexes),
    threshold: 100,
    evaluationPeriods: 3,
  },
  {
    id: 'LimiterOpen',
    description: 'For 15 minutes, requests have not been counted, so no rate limit applies.',
    metric: metrics.counted('RateLimitOpen'),
    threshold: 5,
    evaluationPeriods: 3,
  },
];

const ofSchedules = ({ metrics, failedRuns }: AlarmSources): AlarmDefinition[] => [
  {
    id: 'RunsFailed',
    description: 'Schedule runs failed and are in the dead-letter queue FailedRuns.',
    metric: metrics.waiting(failedRuns),
    evaluationPeriods: 1,
  },
  ...(Object.keys(schedules) as ScheduleName[]).map((name) => ({
    id: `${pascalCase(name)}Silent`,
    runbook: 'ScheduleSilent',
    description: `No run of ${name} has ended for 20 minutes. A run is due every five minutes.`,
    metric: metrics.ofSchedule(name, 'Complete', Stats.SAMPLE_COUNT),
    evaluationPeriods: 4,
    ...silent,
  })),
  {
    id: 'SweepIncomplete',
    description:
      'For an hour, every run of sweep-drafts has failed for some draft or some account, or has left due drafts.',
    metric: metrics.ofSchedule('sweep-drafts', 'Complete', Stats.MAXIMUM),
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: 12,
  },
  {
    id: 'FilingsStuck',
    description: 'For half an hour, every run of close-periods has failed for at least one filing or account.',
    metric: metrics.ofSchedule('close-periods', 'Failed', Stats.MINIMUM),
    evaluationPeriods: 6,
  },
  {
    id: 'FilingsLate',
    description: 'For an hour, no run of close-periods has finished all due filings and periods.',
    metric: metrics.ofSchedule('close-periods', 'Complete', Stats.MAXIMUM),
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: 12,
  },
];

const ofUpdates = ({ metrics }: AlarmSources, states: number): AlarmDefinition[] => [
  {
    id: 'ContentStale',
    description:
      'On the last full day (UTC), official rates of a state were overdue, or had failed to update for a week.',
    metric: metrics.ofUpdates('Stale'),
    evaluationPeriods: 1,
    evaluationWindow: { wallClockWindow: {} },
  },
  {
    id: 'UpdateContentSilent',
    runbook: 'ScheduleSilent',
    description: 'On the last full day (UTC), update-content did not end every run.',
    metric: metrics.updatesOfDay,
    threshold: states,
    evaluationPeriods: 1,
    evaluationWindow: { wallClockWindow: {} },
    ...silent,
  },
];

const ofEvents = ({ metrics }: AlarmSources, { pipe, deadLetterQueue }: NonNullable<AlarmSources['events']>) => [
  {
    id: 'EventsDeadLetterQueue',
    description: 'Ledger changes could not be published and are in the dead-letter queue of events.',
    metric: metrics.waiting(deadLetterQueue),
    evaluationPeriods: 1,
  },
  {
    id: 'EventsFailing',
    runbook: 'EventsHeldUp',
    description: 'For half an hour, the event pipe has failed.',
    metric: metrics.ofPipe(pipe, 'ExecutionFailed'),
    evaluationPeriods: 6,
  },
  {
    id: 'EventsStopped',
    runbook: 'EventsHeldUp',
    description: 'For two hours, transactions have been recorded and the event pipe has not been invoked.',
    metric: metrics.undeliveredPerHour(pipe),
    evaluationPeriods: 2,
  },
];

const ofReports = ({ metrics, reports: { counter, deadLetterQueue } }: AlarmSources): AlarmDefinition[] => [
  {
    id: 'UncountedTransactions',
    description: 'Transactions could not be counted for reports and are in the dead-letter queue of reports.',
    metric: metrics.waiting(deadLetterQueue),
    evaluationPeriods: 1,
  },
  {
    id: 'CountingLate',
    runbook: 'UncountedTransactions',
    description: 'For an hour, transactions have waited for more than half an hour to be counted for reports.',
    metric: metrics.iteratorAge(counter),
    threshold: 1_800_000,
    evaluationPeriods: 12,
  },
];

const failedBackups = ({ metrics }: AlarmSources, { vault }: NonNullable<AlarmSources['backups']>) => ({
  id: 'BackupsFailed',
  runbook: 'BackupsMissing',
  description: 'AWS Backup failed to back up a table.',
  metric: metrics.backups(vault, 'Failed'),
  evaluationPeriods: 1,
});

const missingBackups = (
  { metrics }: AlarmSources,
  { vault, isDaily, tables }: NonNullable<AlarmSources['backups']>,
) => ({
  id: 'BackupsMissing',
  description: `On the ${isDaily ? 'last full day' : 'first day of this month'} (UTC), AWS Backup did not back up every table.`,
  // An alarm evaluates at most a week, so the alarm of monthly backups evaluates only the day on which they are due.
  metric: isDaily ? metrics.backupsOfDay(vault) : metrics.backupsOfFirst(vault, tables),
  threshold: tables,
  evaluationPeriods: 1,
  // Backups can end earlier on one day than on the next, so a sliding window of 24 hours can contain one too few.
  evaluationWindow: { wallClockWindow: {} },
  ...silent,
});

/** Returns alarms only for problems that need an operator. The dashboard shows problems that resolve by themselves. */
export const listAlarms = (watched: AlarmSources): readonly AlarmDefinition[] => [
  ...ofRequests(watched),
  ...ofStores(watched),
  ...ofSchedules(watched),
  ...(watched.updates === null ? [] : ofUpdates(watched, watched.updates)),
  ...(watched.events ? ofEvents(watched, watched.events) : []),
  ...ofReports(watched),
  ...(watched.backups ? [failedBackups(watched, watched.backups), missingBackups(watched, watched.backups)] : []),
];
