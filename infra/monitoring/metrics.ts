import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, type MetricProps, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ScheduleName } from '../../functions/endpoints.ts';
import { updateContent } from '../../functions/update-content.ts';
import { assert } from '../../shared/base/assert.ts';
import type { Code } from '../../shared/base/error-codes.ts';
import type { Counted } from '../../shared/observability/metric.ts';
import type { Settings } from '../settings.ts';

/** The stage of the API. Part of every address, so clients depend on it. */
export const stageName = 'v1';

const period = Duration.minutes(5);
const hour = Duration.hours(1);
const day = Duration.days(1);

// The operations of the service on the ledger's table (shared/store).
const ledgerOperations = ['GetItem', 'BatchGetItem', 'Query', 'TransactWriteItems'] as const;

/** Metrics that the functions write (shared/observability). */
const ownMetrics = (namespace: string) => {
  // The functions take it from the same setting (METRICS_NAMESPACE).
  const own = (metricName: string, others: Omit<MetricProps, 'metricName' | 'namespace'> = {}) =>
    new Metric({ namespace, metricName, statistic: Stats.SUM, period, ...others });
  return {
    durationOf: (operation: string, statistic: string) => own('Duration', { dimensionsMap: { operation }, statistic }),
    /** New transactions. */
    recorded: own('Recorded'),
    refused: (code: Code) => own('Refused', { dimensionsMap: { code } }),
    counted: (metricName: Counted) => own(metricName),
    cacheHitShare: (metricName: 'KeyKept' | 'ContentKept') => own(metricName, { statistic: Stats.AVERAGE }),
    ofSchedule: (schedule: ScheduleName, metricName: string, statistic: string = Stats.SUM) =>
      own(metricName, { dimensionsMap: { schedule }, statistic }),
    /** Metrics of `update-content`, which runs once a day for each state. */
    ofUpdates: (metricName: 'Waiting' | 'Activated' | 'Failed' | 'Stale', statistic: string = Stats.SUM) =>
      own(metricName, { dimensionsMap: { schedule: updateContent.name }, statistic, period: day }),
    /** All existing series of a metric, by a dimension. */
    everyBy: (dimension: 'code' | 'operation' | 'state', metricName: string, statistic: string) =>
      new MathExpression({
        expression: `SEARCH('{"${namespace}",${dimension}} MetricName="${metricName}"', '${statistic}', 300)`,
        usingMetrics: {},
        label: '',
        period,
      }),
  };
};

const aws = (
  namespace: `AWS/${string}`,
  metricName: string,
  dimensionsMap: Record<string, string> = {},
  statistic: string = Stats.SUM,
) => new Metric({ namespace, metricName, dimensionsMap, statistic, period });

/** The sum of metrics. CloudWatch refuses an alarm that reads more than ten. */
export const sumMetrics = (metrics: readonly Metric[], label: string, time = period) => {
  assert(metrics.length <= 10, `An alarm cannot read ${metrics.length} metrics: ${label}.`);
  return new MathExpression({
    expression: 'SUM(METRICS())',
    usingMetrics: Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric])),
    label,
    period: time,
  });
};

/** The dimensions of the API's metrics. */
export const apiDimensions = (ApiName: string) => ({ ApiName, Stage: stageName });

