import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { endpoints, type Operation, schedules } from '../../functions/endpoints.ts';
import { updateFigures } from '../../functions/update-content.ts';
import { scheduled } from '../../shared/api/define-schedule.ts';
import { errorCodes } from '../../shared/base/error-codes.ts';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import { sweepDrafts } from '../../shared/ledger/sweep-drafts.ts';
import { counted, countMetric, published } from '../../shared/observability/metric.ts';
import { observed } from '../../shared/observability/request-line.ts';
import {
  recordCacheHit,
  recordCacheMiss,
  recordCreation,
  recordRefusal,
  tally,
} from '../../shared/observability/tally.ts';
import { deployment } from '../bench/cost/usage.ts';
import { type MetricLine, seriesOf } from '../support/embedded-metric-format.ts';
import { firesAt, isBreached } from './alarm-math.ts';
import {
  disposable,
  everySetting,
  flat,
  idOf,
  type Properties,
  type Reference,
  type Statement,
  type Synthesized,
  synthesize,
  withoutBackups,
} from './synthesized.ts';

const { at, ofType, propertiesOf, outdir, template } = synthesize();
const topicId = ofType('AWS::SNS::Topic')[0]?.[0] as string;
const alarms = propertiesOf('AWS::CloudWatch::Alarm').filter(({ AlarmActions = [] }) =>
  AlarmActions.some(({ Ref }: Properties) => Ref === topicId),
);

const named = (id: string) => alarms.find(({ AlarmName }) => AlarmName === `Levy-${id}`) as Properties;

/** The warnings that the CDK prints. */
const warningsOf = (folder: string): string[] => {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const metadata = { ...manifest.artifacts.Levy.metadata };
  const { additionalMetadataFile } = manifest.artifacts.Levy;
  if (additionalMetadataFile)
    Object.assign(metadata, JSON.parse(readFileSync(join(folder, additionalMetadataFile), 'utf8')));
  return (Object.values(metadata) as { type: string; data: string }[][])
    .flat()
    .filter(({ type }) => type === 'aws:cdk:warning')
    .map(({ data }) => data);
};

type Metric = Pick<Used, 'Namespace'> & {
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: Reference }[];
};
type Used = { Namespace: string; MetricName: string; Dimensions: Record<string, Reference> };
const dimensionsOf = (pairs: Metric['Dimensions'] = []) =>
  Object.fromEntries(pairs.map(({ Name, Value }) => [Name, Value]));
const used: Used[] = alarms.flatMap((alarm) =>
  [
    alarm,
    ...(alarm.Metrics ?? []).flatMap(({ MetricStat }: Properties): Metric[] => (MetricStat ? [MetricStat.Metric] : [])),
  ].flatMap(({ Namespace, MetricName, Dimensions }) =>
    MetricName ? [{ Namespace, MetricName, Dimensions: dimensionsOf(Dimensions) }] : [],
  ),
);

