import { ArnFormat, CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { ScheduleName } from '../../functions/endpoints.ts';
import { fixLogicalId } from '../constructs.ts';
import { notificationTopic } from '../notifications.ts';
import type { Settings } from '../settings.ts';
import { type AlarmDefinition, listAlarms, type Monitored } from './alarms.ts';
import { listMetrics, type Metrics } from './metrics.ts';

const graph = (title: string, left: cloudwatch.IMetric[], right: cloudwatch.IMetric[] = []): cloudwatch.IWidget =>
  new cloudwatch.GraphWidget({ title, left, right, width: 8, height: 6, leftYAxis: { min: 0 } });

const listRequestWidgets = ({ everyBy, counted, ...metrics }: Metrics, isFull: boolean): cloudwatch.IWidget[][] => [
  [
    graph(
      'Requests',
      [metrics.requests, metrics.clientErrors, metrics.serverErrors, metrics.recorded],
      [metrics.errorShare],
    ),
    graph('p99 latency, ms by operation', [everyBy('operation', 'Duration', 'p99')]),
    graph(
      'Latency of calculations, ms',
      ['p50', 'p99'].map((statistic) => metrics.getDuration('create-calculation', statistic)),
    ),
  ],
  [
    graph('Refusals by code', [everyBy('code', 'Refused', cloudwatch.Stats.SUM)]),
    ...(isFull
      ? [
          graph('Tax by state, dollars calculated', [everyBy('state', 'Tax', cloudwatch.Stats.SUM)]),
          graph('Documents by state', [everyBy('state', 'Tax', cloudwatch.Stats.SAMPLE_COUNT)]),
        ]
      : []),
  ],
  [
    ...(isFull
      ? [
          graph('Cache hits, share of requests', [
            metrics.cacheHitShare('KeyKept'),
            metrics.cacheHitShare('ContentKept'),
          ]),
        ]
      : []),
    graph('Limiter, credentials and content', [
      ...(isFull ? [metrics.refused('rate_limit_error')] : []),
      ...(
        ['RateLimitOpen', 'CredentialsUnread', 'IssuerUnavailable', 'KeyUseUnrecorded', 'ContentCorrupt'] as const
      ).map(counted),
    ]),
    graph('Instances of the account', [metrics.instances], [metrics.throttles]),
  ],
];

const listLedgerWidgets = ({ metrics, data }: Monitored): cloudwatch.IWidget[] => {
  const ledger = data.tables.getName('transactions');
  const queues = [data.failedRuns, ...(data.events ? [data.events.deadLetterQueue] : []), data.uncounted];
  const ofTable = (...names: readonly string[]) => names.map((name) => metrics.ofTable(ledger, name));
  return [
    graph('Ledger, capacity units', ofTable('ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits')),
    graph(
      'Ledger, errors and throttles',
      [metrics.ledgerErrors(ledger)],
      ofTable('ReadThrottleEvents', 'WriteThrottleEvents'),
    ),
    graph('Dead-letter queues', queues.map(metrics.waiting)),
  ];
};

const listWorkWidgets = ({ ofSchedule }: Metrics, isFull: boolean): cloudwatch.IWidget[] => {
  const sums = (schedule: ScheduleName, ...names: readonly string[]) => names.map((name) => ofSchedule(schedule, name));
  const complete = (schedule: ScheduleName) => ofSchedule(schedule, 'Complete', cloudwatch.Stats.MINIMUM);
  return [
    graph('Drafts swept', [
      ...sums('sweep-drafts', ...(isFull ? ['Voided', 'Skipped'] : [])),
      complete('sweep-drafts'),
    ]),
    graph('Filings', sums('close-periods', 'Failed', ...(isFull ? ['Created', 'Worked', 'Finished'] : []))),
    graph('Periods closed, 1 is all', [complete('close-periods')]),
  ];
};

/** Returns the widgets, row by row: requests, stores, scheduled work, content updates, events and backups. */
const listDashboardRows = (monitored: Monitored): cloudwatch.IWidget[][] => {
  const { metrics, settings, data, pipe } = monitored;
  const isFull = settings.metrics === 'full';
  const updateNames = ['Failed', 'Stale', ...(isFull ? (['Waiting', 'Activated'] as const) : [])] as const;
  const ends = ['Completed', 'Failed'] as const;
  return [
    ...listRequestWidgets(metrics, isFull),
    listLedgerWidgets(monitored),
    listWorkWidgets(metrics, isFull),
    [
      settings.contentUpdates !== 'off' &&
        graph(
          'Content updates, states by day',
          updateNames.map((name) => metrics.ofUpdates(name)),
        ),
      pipe &&
        graph(
          'Events, executions of the pipe',
          [metrics.ofPipe(pipe.ref, 'Invocations')],
          [metrics.ofPipe(pipe.ref, 'ExecutionFailed')],
        ),
      data.vault &&
        graph(
          'Backups of tables by day',
          ends.map((end) => metrics.backups(data.vault?.backupVaultName ?? '', end)),
        ),
    ].filter((widget) => widget instanceof cloudwatch.GraphWidget),
  ];
};

const runbook = 'infra/runbook.md';

/** The dashboard, the alarms, and their notification topic (decision 0017). */
export class Monitoring extends Construct {
  readonly #settings: Settings;

  constructor(scope: Construct, id: string, others: Omit<Monitored, 'metrics'>) {
    super(scope, id);
    this.#settings = others.settings;
    const monitored = { ...others, metrics: listMetrics(others.settings) };
    const notification = new SnsAction(this.#topic());
    for (const definition of listAlarms(monitored)) this.#add(definition, notification);
    new cloudwatch.Dashboard(this, 'Dashboard', {
      dashboardName: this.#settings.name,
      widgets: listDashboardRows(monitored),
    });
  }

  #add(definition: AlarmDefinition, notification: SnsAction): void {
    const { id, runbook: heading = id, description, evaluationWindow, ...options } = definition;
    const alarm = new cloudwatch.Alarm(this, id, {
      threshold: 1,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // A period without requests is not a failure.
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
      ...options,
      alarmName: `${this.#settings.name}-${id}`,
      alarmDescription: `${description} What to do: ${this.#settings.runbookUrl ?? runbook}#${heading.toLowerCase()}`,
    });
    fixLogicalId(alarm, `${id}Alarm`);
    (alarm.node.defaultChild as cloudwatch.CfnAlarm).evaluationWindow = evaluationWindow;
    alarm.addAlarmAction(notification);
    alarm.addOkAction(notification);
  }

  #topic(): Topic {
    const { alarmEmail: email, name } = this.#settings;
    const alarms = { service: 'cloudwatch', resource: 'alarm', resourceName: '*' };
    const sourceArn = Stack.of(this).formatArn({ ...alarms, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    const displayName = `Alarms of ${name}`;
    const topic = notificationTopic(this, 'Alarms', { displayName, service: 'cloudwatch', sourceArn, email });
    const output = new CfnOutput(this, 'AlarmTopic', { value: topic.topicArn, description: 'The topic for alarms' });
    fixLogicalId(output, 'AlarmTopic');
    if (email === null)
      Validations.of(topic).addWarning(
        'levy:AlarmsReachNobody',
        'Alarms notify no one. Set alarmEmail, or subscribe to the topic in the output AlarmTopic.',
      );
    return topic;
  }
}
