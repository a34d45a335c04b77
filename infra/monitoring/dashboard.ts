import { GraphWidget, type IMetric, type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Watched } from './alarm.ts';

const graph = (title: string, left: IMetric[], right: IMetric[] = []): IWidget =>
  new GraphWidget({ title, left, right, width: 8, height: 6, leftYAxis: { min: 0 } });

const ofRequests = ({ metrics }: Watched): IWidget[][] => [
  [
    graph('Requests', [metrics.requests, metrics.refusedAnswers, metrics.brokenAnswers], [metrics.errorShare]),
    graph('Slowest of a hundred, ms by operation', [metrics.everyBy('operation', 'Duration', 'p99')]),
    graph('Calculations, ms', [
      metrics.durationOf('create-calculation', 'p50'),
      metrics.durationOf('create-calculation', 'p99'),
    ]),
  ],
  [
    graph('Refusals by code', [metrics.everyBy('code', 'Refused', Stats.SUM)]),
    graph('Tax by state, dollars answered', [metrics.everyBy('state', 'Tax', Stats.SUM)]),
    graph('Documents by state', [metrics.everyBy('state', 'Tax', Stats.SAMPLE_COUNT)]),
  ],
  [
    graph('At hand, share of requests', [metrics.keptShare('KeyKept'), metrics.keptShare('ContentKept')]),
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
    graph('What could not be done', [failedRuns, ...(events ? [events.untold] : [])].map(metrics.waiting)),
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

const ofCopies = ({ metrics, copies }: Watched): IWidget[] =>
  copies === null
    ? []
    : [
        graph('Copies of tables by day', [
          metrics.copies(copies.vault, 'Completed'),
          metrics.copies(copies.vault, 'Failed'),
        ]),
      ];

/** What one looks at first, row by row: requests, what they found, the tables, and the work that starts by itself. */
export const dashboardRows = (watched: Watched): IWidget[][] => [
  ...ofRequests(watched),
  ...ofStores(watched),
  ...ofWork(watched),
  [...ofEvents(watched), ...ofCopies(watched)],
];
