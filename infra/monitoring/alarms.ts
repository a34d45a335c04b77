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
import rows from './alarms.json' with { type: 'json' };
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

type Row = {
  /** The problem in one sentence, for the alarm mail. */
  readonly description: string;
  /** The number of periods in a row in which the metric breaches the threshold. */
  readonly periods: number;
  readonly threshold?: number;
  readonly runbook?: string;
  readonly firesBelow?: boolean;
  /** A schedule or a backup that does not run emits no metric, so missing data is a failure. */
  readonly firesIfMissing?: boolean;
  /** Whether the period is the last full day (UTC) instead of the last 24 hours. */
  readonly wholeDay?: boolean;
};
const table: Readonly<Record<keyof typeof rows, Row>> = rows;

/** Returns the alarm of a row of alarms.json. */
const alarm = (row: keyof typeof rows, metric: IMetric, more: Partial<AlarmDefinition> = {}): AlarmDefinition => {
  const { description, periods, threshold, runbook, firesBelow, firesIfMissing, wholeDay } = table[row];
  return {
    id: row,
    description,
    metric,
    evaluationPeriods: periods,
    ...(threshold !== undefined && { threshold }),
    ...(runbook !== undefined && { runbook }),
    ...((firesBelow || firesIfMissing) && { comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD }),
    ...(firesIfMissing && { treatMissingData: TreatMissingData.BREACHING }),
    ...(wholeDay && { evaluationWindow: { wallClockWindow: {} } }),
    ...more,
  };
};

const ofServices = ({ metrics, ledger, tables, indexes }: AlarmSources): AlarmDefinition[] => [
  alarm('ErrorShare', metrics.errorShare),
  alarm('ErrorShareOfHour', metrics.errorShareOfHour),
  alarm('InternalErrors', metrics.refused('system_internal_error')),
  alarm('SlowCalculations', metrics.getDuration('create-calculation', 'p99'), {
    evaluateLowSampleCountPercentile: 'ignore',
  }),
  alarm('Throttled', metrics.throttles),
  alarm('CredentialsUnread', metrics.counted('CredentialsUnread')),
  alarm('ContentCorrupt', metrics.counted('ContentCorrupt')),
  alarm('LedgerErrors', metrics.ledgerErrors(ledger)),
  alarm('TablesThrottled', metrics.throttledTables(tables)),
  alarm('IndexesThrottled', metrics.throttledIndexes(indexes)),
  alarm('LimiterOpen', metrics.counted('RateLimitOpen')),
];

const ofSchedules = ({ metrics, failedRuns, updates }: AlarmSources): AlarmDefinition[] => [
  alarm('RunsFailed', metrics.waiting(failedRuns)),
  ...(Object.keys(schedules) as ScheduleName[]).map((name) =>
    alarm('ScheduleSilent', metrics.ofSchedule(name, 'Complete', Stats.SAMPLE_COUNT), {
      id: `${pascalCase(name)}Silent`,
      runbook: 'ScheduleSilent',
      description: table.ScheduleSilent.description.replace('No run', `No run of ${name}`),
    }),
  ),
  alarm('SweepIncomplete', metrics.ofSchedule('sweep-drafts', 'Complete', Stats.MAXIMUM)),
  alarm('FilingsStuck', metrics.ofSchedule('close-periods', 'Failed', Stats.MINIMUM)),
  alarm('FilingsLate', metrics.ofSchedule('close-periods', 'Complete', Stats.MAXIMUM)),
  ...(updates === null
    ? []
    : [
        alarm('ContentStale', metrics.ofUpdates('Stale')),
        alarm('UpdateContentSilent', metrics.updatesOfDay, { threshold: updates }),
      ]),
];

const ofStreams = ({ metrics, events, reports }: AlarmSources): AlarmDefinition[] => [
  ...(events
    ? [
        alarm('EventsDeadLetterQueue', metrics.waiting(events.deadLetterQueue)),
        alarm('EventsFailing', metrics.ofPipe(events.pipe, 'ExecutionFailed')),
        alarm('EventsStopped', metrics.undeliveredPerHour(events.pipe)),
      ]
    : []),
  alarm('UncountedTransactions', metrics.waiting(reports.deadLetterQueue)),
  alarm('CountingLate', metrics.iteratorAge(reports.counter)),
];

const ofBackups = ({ metrics, backups }: AlarmSources): AlarmDefinition[] => {
  if (!backups) return [];
  const { vault, isDaily, tables } = backups;
  const day = isDaily ? 'last full day' : 'first day of this month';
  return [
    alarm('BackupsFailed', metrics.backups(vault, 'Failed')),
    // An alarm evaluates at most a week, so the alarm of monthly backups evaluates only the day on which they are due.
    // Backups can end earlier on one day than on the next, so a sliding window of 24 hours can contain one too few.
    alarm('BackupsMissing', isDaily ? metrics.backupsOfDay(vault) : metrics.backupsOfFirst(vault, tables), {
      threshold: tables,
      description: `On the ${day} (UTC), ${table.BackupsMissing.description}`,
    }),
  ];
};

/** Returns alarms only for problems that need an operator. The dashboard shows problems that resolve by themselves. */
export const listAlarms = (watched: AlarmSources): readonly AlarmDefinition[] => [
  ...ofServices(watched),
  ...ofSchedules(watched),
  ...ofStreams(watched),
  ...ofBackups(watched),
];
