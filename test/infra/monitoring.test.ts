import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import { type Operation, routes, schedules } from '../../shared/http/routes.ts';
import { countMetric } from '../../shared/observability/metric.ts';
import { observed } from '../../shared/observability/request-line.ts';
import { scheduled } from '../../shared/observability/scheduled.ts';
import { noteKept, tally } from '../../shared/observability/tally.ts';
import { statusOf } from '../../shared/problem.ts';
import { sweepDrafts } from '../../shared/transactions/sweep-drafts.ts';
import { seriesOf } from '../support/embedded-metric-format.ts';
import { flat, synthesize, withoutBundling } from './synthesized.ts';

const { ofType, template } = synthesize({ ...withoutBundling, alarmEmail: 'tax@example.com' });
const topicId = ofType('AWS::SNS::Topic')[0]?.[0] as string;
const alarms = ofType('AWS::CloudWatch::Alarm')
  .map(([, { Properties }]) => Properties)
  .filter(({ AlarmActions = [] }) => AlarmActions.some((action: any) => action.Ref === topicId));

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
  const body = JSON.stringify({ errors: [{ code: 'not_found' }] });
  await observed('create-calculation', async () => {
    noteKept('KeyKept', 1);
    noteKept('ContentKept', 0);
    Object.assign(tally() as object, { taxes: [['US-MN', 1]] });
    return { statusCode: 404, body };
  })(event, undefined);
  const time = { now: () => 0, remainingMs: () => 9e6, stepMsMax: 1, batchMsMax: 1, onFailure: () => {} };
  const drafts = { shards: 1, expired: async () => ({ drafts: [], next: null }) };
  const filings = { unfinished: async () => ({ filings: [], next: null }) };
  const accountIds = async () => ({ ids: [], next: null });
  await scheduled('sweep-drafts', () => sweepDrafts({ ...time, drafts } as never))({}, {} as never);
  await scheduled('close-periods', () => closePeriods({ ...time, filings, accountIds } as never))({}, {} as never);
  for (const name of ['CredentialsUnread', 'KeyUseUnrecorded', 'RateLimitOpen'] as const) countMetric(name, {}, 0);
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
    const known = { operation: routes, code: statusOf, schedule: schedules };
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
    const ids = values.map((value) => value.replace(/\.QueueName$/, ''));
    const api = ofType('AWS::ApiGateway::RestApi')[0]?.[1].Properties['Name'];
    const stage = ofType('AWS::ApiGateway::Stage')[0]?.[1].Properties['StageName'];
    const calls = ['GetItem', 'BatchGetItem', 'Query', 'TransactWriteItems'];
    const resources = ['TransactionsTable', 'FailedRuns', 'UntoldEvents'].filter((id) => id in template.Resources);
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
  const decision = readFileSync(new URL('../../infra/decisions/0017-what-wakes-a-person.md', import.meta.url), 'utf8');
  const runbook = decision.slice(decision.indexOf('## Runbook'));
  const headings = runbook
    .split(/^### /m)
    .slice(1)
    .map((paragraph) => ({
      name: paragraph.slice(0, paragraph.indexOf('\n')),
      text: paragraph.split('\n').slice(1).join(' '),
    }));
  const headingOf = (alarm: Record<string, any>) => /#(\w+)$/.exec(alarm['AlarmDescription'])?.[1];

  it('are few', () => {
    expect(alarms.map(({ AlarmName }) => AlarmName).sort()).toEqual(
      [
        ...['ErrorShare', 'InternalErrors', 'SlowCalculations', 'Throttled', 'CredentialsUnread', 'LedgerErrors'],
        ...['LimiterOpen', 'SweepDraftsSilent', 'ClosePeriodsSilent', 'FilingsStuck', 'EventsUntold'],
      ]
        .map((id) => `Levy-${id}`)
        .sort(),
    );
  });

  it('each have their paragraph: what it means, what to look at, what to do, and what not', () => {
    const pointed = new Set(alarms.map(headingOf));
    expect([...pointed].sort()).toEqual(headings.map(({ name }) => name.toLowerCase()).sort());
    for (const { AlarmDescription } of alarms)
      expect(AlarmDescription).toContain('infra/decisions/0017-what-wakes-a-person.md#');
    for (const { text } of headings) expect(text).toMatch(/^Means: .* Look at: .* Do: .* Do not: /s);
  });

  it('ring where a schedule is silent, and never for the silence of requests', () => {
    const treated = Object.fromEntries(alarms.map((alarm) => [alarm['AlarmName'], alarm['TreatMissingData']]));
    for (const [name, missing] of Object.entries(treated))
      expect([name, missing]).toEqual([name, /Silent$/.test(name) ? 'breaching' : 'notBreaching']);
  });

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
    const condition = { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } };
    expect(statements).toEqual([
      expect.objectContaining({
        Effect: 'Allow',
        Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        Condition: condition,
      }),
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Resource: { Ref: topicId },
        Condition: condition,
      }),
    ]);
    expect(key['EnableKeyRotation']).toBe(true);
  });

  it('go by mail to whom the setting names, and to nobody without it', () => {
    const subscriptions = ofType('AWS::SNS::Subscription').map(([, { Properties }]) => Properties);
    expect(subscriptions).toMatchObject([
      { Protocol: 'email', Endpoint: 'tax@example.com', TopicArn: { Ref: topicId } },
    ]);
    expect(synthesize().ofType('AWS::SNS::Subscription')).toEqual([]);
  });
});

it('no function filters its log by level: lines without one would be taken for less', () => {
  for (const [, { Properties }] of ofType('AWS::Lambda::Function'))
    expect(Properties['LoggingConfig']?.ApplicationLogLevel).toBeUndefined();
});
