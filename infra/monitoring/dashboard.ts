import { GraphWidget, type IMetric, type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ScheduleName } from '../../functions/endpoints.ts';
import type { AlarmSources } from './alarms.ts';

const graph = (title: string, left: IMetric[], right: IMetric[] = []): IWidget =>
  new GraphWidget({ title, left, right, width: 8, height: 6, leftYAxis: { min: 0 } });

const ofRequests = ({ everyBy, counted, ...metrics }: AlarmSources['metrics'], isFull: boolean): IWidget[][] => [
  [
    graph(
      'Requests',
      [metrics.requests, metrics.clientErrors, metrics.serverErrors, metrics.recorded],
      [metrics.errorShare],
    ),
    graph('p99 latency, ms by operation', [everyBy('operation', 'Duration', 'p99')]),
    graph(
      'Latency of calculations, ms',
      ['p50', 'p99'].map((statistic) => metrics.durationOf('create-calculation', statistic)),
    ),
  ],
  [
    graph('Refusals by code', [everyBy('code', 'Refused', Stats.SUM)]),
    ...(isFull
      ? [
          graph('Tax by state, dollars calculated', [everyBy('state', 'Tax', Stats.SUM)]),
          graph('Documents by state', [everyBy('state', 'Tax', Stats.SAMPLE_COUNT)]),
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

const ofLedger = ({ metrics, ledger, failedRuns, events, reports }: AlarmSources): IWidget[] => {
  const ofTable = (...names: readonly string[]) => names.map((name) => metrics.ofTable(ledger, name));
  return [
    graph('Ledger, capacity units', ofTable('ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits')),
    graph(
      'Ledger, errors and throttles',
      [metrics.ledgerErrors(ledger)],
      ofTable('ReadThrottleEvents', 'WriteThrottleEvents'),
    ),
    graph(
      'Dead-letter queues',
      [failedRuns, ...[events, reports].flatMap((one) => one?.deadLetterQueue ?? [])].map(metrics.waiting),
    ),
  ];
};

const ofWork = ({ ofSchedule }: AlarmSources['metrics'], isFull: boolean): IWidget[] => {
  const sums = (schedule: ScheduleName, ...names: readonly string[]) => names.map((name) => ofSchedule(schedule, name));
  const complete = (schedule: ScheduleName) => ofSchedule(schedule, 'Complete', Stats.MINIMUM);
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
export const dashboardRows = (watched: AlarmSources): IWidget[][] => {
  const { metrics, updates, events, backups, isFull } = watched;
  const updateNames = ['Failed', 'Stale', ...(isFull ? (['Waiting', 'Activated'] as const) : [])] as const;
  const ends = ['Completed', 'Failed'] as const;
  return [
    ...ofRequests(metrics, isFull),
    ofLedger(watched),
    ofWork(metrics, isFull),
    [
      updates !== null &&
        graph(
          'Content updates, states by day',
          updateNames.map((name) => metrics.ofUpdates(name)),
        ),
      events &&
        graph(
          'Events, executions of the pipe',
          [metrics.ofPipe(events.pipe, 'Invocations')],
          [metrics.ofPipe(events.pipe, 'ExecutionFailed')],
        ),
      backups &&
        graph(
          'Backups of tables by day',
          ends.map((end) => metrics.backups(backups.vault, end)),
        ),
    ].filter((widget) => widget instanceof GraphWidget),
  ];
};