type Widget = { readonly properties: { readonly metrics: readonly (readonly [Shown, ...string[]])[] } };
type Shown = string | { readonly expression: string };
const shownBy = ({ propertiesOf: of }: Pick<Synthesized, 'propertiesOf'>): Used[] => {
  const dashboard = JSON.parse(flat(of('AWS::CloudWatch::Dashboard')[0]?.DashboardBody));
  const widgets: Widget[] = dashboard.widgets;
  const listed = widgets.flatMap(({ properties }) => properties.metrics);
  return listed.flatMap(([Namespace, MetricName = '', ...rest]) => {
    if (typeof Namespace === 'string') {
      const pairs = rest.filter((part) => typeof part === 'string');
      const Dimensions = Object.fromEntries(
        pairs.flatMap((part, at) => (at % 2 === 0 ? [[part, pairs[at + 1] ?? '']] : [])),
      );
      return [{ Namespace, MetricName, Dimensions }];
    }
    const [, namespace, key, name] =
      /^SEARCH\('\{"([^"]+)",(\w+)\} MetricName="(\w+)"'/.exec(Namespace.expression) ?? [];
    return namespace && key && name ? [{ Namespace: namespace, MetricName: name, Dimensions: { [key]: '*' } }] : [];
  });
};
const shown = shownBy({ propertiesOf });
const own = [...used, ...shown].filter(({ Namespace }) => !Namespace.startsWith('AWS/'));

type SweepPorts = Parameters<typeof sweepDrafts>[0];
type ClosePorts = Parameters<typeof closePeriods>[0];

/** One line of each kind, as the code writes it with a setting `metrics`. */
const linesOf = async (setting: 'essential' | 'full'): Promise<readonly MetricLine[]> => {
  published.areAll = setting === 'full';
  const lines: Record<string, unknown>[] = [];
  const write = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  const event = { requestContext: { requestId: 'request_1' } } as APIGatewayProxyEvent;
  await observed('create-calculation', async () => {
    recordCacheHit('ApiKey');
    recordCacheMiss('Content');
    recordRefusal('system_internal_error');
    recordCreation();
    Object.assign(tally() as object, { taxes: [['US-MN', 1]] });
    return { statusCode: 500, body: '' };
  })(event, undefined);
  const time = { now: () => 0, remainingMs: () => 9e6, stepMsMax: 1, batchMsMax: 1, onFailure: () => {} };
  const drafts = { shards: 1, expired: async () => ({ drafts: [], next: null }) };
  const filings = { unfinished: async () => ({ filings: [], next: null }) };
  const due = {
    shards: 1,
    page: async () => [],
    sweep: async () => ({ day: '1970-01-01', after: null, isDone: true }),
  };
  await scheduled('sweep-drafts', () => sweepDrafts({ ...time, drafts } as unknown as SweepPorts))({}, {} as Context);
  await scheduled('close-periods', () => closePeriods({ ...time, filings, due } as unknown as ClosePorts))(
    {},
    {} as Context,
  );
  await scheduled('update-content', async () => updateFigures({ outcome: 'failed', reason: '' }, true))(
    {},
    {} as Context,
  );
  for (const name of counted) countMetric(name, {}, 0);
  write.mockRestore();
  return lines as MetricLine[];
};
const written = async (setting: 'essential' | 'full'): Promise<ReadonlySet<string>> =>
  new Set((await linesOf(setting)).flatMap(seriesOf));

/** Metrics of AWS's services, from their documentation. */
const awsSeries = new Set([
  ...['Count', '4XXError', '5XXError'].map((name) => `AWS/ApiGateway ${name} ApiName Stage`),
  ...['Throttles', 'ConcurrentExecutions'].map((name) => `AWS/Lambda ${name}`),
  'AWS/Lambda IteratorAge FunctionName',
  'AWS/DynamoDB WriteThrottleEvents GlobalSecondaryIndexName TableName',
  ...['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', 'ReadThrottleEvents', 'WriteThrottleEvents'].map(
    (name) => `AWS/DynamoDB ${name} TableName`,
  ),
  'AWS/DynamoDB SystemErrors Operation TableName',
  'AWS/SQS ApproximateNumberOfMessagesVisible QueueName',
  ...['Invocations', 'ExecutionFailed'].map((name) => `AWS/EventBridge/Pipes ${name} PipeName`),
  ...['Completed', 'Failed'].map((end) => `AWS/Backup NumberOfBackupJobs${end} BackupVaultName`),
]);
const nameOf = ({ Namespace, MetricName, Dimensions }: Used) =>
  [Namespace, MetricName, ...Object.keys(Dimensions).sort()].join(' ');

describe('metrics of alarms and dashboard', () => {
  it.each([
    ['essential', 11],
    ['full', 20],
  ] as const)(
    'metrics=%s publishes each metric that alarms and dashboard read, and the dashboard shows every published metric',
    async (metrics, least) => {
      const series = await written(metrics);
      expect(series.size).toBeGreaterThanOrEqual(least);
      const onDashboard = shownBy(synthesize(metrics === 'full' ? everySetting : {}))
        .map(nameOf)
        .map((name) => name.replace(/^Levy-staging /, 'Levy '));
      const read = [...used.map(nameOf), ...onDashboard].filter((name) => !name.startsWith('AWS/'));
      expect(read.length).toBeGreaterThan(15);
      expect(read.filter((name) => !series.has(name))).toEqual([]);
      const names = new Set(onDashboard);
      expect([...series].filter((name) => !names.has(name))).toEqual([]);
    },
  );

  it("metrics=essential publishes the metrics of alarms and of the dashboard's first row, and counted failures", async () => {
    const dashboard = JSON.parse(flat(propertiesOf('AWS::CloudWatch::Dashboard')[0]?.DashboardBody));
    const firstRow = { ...dashboard, widgets: dashboard.widgets.filter(({ y }: { y: number }) => y === 0) };
    expect(firstRow.widgets).toHaveLength(3);
    const row = shownBy({ propertiesOf: () => [{ DashboardBody: JSON.stringify(firstRow) } as Properties] });
    const read = new Set([...used, ...row].map(nameOf));
    const unread = [...(await written('essential'))].filter((name) => !read.has(name));
    // Failures are too rare to cost anything.
    expect(unread.sort()).toEqual(['Levy IssuerUnavailable', 'Levy KeyUseUnrecorded']);
  });

  it('match the number in `npm run cost`', async () => {
    const countOf = async (setting: 'essential' | 'full') => {
      // Series by code, state and operation depend on the traffic, and failures should have none.
      const lasting = (await linesOf(setting)).flatMap((line) =>
        seriesOf(line).flatMap((series) =>
          / (code|state|operation)$/.test(series) ? [] : `${series} ${line['schedule']}`,
        ),
      );
      return new Set(lasting.filter((series) => !counted.some((name) => series.includes(name)))).size;
    };
    expect(await countOf('essential')).toBe(deployment.essentialSeries);
    expect(await countOf('full')).toBe(deployment.fullSeries);
  });

  it('reads at most ten metrics in each alarm', () => {
    for (const { AlarmName, Metrics = [] } of alarms)
      expect([AlarmName, Metrics.filter(({ MetricStat }: Properties) => MetricStat).length <= 10]).toEqual([
        AlarmName,
        true,
      ]);
  });

  it('have existing operations, codes and schedules', () => {
    const known = { operation: endpoints, code: errorCodes, schedule: { ...schedules, 'update-content': true } };
    for (const { Dimensions } of own)
      for (const [key, value] of Object.entries(Dimensions))
        if (value !== '*') expect(known).toHaveProperty([key, flat(value)]);
    expect(
      own.filter(({ Dimensions }) => Dimensions['operation'] === ('create-calculation' satisfies Operation)),
    ).not.toEqual([]);
  });

  it("uses documented metrics of AWS's services, for this stack's resources", () => {
    const theirs = [...used, ...shown].filter(({ Namespace }) => Namespace.startsWith('AWS/'));
    expect(theirs.map(nameOf).filter((name) => !awsSeries.has(name))).toEqual([]);
    const values = theirs.flatMap(({ Dimensions }) => Object.values(Dimensions)).map((value) => flat(value));
    const ids = values.map((value) => value.replace(/\.(QueueName|BackupVaultName)$/, ''));
    const [api] = propertiesOf('AWS::ApiGateway::RestApi').map(({ Name }) => Name);
    const [stage] = propertiesOf('AWS::ApiGateway::Stage').map(({ StageName }) => StageName);
    const calls = ['GetItem', 'BatchGetItem', 'Query', 'TransactWriteItems'];
    const indexes = ['by_account', 'by_customer', 'by_parent', 'by_reference', 'by_tax_date', 'credits', 'drafts'];
    const tables = ['TransactionsTable', 'ContentTable', 'AccountsTable'];
    const resources = [...indexes, ...tables, 'FailedRuns', 'UntoldEvents', 'EventPipe', 'BackupVault'];
    const counting = ['UncountedTransactions', 'CountTransactions'];
    expect([...new Set(ids)].sort()).toEqual([api, stage, ...calls, ...resources, ...counting].sort());
  });

  it('are on the dashboard for every dead-letter queue of the stack', () => {
    const queues = shown.flatMap(({ Namespace, Dimensions }) =>
      Namespace === 'AWS/SQS' ? [idOf(Dimensions['QueueName'])] : [],
    );
    expect(queues.sort()).toEqual(
      ofType('AWS::SQS::Queue')
        .map(([id]) => id)
        .sort(),
    );
  });

  it('are of this stage only', () => {
    const staging = synthesize(everySetting);
    const text = JSON.stringify([
      staging.ofType('AWS::CloudWatch::Alarm'),
      staging.ofType('AWS::CloudWatch::Dashboard'),
    ]);
    expect(text).not.toMatch(/\\*"Levy\\*"/);
  });
});

describe('the alarms', () => {
  const headingOf = (alarm: Properties) => /infra\/runbook\.md#(\w+)$/.exec(alarm.AlarmDescription)?.[1];

  it('are exactly these', () => {
    expect(alarms.map(({ AlarmName }) => AlarmName).sort()).toEqual(
      [
        ...['ErrorShare', 'ErrorShareOfHour', 'InternalErrors', 'SlowCalculations', 'Throttled', 'CredentialsUnread'],
        ...['FilingsLate', 'SweepIncomplete'],
        ...['LedgerErrors', 'LimiterOpen', 'SweepDraftsSilent', 'ClosePeriodsSilent', 'FilingsStuck', 'BackupsFailed'],
        ...['BackupsMissing', 'RunsFailed', 'TablesThrottled', 'IndexesThrottled'],
        ...['EventsDeadLetterQueue', 'EventsFailing', 'EventsStopped', 'ContentCorrupt'],
        ...['ContentStale', 'UpdateContentSilent', 'UncountedTransactions', 'CountingLate'],
      ]
        .map((id) => `Levy-${id}`)
        .sort(),
    );
  });

  it('alarms link to the runbookUrl', () => {
    const descriptions = synthesize(everySetting)
      .propertiesOf('AWS::CloudWatch::Alarm')
      .flatMap(({ AlarmDescription }) => (/What to do/.test(AlarmDescription) ? [AlarmDescription] : []));
    expect(descriptions.length).toBe(alarms.length);
    for (const description of descriptions)
      expect(description).toMatch(/ What to do: https:\/\/wiki\.example\.com\/levy\/runbook#[a-z]+$/);
  });

  it('each link to a section of the runbook, and each section belongs to an alarm', () => {
    const runbook = readFileSync(new URL('../../infra/runbook.md', import.meta.url), 'utf8');
    const sections = [...runbook.matchAll(/^## (\w+)\n\n- \*\*Meaning\*\*/gm)].map(([, name = '']) =>
      name.toLowerCase(),
    );
    expect([...new Set(alarms.map(headingOf))].sort()).toEqual(sections.sort());
  });

  it('treat missing data as a failure of schedules and backups only', () => {
    const treated = Object.fromEntries(alarms.map((alarm) => [alarm['AlarmName'], alarm['TreatMissingData']]));
    for (const [name, missing] of Object.entries(treated))
      expect([name, missing]).toEqual([name, /Silent$|BackupsMissing$/.test(name) ? 'breaching' : 'notBreaching']);
  });

  it.each([
    ['one of two', { requests: 2, errors: 1 }, false],
    ['two of two', { requests: 2, errors: 2 }, false],
    ['three of three', { requests: 3, errors: 3 }, true],
    ['nineteen of nineteen', { requests: 19, errors: 19 }, true],
    ['three of sixty', { requests: 60, errors: 3 }, true],
    ['three of sixty-one', { requests: 61, errors: 3 }, false],
    ['none of a thousand', { requests: 1000, errors: 0 }, false],
  ])('ErrorShare with %s errors', (_what, values, fires) => {
    expect(isBreached(named('ErrorShare'), values)).toBe(fires);
  });

  it.each([
    ['two of two', { requests: 2, errors: 2 }, false],
    ['three of three', { requests: 3, errors: 3 }, true],
    ['three of six', { requests: 6, errors: 3 }, true],
    ['three of seven', { requests: 7, errors: 3 }, false],
    ['a tenth of a thousand', { requests: 1000, errors: 100 }, false],
  ])('ErrorShareOfHour with %s errors', (_what, values, fires) => {
    expect(isBreached(named('ErrorShareOfHour'), values)).toBe(fires);
  });

  it.each([
    [6, 30],
    [30, 30],
    [1200, 10],
  ])('an outage with %d requests an hour is reported within %d minutes', (anHour, most) => {
    const minuteMs = 60_000;
    const sent = Array.from({ length: 3 * anHour }, (_, at) => (at * 60 * minuteMs) / anHour);
    const outage = 90 * minuteMs;
    const valuesIn = (from: number, to: number) => {
      const requests = sent.filter((time) => time >= from && time < to);
      return { requests: requests.length, errors: requests.filter((time) => time >= outage).length };
    };
    const fired = Array.from({ length: 180 - 60 }, (_, at) => 60 + at).filter((minute) =>
      [named('ErrorShare'), named('ErrorShareOfHour')].some((alarm) => firesAt(alarm, minute * minuteMs, valuesIn)),
    );
    expect(Math.min(...fired) * minuteMs).toBeGreaterThan(outage);
    expect(Math.min(...fired) * minuteMs).toBeLessThanOrEqual(outage + most * minuteMs);
  });

  it.each([
    ['nothing recorded', {}, null],
    ['one recorded, no data of the pipe', { recorded: 1 }, true],
    ['one recorded, the pipe not invoked', { recorded: 1, invoked: 0 }, true],
    ['ten recorded, the pipe invoked', { recorded: 10, invoked: 1 }, false],
  ])('EventsStopped with %s', (_what, values, fires) => {
    // Without data of a metric, an expression has none, which is no failure.
    if (fires === null) expect(named('EventsStopped')['TreatMissingData']).toBe('notBreaching');
    else expect(isBreached(named('EventsStopped'), values)).toBe(fires);
  });

  it.each([
    ['a run of every state', { runs: 35 }, false],
    ['a run too few', { runs: 34 }, true],
    ['no run', {}, true],
  ])('UpdateContentSilent with %s on a day', (_what, values, fires) => {
    expect(propertiesOf('AWS::Scheduler::Schedule').filter(({ Target }) => /state/.test(Target.Input))).toHaveLength(
      35,
    );
    expect(isBreached(named('UpdateContentSilent'), values)).toBe(fires);
  });

  it.each([
    ['FilingsLate', 'close-periods'],
    ['SweepIncomplete', 'sweep-drafts'],
  ])('%s fires after an hour in which no run of %s was complete', (alarm, schedule) => {
    expect(named(alarm)).toMatchObject({
      ...{ MetricName: 'Complete', Dimensions: [{ Name: 'schedule', Value: schedule }], Statistic: 'Maximum' },
      ...{ Period: 300, EvaluationPeriods: 12, Threshold: 1, ComparisonOperator: 'LessThanThreshold' },
    });
  });

  it('ContentStale fires for one stale state on the last full day', () => {
    expect(named('ContentStale')).toMatchObject({
      ...{ MetricName: 'Stale', Dimensions: [{ Name: 'schedule', Value: 'update-content' }], Statistic: 'Sum' },
      ...{ Period: 86_400, EvaluationPeriods: 1, EvaluationWindow: { WallClockWindow: {} } },
      ...{ Threshold: 1, ComparisonOperator: 'GreaterThanOrEqualToThreshold' },
    });
  });

  it.each([
    [disposable, /Backups|Events/, /AWS\/Backup|EventBridge|UntoldEvents/],
    [withoutBackups, /Backups|Content(Stale|Silent)/, /AWS\/Backup|update-content/],
  ])('alarms with %j do not watch resources that do not exist', (context, absent, unused) => {
    const of = synthesize(context);
    const names = of.propertiesOf('AWS::CloudWatch::Alarm').map(({ AlarmName }) => AlarmName ?? '');
    expect(names.filter((name) => /FilingsStuck$/.test(name))).toHaveLength(1);
    expect(names.filter((name) => absent.test(name))).toEqual([]);
    expect(flat(of.propertiesOf('AWS::CloudWatch::Dashboard')[0]?.DashboardBody)).not.toMatch(unused);
  });

  it('allow a schedule more time than two runs take', () => {
    for (const { AlarmName, EvaluationPeriods, Period, Threshold, ComparisonOperator, Statistic } of alarms) {
      if (!/(Drafts|Periods)Silent$/.test(AlarmName)) continue;
      expect([Statistic, ComparisonOperator, Threshold]).toEqual(['SampleCount', 'LessThanThreshold', 1]);
      for (const { minutes, timeoutSeconds } of Object.values(schedules))
        expect(EvaluationPeriods * Period).toBeGreaterThan(2 * minutes * 60 + timeoutSeconds);
    }
  });

  it('notify an encrypted topic of start and end, which admits CloudWatch alarms of this account only', () => {
    for (const { AlarmActions, OKActions } of alarms)
      expect([AlarmActions, OKActions]).toEqual([[{ Ref: topicId }], [{ Ref: topicId }]]);
    const topic = at(topicId);
    const keyId = idOf(topic['KmsMasterKeyId']);
    const ofCloudWatch = (statements: readonly Statement[] = []) =>
      statements.filter(({ Principal }) => Principal?.Service === 'cloudwatch.amazonaws.com');
    const key = at(keyId);
    const [topicPolicy] = ofType('AWS::SNS::TopicPolicy').filter(
      ([, { Properties }]) => Properties.Topics[0]?.Ref === topicId,
    );
    const statements = [
      ...ofCloudWatch(key['KeyPolicy'].Statement),
      ...ofCloudWatch(topicPolicy?.[1].Properties['PolicyDocument'].Statement),
    ];
    const by = { Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' } };
    expect(statements).toEqual([
      // Without a condition, which might not hold (decision 0017).
      { ...by, Action: ['kms:Decrypt', 'kms:GenerateDataKey*'], Resource: '*' },
      {
        ...by,
        Sid: expect.any(String),
        Action: 'sns:Publish',
        Resource: { Ref: topicId },
        Condition: { ArnLike: { 'aws:SourceArn': expect.anything() } },
      },
    ]);
    const from = flat(statements[1]?.Condition?.['ArnLike']?.['aws:SourceArn']);
    expect(from).toBe('arn:AWS::Partition:cloudwatch:AWS::Region:AWS::AccountId:alarm:*');
    // The key encrypts this topic only.
    expect(JSON.stringify(template).split(`"${keyId}"`)).toHaveLength(3);
    expect(key['EnableKeyRotation']).toBe(true);
  });

  it('are sent to alarmEmail; without it, the synthesis prints a warning', () => {
    const mailed = synthesize(everySetting);
    const topic = { Ref: mailed.ofType('AWS::SNS::Topic')[0]?.[0] };
    expect(mailed.propertiesOf('AWS::SNS::Subscription')).toMatchObject([
      { Protocol: 'email', Endpoint: 'tax@example.com', TopicArn: topic },
    ]);
    expect(warningsOf(mailed.outdir)).toEqual([]);
    expect(ofType('AWS::SNS::Subscription')).toEqual([]);
    expect(warningsOf(outdir)).toEqual([expect.stringContaining('give alarmEmail')]);
    expect(template.Outputs['AlarmTopic']?.Value).toEqual({ Ref: topicId });
  });
});
