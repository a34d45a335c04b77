import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Operation, ScheduleName } from '../../functions/endpoints.ts';
import { updateContent } from '../../functions/update-content.ts';
import { assert } from '../../shared/base/assert.ts';
import type { Code } from '../../shared/base/error-codes.ts';
import type { Counted } from '../../shared/observability/metric.ts';
import type { Settings } from '../settings.ts';

/** The stage of the API. It is part of every address, so clients depend on it. */
export const stageName = 'v1';

const period = Duration.minutes(5);
const hour = Duration.hours(1);
const day = Duration.days(1);

// The service's operations on the ledger table (shared/store).
const ledgerOperations = ['GetItem', 'BatchGetItem', 'Query', 'TransactWriteItems'] as const;

const metric = (
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string> = {},
  statistic: string = Stats.SUM,
) => new Metric({ namespace, metricName, dimensionsMap, statistic, period });

const expression = (text: string, usingMetrics: Record<string, IMetric>, label: string, over: Duration = period) =>
  new MathExpression({ expression: text, usingMetrics, label, period: over });

/** Returns the sum of metrics. CloudWatch rejects an alarm that reads more than ten. */
export const sumMetrics = (metrics: readonly Metric[], label: string, over = period) => {
  assert(metrics.length <= 10, `An alarm reads at most ten metrics; ${label} has ${metrics.length}.`);
  return expression('SUM(METRICS())', Object.fromEntries(metrics.map((one, at) => [`m${at}`, one])), label, over);
};

/** Dimensions of the API's metrics. */
export const apiDimensions = (ApiName: string) => ({ ApiName, Stage: stageName });

/**
 * Metrics that the functions write (shared/observability). The functions read the same namespace from
 * METRICS_NAMESPACE.
 */
const ownMetrics = (namespace: string) => {
  const own = (name: string, dimensions: Record<string, string> = {}, statistic: string = Stats.SUM) =>
    metric(namespace, name, dimensions, statistic);
  /** Metrics of `update-content`, which runs once a day for each state. */
  const ofUpdates = (name: 'Waiting' | 'Activated' | 'Failed' | 'Stale', statistic: string = Stats.SUM) =>
    own(name, { schedule: updateContent.name }, statistic).with({ period: day });
  return {
    getDuration: (operation: Operation, statistic: string) => own('Duration', { operation }, statistic),
    /** The number of new transactions. */
    recorded: own('Recorded'),
    refused: (code: Code) => own('Refused', { code }),
    counted: (name: Counted) => own(name),
    cacheHitShare: (name: 'KeyKept' | 'ContentKept') => own(name, {}, Stats.AVERAGE),
    ofSchedule: (schedule: ScheduleName, name: string, statistic: string = Stats.SUM) =>
      own(name, { schedule }, statistic),
    ofUpdates,
    /** Runs of `update-content` that ended on a day. Filled like `backupsOfDay`. */
    updatesOfDay: expression(
      'FILL(runs, 0)',
      { runs: ofUpdates('Stale', Stats.SAMPLE_COUNT) },
      'updates of states',
      day,
    ),
    /** Returns all existing series of a metric, by a dimension. */
    everyBy: (dimension: 'code' | 'operation' | 'state', name: string, statistic: string) =>
      expression(`SEARCH('{"${namespace}",${dimension}} MetricName="${name}"', '${statistic}', 300)`, {}, ''),
  };
};

const ofTable = (TableName: string, metricName: string, others: Record<string, string> = {}) =>
  metric('AWS/DynamoDB', metricName, { TableName, ...others });
const backups = (BackupVaultName: string, end: 'Completed' | 'Failed') =>
  metric('AWS/Backup', `NumberOfBackupJobs${end}`, { BackupVaultName }).with({ period: day });

