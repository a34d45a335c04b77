import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { endpoints, type Operation, schedules } from '../../functions/endpoints.ts';
import { scheduled } from '../../shared/define-schedule.ts';
import { errorCodes } from '../../shared/error-codes.ts';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import { counted, countMetric } from '../../shared/observability/metric.ts';
import { observed } from '../../shared/observability/request-line.ts';
import { recordCacheHit, recordCacheMiss, recordRefusal, tally } from '../../shared/observability/tally.ts';
import { sweepDrafts } from '../../shared/transactions/sweep-drafts.ts';
import { seriesOf } from '../support/embedded-metric-format.ts';
import { isBreached, ringsAt } from './alarm-math.ts';
import { flat, synthesize, withoutBundling } from './synthesized.ts';

const { ofType, outdir, template } = synthesize({ ...withoutBundling, alarmEmail: 'tax@example.com' });
const topicId = ofType('AWS::SNS::Topic')[0]?.[0] as string;
const alarms = ofType('AWS::CloudWatch::Alarm')
  .map(([, { Properties }]) => Properties)
  .filter(({ AlarmActions = [] }) => AlarmActions.some((action: any) => action.Ref === topicId));

const named = (id: string): Record<string, any> =>
  alarms.find(({ AlarmName }) => AlarmName === `Levy-${id}`) as Record<string, any>;

/** What the CDK's command says to whoever synthesizes. */
const warningsOf = (folder: string): string[] => {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const metadata = { ...manifest.artifacts.Levy.metadata };
  const { additionalMetadataFile } = manifest.artifacts.Levy;
  if (additionalMetadataFile)
    Object.assign(metadata, JSON.parse(readFileSync(join(folder, additionalMetadataFile), 'utf8')));
  return (Object.values(metadata) as any[][])
    .flat()
    .filter(({ type }) => type === 'aws:cdk:warning')
    .map(({ data }) => data);
};

type Used = { Namespace: string; MetricName: string; Dimensions: Record<string, any> };
const dimensionsOf = (pairs: any[] = []) => Object.fromEntries(pairs.map(({ Name, Value }) => [Name, Value]));
const used: Used[] = alarms.flatMap((alarm) =>
  [alarm, ...(alarm['Metrics'] ?? []).flatMap(({ MetricStat }: any) => MetricStat?.Metric ?? [])].flatMap(
    ({ Namespace, MetricName, Dimensions }) =>
      MetricName ? [{ Namespace, MetricName, Dimensions: dimensionsOf(Dimensions) }] : [],
  ),
);

const bodyOf = (value: any): string =>
  typeof value === 'string'
    ? value
    : value['Fn::Join'][1].map((part: any) => part.Ref ?? part['Fn::GetAtt']?.join('.') ?? part).join('');
