import { GraphWidget, type IMetric, type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Watched } from './alarms.ts';

const graph = (title: string, left: IMetric[], right: IMetric[] = []): IWidget =>
  new GraphWidget({ title, left, right, width: 8, height: 6, leftYAxis: { min: 0 } });

const ofRequests = ({ metrics }: Watched): IWidget[][] => [
  [
    graph('Requests', [metrics.requests, metrics.clientErrors, metrics.serverErrors], [metrics.errorShare]),
    graph('p99 latency, ms by operation', [metrics.everyBy('operation', 'Duration', 'p99')]),
    graph('Latency of calculations, ms', [
      metrics.durationOf('create-calculation', 'p50'),
      metrics.durationOf('create-calculation', 'p99'),
    ]),
  ],
  [
    graph('Refusals by code', [metrics.everyBy('code', 'Refused', Stats.SUM)]),
    graph('Tax by state, dollars calculated', [metrics.everyBy('state', 'Tax', Stats.SUM)]),
    graph('Documents by state', [metrics.everyBy('state', 'Tax', Stats.SAMPLE_COUNT)]),
  ],
  [
    graph('Cache hits, share of requests', [metrics.cacheHitShare('KeyKept'), metrics.cacheHitShare('ContentKept')]),
    graph('Limiter, credentials and content', [
      metrics.refused('rate_limit_error'),
      metrics.counted('RateLimitOpen'),
      metrics.counted('CredentialsUnread'),
      metrics.counted('IssuerUnavailable'),
      metrics.counted('KeyUseUnrecorded'),
      metrics.counted('ContentCorrupt'),
    ]),
    graph('Instances of the account', [metrics.instances], [metrics.throttles]),
  ],
];

const ofStores = ({ metrics, ledger, failedRuns, events }: Watched): IWidget[][] => [
  [
    graph('Ledger, capacity units', [
      metrics.ofTable(ledger, 'ConsumedReadCapacityUnits'),
      metrics.ofTable(ledger, 'ConsumedWriteCapacityUnits'),
    ]),
    graph(
      'Ledger, errors and throttles',
      [metrics.ledgerErrors(ledger)],
      [metrics.ofTable(ledger, 'ReadThrottleEvents'), metrics.ofTable(ledger, 'WriteThrottleEvents')],
    ),
    graph('Dead-letter queues', [failedRuns, ...(events ? [events.deadLetterQueue] : [])].map(metrics.waiting)),
  ],
];

const ofWork = ({ metrics }: Watched): IWidget[][] => [
  [
    graph('Drafts swept', [
      metrics.ofSchedule('sweep-drafts', 'Voided'),
      metrics.ofSchedule('sweep-drafts', 'Skipped'),
      metrics.ofSchedule('sweep-drafts', 'Complete', Stats.MINIMUM),
    ]),
    graph('Filings', [
      metrics.ofSchedule('close-periods', 'Created'),
      metrics.ofSchedule('close-periods', 'Worked'),
      metrics.ofSchedule('close-periods', 'Finished'),
      metrics.ofSchedule('close-periods', 'Failed'),
    ]),
    graph('Periods closed, 1 is all', [metrics.ofSchedule('close-periods', 'Complete', Stats.MINIMUM)]),
  ],
];

const ofEvents = ({ metrics, events }: Watched): IWidget[] =>
  events === null
    ? []
    : [
        graph(
          'Events, executions of the pipe',
          [metrics.ofPipe(events.pipe, 'Invocations')],
          [metrics.ofPipe(events.pipe, 'ExecutionFailed')],
        ),
      ];

const ofBackups = ({ metrics, backups }: Watched): IWidget[] =>
  backups === null
    ? []
    : [
        graph('Backups of tables by day', [
          metrics.backups(backups.vault, 'Completed'),
          metrics.backups(backups.vault, 'Failed'),
        ]),
      ];

/** The widgets, row by row: requests, stores, scheduled work, events and backups. */
export const dashboardRows = (watched: Watched): IWidget[][] => [
  ...ofRequests(watched),
  ...ofStores(watched),
  ...ofWork(watched),
  [...ofEvents(watched), ...ofBackups(watched)],
];