/** Metrics of tables and backups. */
const storeMetrics = {
  ofTable,
  ledgerErrors: (table: string) =>
    sumMetrics(
      ledgerOperations.map((Operation) => ofTable(table, 'SystemErrors', { Operation })),
      'server errors of DynamoDB',
    ),
  /** Throttled reads and writes of tables. */
  throttledTables: (tables: readonly string[]) =>
    sumMetrics(
      tables.flatMap((table) => ['ReadThrottleEvents', 'WriteThrottleEvents'].map((event) => ofTable(table, event))),
      'throttled reads and writes of tables',
    ),
  /** Throttled writes of indexes, which throttle the writes of their table. */
  throttledIndexes: (indexes: readonly (readonly [table: string, index: string])[]) =>
    sumMetrics(
      indexes.map(([table, GlobalSecondaryIndexName]) =>
        ofTable(table, 'WriteThrottleEvents', { GlobalSecondaryIndexName }),
      ),
      'throttled writes of indexes',
    ),
  backups,
  /** Backups of a day. Filled, because CloudWatch waits several periods before it treats data as missing. */
  backupsOfDay: (vault: string) =>
    expression('FILL(backups, 0)', { backups: backups(vault, 'Completed') }, 'backups of tables', day),
  /** Backups of the first day of a month; on other days, when none is due, the expected number. */
  backupsOfFirst: (vault: string, expected: number) =>
    expression(
      `IF(DATE(backups) == 1, FILL(backups, 0), ${expected})`,
      { backups: backups(vault, 'Completed') },
      'monthly backups of tables',
      day,
    ),
};

/** Metrics of other AWS services, by their documented names. */
const awsMetrics = (name: string) => {
  const api = apiDimensions(name);
  const requests = metric('AWS/ApiGateway', 'Count', api);
  const serverErrors = metric('AWS/ApiGateway', '5XXError', api);
  /**
   * Returns the error share in percent, or 0 for fewer than three errors, because one error in two requests is not an
   * outage.
   */
  const errorShareIn = (time: Duration) =>
    expression(
      'IF(errors >= 3, 100 * errors / requests, 0)',
      { requests, errors: serverErrors },
      '5xx, % of requests',
      time,
    );
  return {
    requests,
    serverErrors,
    clientErrors: metric('AWS/ApiGateway', '4XXError', api),
    errorShare: errorShareIn(period),
    errorShareOfHour: errorShareIn(hour),
    /** All functions of the AWS account in this region, which share its concurrency quota. */
    throttles: metric('AWS/Lambda', 'Throttles'),
    instances: metric('AWS/Lambda', 'ConcurrentExecutions', {}, Stats.MAXIMUM),
    /** Age of the oldest unread record of a function's stream, in milliseconds. */
    iteratorAge: (FunctionName: string) => metric('AWS/Lambda', 'IteratorAge', { FunctionName }, Stats.MAXIMUM),
    waiting: ({ queueName: QueueName }: Queue) =>
      metric('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName }, Stats.MAXIMUM),
    ofPipe: (PipeName: string, metricName: string) => metric('AWS/EventBridge/Pipes', metricName, { PipeName }),
  };
};

/** The metrics of a deployment, with a period of five minutes by default. */
export const listMetrics = ({ name }: Pick<Settings, 'name'>) => {
  const [own, theirs] = [ownMetrics(name), awsMetrics(name)];
  return {
    ...own,
    ...theirs,
    ...storeMetrics,
    /**
     * The metric is 1 for an hour in which transactions were recorded and the event pipe was not invoked.
     *
     * A pipe that is stopped or lacks permissions emits no metric at all. Replayed responses do not count as
     * transactions.
     */
    undeliveredPerHour: (pipe: string) =>
      expression(
        'IF(recorded >= 1, IF(FILL(invoked, 0) >= 1, 0, 1), 0)',
        { recorded: own.recorded, invoked: theirs.ofPipe(pipe, 'Invocations') },
        'transactions were recorded, and the pipe was not invoked',
        hour,
      ),
  };
};

export type Metrics = ReturnType<typeof listMetrics>;