/** Metrics of AWS's services, by their documented names. */
const awsMetrics = (name: string) => {
  const api = apiDimensions(name);
  const requests = aws('AWS/ApiGateway', 'Count', api);
  const serverErrors = aws('AWS/ApiGateway', '5XXError', api);
  /** In percent; 0 below three errors, because one error of two requests is no outage. */
  const errorShareIn = (time: Duration) =>
    new MathExpression({
      expression: 'IF(errors >= 3, 100 * errors / requests, 0)',
      usingMetrics: { requests, errors: serverErrors },
      label: '5xx, % of requests',
      period: time,
    });
  return {
    requests,
    serverErrors,
    clientErrors: aws('AWS/ApiGateway', '4XXError', api),
    errorShare: errorShareIn(period),
    errorShareOfHour: errorShareIn(hour),
    /** All functions of the account in this region, which share its concurrency quota. */
    throttles: aws('AWS/Lambda', 'Throttles'),
    instances: aws('AWS/Lambda', 'ConcurrentExecutions', {}, Stats.MAXIMUM),
    ofTable: (TableName: string, metricName: string) => aws('AWS/DynamoDB', metricName, { TableName }),
    ledgerErrors: (TableName: string) =>
      sumMetrics(
        ledgerOperations.map((Operation) => aws('AWS/DynamoDB', 'SystemErrors', { TableName, Operation })),
        'server errors of DynamoDB',
      ),
    /** How long the oldest unread record of a function's stream has waited, in milliseconds. */
    iteratorAge: (FunctionName: string) => aws('AWS/Lambda', 'IteratorAge', { FunctionName }, Stats.MAXIMUM),
    waiting: (QueueName: string) => aws('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName }, Stats.MAXIMUM),
    ofPipe: (PipeName: string, metricName: string) => aws('AWS/EventBridge/Pipes', metricName, { PipeName }),
    backups: (BackupVaultName: string, end: 'Completed' | 'Failed') =>
      aws('AWS/Backup', `NumberOfBackupJobs${end}`, { BackupVaultName }).with({ period: day }),
  };
};

/** Metrics computed from the service's and AWS's metrics. */
const combined = ({ recorded, ofUpdates }: ReturnType<typeof ownMetrics>, theirs: ReturnType<typeof awsMetrics>) => ({
  /**
   * 1 for an hour in which transactions were recorded and the event pipe was not invoked.
   *
   * A pipe that is stopped or lacks permissions emits no metric at all. Replayed answers count as no transaction.
   */
  undeliveredPerHour: (pipe: string) =>
    new MathExpression({
      expression: 'IF(recorded >= 1, IF(FILL(invoked, 0) >= 1, 0, 1), 0)',
      usingMetrics: { recorded, invoked: theirs.ofPipe(pipe, 'Invocations') },
      label: 'transactions were recorded, and the pipe was not invoked',
      period: hour,
    }),
  /** Throttled reads and writes of tables. */
  throttledTables: (tables: readonly string[]) =>
    sumMetrics(
      tables.flatMap((TableName) =>
        ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => aws('AWS/DynamoDB', name, { TableName })),
      ),
      'throttled reads and writes of tables',
    ),
  /** Throttled writes of indexes, which throttle the writes of their table. */
  throttledIndexes: (indexes: readonly (readonly [table: string, index: string])[]) =>
    sumMetrics(
      indexes.map(([TableName, GlobalSecondaryIndexName]) =>
        aws('AWS/DynamoDB', 'WriteThrottleEvents', { TableName, GlobalSecondaryIndexName }),
      ),
      'throttled writes of indexes',
    ),
  /** Ended runs of `update-content` on a day. Filled, as `backupsOfDay` is. */
  updatesOfDay: new MathExpression({
    expression: 'FILL(runs, 0)',
    usingMetrics: { runs: ofUpdates('Stale', Stats.SAMPLE_COUNT) },
    label: 'updates of states',
    period: day,
  }),
  /** Backups of a day. Filled, because CloudWatch waits several periods before it treats data as missing. */
  backupsOfDay: (vault: string) =>
    new MathExpression({
      expression: 'FILL(backups, 0)',
      usingMetrics: { backups: theirs.backups(vault, 'Completed') },
      label: 'backups of tables',
      period: day,
    }),
  /** Backups of the first day of a month; on other days, when none is due, the expected number. */
  backupsOfFirst: (vault: string, expected: number) =>
    new MathExpression({
      expression: `IF(DATE(backups) == 1, FILL(backups, 0), ${expected})`,
      usingMetrics: { backups: theirs.backups(vault, 'Completed') },
      label: 'monthly backups of tables',
      period: day,
    }),
});

/** The metrics of a deployment, with a period of five minutes by default. */
export const listMetrics = ({ name }: Pick<Settings, 'name'>) => {
  const [own, theirs] = [ownMetrics(name), awsMetrics(name)];
  return { ...own, ...theirs, ...combined(own, theirs) };
};

export type Metrics = ReturnType<typeof listMetrics>;