const dashboard = JSON.parse(bodyOf(ofType('AWS::CloudWatch::Dashboard')[0]?.[1].Properties['DashboardBody']));
const widgets: any[] = dashboard.widgets;
const listed: any[][] = widgets.flatMap(({ properties }) => properties.metrics);
const shown: Used[] = listed.flatMap(([Namespace, MetricName, ...rest]) => {
  if (typeof Namespace === 'string') {
    const pairs = rest.filter((part) => typeof part === 'string');
    const Dimensions = Object.fromEntries(pairs.flatMap((part, at) => (at % 2 === 0 ? [[part, pairs[at + 1]]] : [])));
    return [{ Namespace, MetricName, Dimensions }];
  }
  const [, namespace, key, name] = /^SEARCH\('\{"([^"]+)",(\w+)\} MetricName="(\w+)"'/.exec(Namespace.expression) ?? [];
  return namespace && key && name ? [{ Namespace: namespace, MetricName: name, Dimensions: { [key]: '*' } }] : [];
});
const own = [...used, ...shown].filter(({ Namespace }) => !Namespace.startsWith('AWS/'));

/** What the code writes when it runs: every kind of line once. */
const written = async (): Promise<ReadonlySet<string>> => {
  const lines: any[] = [];
  const write = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  const event = { requestContext: { requestId: 'request_1' } } as never;
  await observed('create-calculation', async () => {
    recordCacheHit('ApiKey');
    recordCacheMiss('Content');
    recordRefusal('not_found');
    Object.assign(tally() as object, { taxes: [['US-MN', 1]] });
    return { statusCode: 404, body: '' };
  })(event, undefined);
  const time = { now: () => 0, remainingMs: () => 9e6, stepMsMax: 1, batchMsMax: 1, onFailure: () => {} };
  const drafts = { shards: 1, expired: async () => ({ drafts: [], next: null }) };
  const filings = { unfinished: async () => ({ filings: [], next: null }) };
  const accountIds = async () => ({ ids: [], next: null });
  await scheduled('sweep-drafts', () => sweepDrafts({ ...time, drafts } as never))({}, {} as never);
  await scheduled('close-periods', () => closePeriods({ ...time, filings, accountIds } as never))({}, {} as never);
  for (const name of counted) countMetric(name, {}, 0);
  write.mockRestore();
  return new Set(lines.flatMap(seriesOf));
};

/** The names of AWS's services, as their documentation has them. */
const awsSeries = new Set([
  ...['Count', '4XXError', '5XXError'].map((name) => `AWS/ApiGateway ${name} ApiName Stage`),
  ...['Throttles', 'ConcurrentExecutions'].map((name) => `AWS/Lambda ${name}`),
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

describe('whatever an alarm or the dashboard reads', () => {
  it('of ours is what the code writes, by name and dimension, and all that it writes is shown', async () => {
    const series = await written();
    expect(own.length).toBeGreaterThan(15);
    expect(own.map(nameOf).filter((name) => !series.has(name))).toEqual([]);
    const names = new Set(shown.map(nameOf));
    expect([...series].filter((name) => !names.has(name))).toEqual([]);
  });

  it('has operations, codes and schedules that there are', () => {
    const known = { operation: endpoints, code: errorCodes, schedule: schedules };
    for (const { Dimensions } of own)
      for (const [key, value] of Object.entries(Dimensions))
        if (value !== '*') expect(known).toHaveProperty([key, value]);
    expect(
      own.filter(({ Dimensions }) => Dimensions['operation'] === ('create-calculation' satisfies Operation)),
    ).not.toEqual([]);
  });

  it("of AWS's services is what these have, of this stack's own resources", () => {
    const theirs = [...used, ...shown].filter(({ Namespace }) => Namespace.startsWith('AWS/'));
    expect(theirs.map(nameOf).filter((name) => !awsSeries.has(name))).toEqual([]);
    const values = theirs.flatMap(({ Dimensions }) => Object.values(Dimensions)).map((value) => flat(value));
    const ids = values.map((value) => value.replace(/\.(QueueName|BackupVaultName)$/, ''));
    const api = ofType('AWS::ApiGateway::RestApi')[0]?.[1].Properties['Name'];
    const stage = ofType('AWS::ApiGateway::Stage')[0]?.[1].Properties['StageName'];
    const calls = ['GetItem', 'BatchGetItem', 'Query', 'TransactWriteItems'];
    const resources = ['TransactionsTable', 'FailedRuns', 'UntoldEvents', 'EventPipe', 'BackupVault'];
    expect([...new Set(ids)].sort()).toEqual([api, stage, ...calls, ...resources].sort());
  });

  it('is of this stage alone', () => {
    const staging = synthesize({ ...withoutBundling, stage: 'staging' });
    const text =
      JSON.stringify(staging.ofType('AWS::CloudWatch::Alarm')) +
      JSON.stringify(staging.ofType('AWS::CloudWatch::Dashboard'));
    expect(text).not.toMatch(/\\*"Levy\\*"/);
    for (const [, { Properties }] of staging.ofType('AWS::Lambda::Function'))
      if (Properties['LoggingConfig'])
        expect(Properties['Environment'].Variables.METRICS_NAMESPACE).toBe('Levy-staging');
  });
});

describe('the alarms', () => {
  const headingOf = (alarm: Record<string, any>) => /infra\/runbook\.md#(\w+)$/.exec(alarm['AlarmDescription'])?.[1];

  it('are few', () => {
    expect(alarms.map(({ AlarmName }) => AlarmName).sort()).toEqual(
      [
        ...['ErrorShare', 'ErrorShareOfHour', 'InternalErrors', 'SlowCalculations', 'Throttled', 'CredentialsUnread'],
        ...['LedgerErrors', 'LimiterOpen', 'SweepDraftsSilent', 'ClosePeriodsSilent', 'FilingsStuck', 'CopiesMissing'],
        ...['EventsUntold', 'EventsFailing', 'EventsStopped', 'ContentCorrupt'],
      ]
        .map((id) => `Levy-${id}`)
        .sort(),
    );
  });

  it('each link to a section of the runbook, and each section belongs to an alarm', () => {
    const runbook = readFileSync(new URL('../../infra/runbook.md', import.meta.url), 'utf8');
    const sections = [...runbook.matchAll(/^## (\w+)\n\n- \*\*Meaning\*\*/gm)].map(([, name = '']) =>
      name.toLowerCase(),
    );
    expect([...new Set(alarms.map(headingOf))].sort()).toEqual(sections.sort());
  });

  it('ring where a schedule or the backup is silent, and never for the silence of requests', () => {
    const treated = Object.fromEntries(alarms.map((alarm) => [alarm['AlarmName'], alarm['TreatMissingData']]));
    for (const [name, missing] of Object.entries(treated))
      expect([name, missing]).toEqual([name, /Silent$|CopiesMissing$/.test(name) ? 'breaching' : 'notBreaching']);
  });

  it.each([
    ['one broken answer of two', { requests: 2, broken: 1 }, false],
    ['two of two', { requests: 2, broken: 2 }, false],
    ['three of three: a small shop that is down', { requests: 3, broken: 3 }, true],
    ['nineteen of nineteen', { requests: 19, broken: 19 }, true],
    ['three of sixty', { requests: 60, broken: 3 }, true],
    ['three of sixty-one', { requests: 61, broken: 3 }, false],
    ['none of a thousand', { requests: 1000, broken: 0 }, false],
  ])('of broken answers: %s', (_what, values, rings) => {
    expect(isBreached(named('ErrorShare'), values)).toBe(rings);
  });

  it.each([
    ['two of two', { requests: 2, broken: 2 }, false],
    ['three of three', { requests: 3, broken: 3 }, true],
    ['three of six', { requests: 6, broken: 3 }, true],
    ['three of seven', { requests: 7, broken: 3 }, false],
    ['a tenth of a thousand', { requests: 1000, broken: 100 }, false],
  ])('of broken answers in an hour: %s', (_what, values, rings) => {
    expect(isBreached(named('ErrorShareOfHour'), values)).toBe(rings);
  });

  it.each([
    [6, 30],
    [30, 30],
    [1200, 10],
  ])('wake somebody when all of %d requests an hour begin to break, within %d minutes', (anHour, most) => {
    const minuteMs = 60_000;
    const sent = Array.from({ length: 3 * anHour }, (_, at) => (at * 60 * minuteMs) / anHour);
    const outage = 90 * minuteMs;
    const valuesIn = (from: number, to: number) => {
      const requests = sent.filter((time) => time >= from && time < to);
      return { requests: requests.length, broken: requests.filter((time) => time >= outage).length };
    };
    const rung = Array.from({ length: 180 - 60 }, (_, at) => 60 + at).filter((minute) =>
      [named('ErrorShare'), named('ErrorShareOfHour')].some((alarm) => ringsAt(alarm, minute * minuteMs, valuesIn)),
    );
    expect(Math.min(...rung) * minuteMs).toBeGreaterThan(outage);
    expect(Math.min(...rung) * minuteMs).toBeLessThanOrEqual(outage + most * minuteMs);
  });

  it.each([
    ['nothing asked, and nothing told', { asked: 0, refused: 0, broken: 0 }, false],
    ['ten made, and the pipe not heard of', { asked: 10, refused: 0, broken: 0 }, true],
    ['ten made, and the pipe called none', { asked: 10, refused: 0, broken: 0, called: 0 }, true],
    ['ten made, and the pipe called', { asked: 10, refused: 0, broken: 0, called: 1 }, false],
    ['ten asked, one of them refused', { asked: 10, refused: 1, broken: 0 }, false],
    ['all broken', { asked: 500, refused: 0, broken: 500 }, false],
  ])('of events: %s', (_what, values, rings) => {
    expect(isBreached(named('EventsStopped'), values)).toBe(rings);
  });

  it.each([{ removal: 'destroy' }, { backups: 'none' }])(
    'ask nothing of what is not there: events, and with %j copies',
    (no) => {
      const of = synthesize({ ...withoutBundling, stage: 'small', events: 'false', ...no });
      const names = of.ofType('AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties['AlarmName']);
      expect(names).toContain('Levy-small-FilingsStuck');
      expect(names.filter((name) => /Copies|Events/.test(name ?? ''))).toEqual([]);
      const body = bodyOf(of.ofType('AWS::CloudWatch::Dashboard')[0]?.[1].Properties['DashboardBody']);
      expect(body).not.toMatch(/AWS\/Backup|EventBridge|UntoldEvents/);
    },
  );

  it('wait longer for a schedule than it may take', () => {
    for (const { AlarmName, EvaluationPeriods, Period, Threshold, ComparisonOperator, Statistic } of alarms) {
      if (!/Silent$/.test(AlarmName)) continue;
      expect([Statistic, ComparisonOperator, Threshold]).toEqual(['SampleCount', 'LessThanThreshold', 1]);
      for (const { minutes, timeoutSeconds } of Object.values(schedules))
        expect(EvaluationPeriods * Period).toBeGreaterThan(2 * minutes * 60 + timeoutSeconds);
    }
  });

  it('tell of their beginning and their end, to a topic that is encrypted and that CloudWatch may write to', () => {
    for (const { AlarmActions, OKActions } of alarms)
      expect([AlarmActions, OKActions]).toEqual([[{ Ref: topicId }], [{ Ref: topicId }]]);
    const topic = template.Resources[topicId]?.Properties ?? {};
    const keyId = flat(topic['KmsMasterKeyId']).replace(/\.Arn$/, '');
    const ofCloudWatch = (statements: any[]) =>
      statements.filter(({ Principal }) => Principal?.Service === 'cloudwatch.amazonaws.com');
    const key = template.Resources[keyId]?.Properties ?? {};
    const [topicPolicy] = ofType('AWS::SNS::TopicPolicy').filter(
      ([, { Properties }]) => Properties['Topics'][0].Ref === topicId,
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
    const from = flat(statements[1].Condition.ArnLike['aws:SourceArn']);
    expect(from).toBe('arn:AWS::Partition:cloudwatch:AWS::Region:AWS::AccountId:alarm:*');
    // Or the topic's own messages would not be the only thing that CloudWatch may use the key for.
    expect(JSON.stringify(template).split(`"${keyId}"`)).toHaveLength(3);
    expect(key['EnableKeyRotation']).toBe(true);
  });

  it('go by mail to whom the setting names; without it to nobody, which the synthesis says', () => {
    const subscriptions = ofType('AWS::SNS::Subscription').map(([, { Properties }]) => Properties);
    expect(subscriptions).toMatchObject([
      { Protocol: 'email', Endpoint: 'tax@example.com', TopicArn: { Ref: topicId } },
    ]);
    const without = synthesize();
    expect(without.ofType('AWS::SNS::Subscription')).toEqual([]);
    expect(warningsOf(without.outdir)).toEqual([expect.stringContaining('No alarm wakes anybody')]);
    expect(warningsOf(outdir)).toEqual([]);
    expect(without.template.Outputs['AlarmTopic'].Value).toEqual({ Ref: topicId });
  });
});

it('no function filters its log by level: lines without one would be taken for less', () => {
  for (const [, { Properties }] of ofType('AWS::Lambda::Function'))
    expect(Properties['LoggingConfig']?.ApplicationLogLevel).toBeUndefined();
});
