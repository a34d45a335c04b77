import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { type ScheduleName, schedules } from '../../functions/endpoints.ts';
import { runsOfNight } from '../../functions/update-content.ts';
import { pascalCase } from '../constructs.ts';
import type { DataStack } from '../data-stack.ts';
import type { Settings } from '../settings.ts';
import rows from './alarms.json' with { type: 'json' };
import type { Metrics } from './metrics.ts';

/** An alarm that notifies a person. By default it fires at a value of 1 or more. */
export type AlarmDefinition = {
  readonly id: string;
  /** The heading in infra/runbook.md; by default the id. */
  readonly runbook?: string;
  /** The problem in one sentence, for the alarm mail. */
  readonly description: string;
  readonly metric: cloudwatch.IMetric;
  /** The evaluated periods; by default, they end now. */
  readonly evaluationWindow?: cloudwatch.CfnAlarm.EvaluationWindowProperty;
} & Pick<cloudwatch.CreateAlarmOptions, 'evaluationPeriods'> &
  Partial<cloudwatch.CreateAlarmOptions>;

/** What the alarms and the dashboard monitor. */
export type Monitored = {
  readonly settings: Settings;
  readonly data: DataStack;
  /** The event pipe; `null` without events. */
  readonly pipe: CfnPipe | null;
  /** Name of the function that counts transactions for reports. */
  readonly counter: string;
  readonly metrics: Metrics;
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
const alarm = (
  id: keyof typeof rows,
  metric: cloudwatch.IMetric,
  more: Partial<AlarmDefinition> = {},
): AlarmDefinition => {
  const { periods: evaluationPeriods, firesBelow, firesIfMissing, wholeDay, ...row } = table[id];
  return {
    id,
    ...row,
    metric,
    evaluationPeriods,
    ...((firesBelow || firesIfMissing) && { comparisonOperator: cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD }),
    ...(firesIfMissing && { treatMissingData: cloudwatch.TreatMissingData.BREACHING }),
    ...(wholeDay && { evaluationWindow: { wallClockWindow: {} } }),
    ...more,
  };
};

const listServiceAlarms = ({ metrics, data: { tables } }: Monitored): AlarmDefinition[] => [
  alarm('ErrorShare', metrics.errorShare),
  alarm('ErrorShareOfHour', metrics.errorShareOfHour),
  alarm('InternalErrors', metrics.refused('system_internal_error')),
  alarm('SlowCalculations', metrics.getDuration('create-calculation', 'p99'), {
    evaluateLowSampleCountPercentile: 'ignore',
  }),
  alarm('Throttled', metrics.throttles),
  alarm('CredentialsUnread', metrics.counted('CredentialsUnread')),
  alarm('ContentCorrupt', metrics.counted('ContentCorrupt')),
  alarm('LedgerErrors', metrics.ledgerErrors(tables.getName('transactions'))),
  alarm('TablesThrottled', metrics.throttledTables(tables.names)),
  alarm('IndexesThrottled', metrics.throttledIndexes(tables.indexes)),
  alarm('LimiterOpen', metrics.counted('RateLimitOpen')),
];

const listScheduleAlarms = ({ metrics, settings, data }: Monitored): AlarmDefinition[] => [
  alarm('RunsFailed', metrics.waiting(data.failedRuns)),
  ...(Object.keys(schedules) as ScheduleName[]).map((name) =>
    alarm('ScheduleSilent', metrics.ofSchedule(name, 'Complete', cloudwatch.Stats.SAMPLE_COUNT), {
      id: `${pascalCase(name)}Silent`,
      runbook: 'ScheduleSilent',
      description: table.ScheduleSilent.description.replace('No run', `No run of ${name}`),
    }),
  ),
  alarm('SweepIncomplete', metrics.ofSchedule('sweep-drafts', 'Complete', cloudwatch.Stats.MAXIMUM)),
  alarm('FilingsStuck', metrics.ofSchedule('close-periods', 'Failed', cloudwatch.Stats.MINIMUM)),
  alarm('FilingsLate', metrics.ofSchedule('close-periods', 'Complete', cloudwatch.Stats.MAXIMUM)),
  ...(settings.contentUpdates === 'off'
    ? []
    : [
        alarm('ContentStale', metrics.ofUpdates('Stale')),
        alarm('UpdateContentSilent', metrics.updatesOfDay, { threshold: runsOfNight }),
      ]),
];

const listStreamAlarms = ({ metrics, data, pipe, counter }: Monitored): AlarmDefinition[] => [
  ...(data.events && pipe
    ? [
        alarm('EventsDeadLetterQueue', metrics.waiting(data.events.deadLetterQueue)),
        alarm('EventsFailing', metrics.ofPipe(pipe.ref, 'ExecutionFailed')),
        alarm('EventsStopped', metrics.undeliveredPerHour(pipe.ref)),
      ]
    : []),
  alarm('UncountedTransactions', metrics.waiting(data.uncounted)),
  alarm('CountingLate', metrics.iteratorAge(counter)),
];

const listBackupAlarms = ({ metrics, settings, data }: Monitored): AlarmDefinition[] => {
  if (!data.vault) return [];
  const vault = data.vault.backupVaultName;
  const tables = data.tables.kept.length;
  const isDaily = settings.backups === 'daily';
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
export const listAlarms = (monitored: Monitored): readonly AlarmDefinition[] => [
  ...listServiceAlarms(monitored),
  ...listScheduleAlarms(monitored),
  ...listStreamAlarms(monitored),
  ...listBackupAlarms(monitored),
];
