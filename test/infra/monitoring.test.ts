/** Alarms and dashboard: their metrics are published, the alarms fire as expected, and the runbook covers each alarm. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { schedules } from '../../functions/endpoints.ts';
import { updateFigures } from '../../functions/update-content.ts';
import { scheduled } from '../../shared/api/define-schedule.ts';
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
import { listSeries, type MetricLine } from '../support/embedded-metric-format.ts';
import { seeded } from '../support/seeded.ts';
import { deployments, flat, getId, type Properties, type Synthesized } from './synthesized.ts';

const { standard: synthesized, everySetting: all } = deployments;
const { at, ofType } = synthesized;

/** The alarms that notify a person, by name. The others trigger a rollback. */
const listAlarms = (deployment: Synthesized): ReadonlyMap<string, Properties> =>
  new Map(
    deployment
      .listProperties('AWS::CloudWatch::Alarm')
      .flatMap((alarm) => (alarm.AlarmActions ? [[alarm.AlarmName.replace(/^.*-/, ''), alarm]] : [])),
  );
const alarms = listAlarms(synthesized);
const named = (name: string, of = alarms): Properties => of.get(name);

type Dimensions = Readonly<Record<string, string>>;
type Read = { readonly name: string; readonly Namespace: string; readonly dimensions: Dimensions };
const read = (Namespace: string, MetricName: string, dimensions: Dimensions): Read => ({
  name: [Namespace.replace('Levy-staging', 'Levy'), MetricName, ...Object.keys(dimensions).sort()].join(' '),
  Namespace,
  dimensions,
});
const getStats = ({ Metrics = [] }: Properties): Properties[] =>
  Metrics.flatMap((one: Properties) => one.MetricStat ?? []);

/** The metrics that the alarms read. */
const alarmed = [...alarms.values()].flatMap((alarm) =>
  [alarm, ...getStats(alarm).map(({ Metric }) => Metric)].flatMap(
    ({ Namespace, MetricName, Dimensions = [] }): Read[] => {
      const dimensions = Dimensions.map(({ Name, Value }: Properties) => [Name, flat(Value)]);
      return MetricName ? [read(Namespace, MetricName, Object.fromEntries(dimensions))] : [];
    },
  ),
);

/** Returns the metrics in the dashboard rows up to a height. */
const shownBy = (deployment: Synthesized, below = Number.POSITIVE_INFINITY): Read[] => {
  const { widgets } = JSON.parse(flat(deployment.listProperties('AWS::CloudWatch::Dashboard')[0].DashboardBody));
  const metrics: Properties[][] = widgets.flatMap(({ y, properties }: Properties) =>
    y < below ? properties.metrics : [],
  );
  return metrics.flatMap(([namespace, name, ...rest]) => {
    if (typeof namespace === 'string') {
      const pairs = rest.filter((part) => typeof part === 'string');
      const dimensions = pairs.flatMap((key, index) => (index % 2 ? [] : [[key, pairs[index + 1] ?? '']]));
      return [read(namespace, name, Object.fromEntries(dimensions))];
    }
    const search = /^SEARCH\('\{"([^"]+)",(\w+)\} MetricName="(\w+)"'/.exec(namespace.expression);
    return search ? [read(search[1] as string, search[3] as string, { [search[2] as string]: '*' })] : [];
  });
};
const shown = shownBy(synthesized);
const isOwn = ({ Namespace }: Read) => !Namespace.startsWith('AWS/');

/** One log line of each kind, as the code writes it with a `metrics` setting. */
const readLines = async (setting: 'essential' | 'full'): Promise<readonly MetricLine[]> => {
  published.areAll = setting === 'full';
  const lines: MetricLine[] = [];
  const write = vi.spyOn(process.stdout, 'write');
  write.mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  await observed('create-calculation', async () => {
    recordCacheHit('ApiKey');
    recordCacheMiss('Content');
    recordRefusal('system_internal_error');
    recordCreation();
    Object.assign(tally() as object, { taxes: [['US-MN', 1]] });
    return { statusCode: 500, body: '' };
  })({ requestContext: { requestId: 'request_1' } } as APIGatewayProxyEvent, undefined);
  const time = { now: () => 0, remainingMs: () => 9e6, stepMsMax: 1, batchMsMax: 1, onFailure: () => {} };
  const drafts = { shards: 1, expired: async () => ({ rows: [], next: null }) };
  const sweep = { read: async () => ({ day: '1970-01-01', after: null, isDone: true }) };
  const due = { shards: 1, page: async () => [], sweep };
  const runs = [
    scheduled('sweep-drafts', () => sweepDrafts({ ...time, drafts } as never)),
    scheduled('close-periods', () => closePeriods({ ...time, due } as never)),
    scheduled('update-content', async () => updateFigures({ outcome: 'failed', reason: '' }, true)),
  ];
  for (const run of runs) await run({}, {} as Context);
  for (const name of counted) countMetric(name, {}, 0);
  write.mockRestore();
  return lines;
};

/** Metrics of AWS services, from the AWS documentation. */
const awsSeries = new Set([
  ...['Count', '4XXError', '5XXError'].map((name) => `AWS/ApiGateway ${name} ApiName Stage`),
  ...['Throttles', 'ConcurrentExecutions', 'IteratorAge FunctionName'].map((name) => `AWS/Lambda ${name}`),
  ...['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', 'ReadThrottleEvents', 'WriteThrottleEvents']
    .concat('WriteThrottleEvents GlobalSecondaryIndexName', 'SystemErrors Operation')
    .map((name) => `AWS/DynamoDB ${name} TableName`),
  'AWS/SQS ApproximateNumberOfMessagesVisible QueueName',
  ...['Invocations', 'ExecutionFailed'].map((name) => `AWS/EventBridge/Pipes ${name} PipeName`),
  ...['Completed', 'Failed'].map((end) => `AWS/Backup NumberOfBackupJobs${end} BackupVaultName`),
]);

describe('metrics of the alarms and the dashboard', () => {
  it.each([
    ['essential', synthesized, 11, deployment.essentialSeries],
    ['full', all, 20, deployment.fullSeries],
  ] as const)(
    'publishes exactly the metrics of the alarms, dashboard and `npm run cost` with metrics=%s',
    async (setting, of, least, lasting) => {
      const lines = await readLines(setting);
      const series = new Set(lines.flatMap(listSeries));
      expect(series.size).toBeGreaterThanOrEqual(least);
      const ownShown = shownBy(of).filter(isOwn);
      const names = new Set(ownShown.map(({ name }) => name));
      const needed = [...alarmed.filter(isOwn).map(({ name }) => name), ...names];
      expect(needed.length).toBeGreaterThan(15);
      expect(needed.filter((name) => !series.has(name))).toEqual([]);
      expect([...series].filter((name) => !names.has(name))).toEqual([]);
      // Series by code, state and operation depend on the traffic. Failure metrics usually have no data.
      const depends = (name: string) =>
        / (code|state|operation)$/.test(name) || counted.some((failure) => name.includes(failure));
      const counts = lines.flatMap((line) =>
        listSeries(line).flatMap((name) => (depends(name) ? [] : `${name} ${line['schedule']}`)),
      );
      expect(new Set(counts).size).toBe(lasting);
    },
  );

  it("publishes only metrics of alarms, the dashboard's first row and failures with metrics=essential", async () => {
    const known = new Set([...alarmed, ...shownBy(synthesized, 1)].map(({ name }) => name));
    const unread = new Set((await readLines('essential')).flatMap(listSeries).filter((name) => !known.has(name)));
    // Failures are too rare to affect the cost.
    expect([...unread].sort()).toEqual(['Levy IssuerUnavailable', 'Levy KeyUseUnrecorded']);
  });

  it("uses documented metrics of AWS services, for this stack's resources", () => {
    const theirs = [...alarmed, ...shown].filter((one) => !isOwn(one));
    expect(theirs.map(({ name }) => name).filter((name) => !awsSeries.has(name))).toEqual([]);
    const values = theirs.flatMap(({ dimensions }) => Object.values(dimensions));
    const ids = values.map((value) => value.replace(/\.\w+$/, ''));
    const indexes = ['by_account', 'by_customer', 'by_parent', 'by_reference', 'by_tax_date', 'credits', 'drafts'];
    const calls = ['GetItem', 'BatchGetItem', 'Query', 'TransactWriteItems'];
    const tables = ['TransactionsTable', 'ContentTable', 'AccountsTable'];
    const queues = ['FailedRuns', 'UntoldEvents', 'UncountedTransactions'];
    const resources = [...indexes, ...calls, ...tables, ...queues, 'EventPipe', 'BackupVault', 'CountTransactions'];
    expect([...new Set(ids)].sort()).toEqual(['Levy', 'v1', ...resources].sort());
    const existing = ofType('AWS::SQS::Queue').map(([id]) => id);
    expect(existing.sort()).toEqual(queues.sort());
    // Every dead-letter queue is on the dashboard, not only in an alarm.
    const shownQueues = shown.flatMap(({ Namespace, dimensions }) =>
      Namespace === 'AWS/SQS' ? [dimensions['QueueName']?.replace(/\.\w+$/, '')] : [],
    );
    expect(shownQueues.sort()).toEqual(queues);
  });

  it('uses only metrics of this stage', () => {
    const parts = [all.ofType('AWS::CloudWatch::Alarm'), all.ofType('AWS::CloudWatch::Dashboard')];
    expect(JSON.stringify(parts)).not.toMatch(/\\*"Levy\\*"/);
  });

  it.each([
    ['disposable', /AWS\/Backup|EventBridge|UntoldEvents/],
    ['withoutBackups', /AWS\/Backup|update-content/],
  ] as const)('omits metrics of resources that do not exist (%s)', (name, absent) => {
    const deployment = deployments[name];
    expect(listAlarms(deployment).size).toBeGreaterThan(15);
    const parts = [deployment.ofType('AWS::CloudWatch::Alarm'), deployment.ofType('AWS::CloudWatch::Dashboard')];
    expect(JSON.stringify(parts)).not.toMatch(absent);
  });
});

type Values = Readonly<Record<string, number>>;

/** A metric without data. Every expression that reads it fails, except FILL. */
const missing = {
  [Symbol.toPrimitive]: () => {
    throw new Error('The expression has no value where a metric has no data.');
  },
};

/**
 * Returns whether an alarm's expression breaches its threshold. A metric missing from `values` has no data. `date` is
 * the day of the month of the evaluated period.
 */
const isBreached = ({ Metrics, Threshold, ComparisonOperator }: Properties, values: Values, date = 1): boolean => {
  const { Expression } = Metrics.find(({ ReturnData }: Properties) => ReturnData !== false);
  const ids: string[] = Metrics.flatMap(({ Id, MetricStat }: Properties) => (MetricStat ? [Id] : []));
  const functions = {
    IF: (condition: boolean, yes: number, no: number) => (condition ? yes : no),
    FILL: (value: unknown, otherwise: number) => (value === missing ? otherwise : value),
    // CloudWatch does not treat DATE as sparse: the expression has a value even if the metric has none.
    DATE: () => date,
  };
  const evaluate = new Function(...Object.keys(functions), ...ids, `return ${Expression}`);
  const value = evaluate(...Object.values(functions), ...ids.map((id) => values[id] ?? missing));
  expect(value).toEqual(expect.any(Number));
  return ComparisonOperator === 'LessThanThreshold' ? value < Threshold : value >= Threshold;
};

/**
 * Returns whether an expression alarm fires at a time (ms): all evaluated periods breach. They end now, or at the last
 * full period of the clock (UTC).
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation-window.html
 */
const firesAt = (alarm: Properties, now: number, valuesIn: (from: number, to: number) => Values): boolean => {
  const [period, ...others] = new Set<number>(getStats(alarm).map(({ Period }) => Period));
  expect([period, others]).toEqual([expect.any(Number), []]);
  const ms = (period as number) * 1000;
  const end = alarm.EvaluationWindow?.WallClockWindow ? now - (now % ms) : now;
  return Array.from({ length: alarm.EvaluationPeriods }, (_, index) => end - index * ms).every((to) =>
    isBreached(alarm, valuesIn(to - ms, to), new Date(to - ms).getUTCDate()),
  );
};

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const runbook = readFileSync(new URL('../../infra/runbook.md', import.meta.url), 'utf8');

describe('the alarms', () => {
  it('links each alarm to a section of the runbook, at runbookUrl if it is set, and every section to an alarm', () => {
    const found = [...runbook.matchAll(/^## (\w+)\n\n- \*\*Meaning\*\*/gm)];
    const sections = found.map(([, name = '']) => name.toLowerCase());
    const headings = (deployment: Synthesized, start: string) => {
      const texts = [...listAlarms(deployment).values()].map((alarm): string => alarm.AlarmDescription);
      return [...new Set(texts.map((text) => text.split(start)[1]))].sort();
    };
    expect(headings(synthesized, 'infra/runbook.md#')).toEqual(sections.sort());
    expect(headings(all, ' What to do: https://wiki.example.com/levy/runbook#')).toEqual(sections);
  });

  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax-Stats.html: commands after `stats` see only
  // the fields that it defines, so a later filter on a field of the log line matches nothing.
  it('filters before it aggregates in each log query of the runbook, by fields that the default settings log', async () => {
    const queries = [...runbook.matchAll(/`((?:filter|stats) [^`]+)`/g)].map(([, query = '']) => query.split(' | '));
    const aggregating = queries.filter((commands) => commands.some((command) => command.startsWith('stats ')));
    expect(aggregating.length).toBeGreaterThan(0);
    for (const commands of aggregating) expect(commands.at(-1)).toMatch(/^stats /);
    const logged = new Set((await readLines('essential')).flatMap((line) => Object.keys(line)));
    const summed = [...runbook.matchAll(/\b(?:sum|avg|max)\((\w+)\)/g)].map(([, field = '']) => field);
    expect(summed.length).toBeGreaterThan(8);
    expect(summed.filter((field) => !logged.has(field))).toEqual([]);
  });

  // By default, the other metrics of runs are only in log lines.
  it('names no metric on the dashboard that metrics=essential does not publish', () => {
    const mentioned = [...runbook.matchAll(/[^.:]*on the dashboard[^.:]*/g)].flatMap(([text]) =>
      [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    );
    expect(mentioned.length).toBeGreaterThan(0);
    const names = shown.map(({ name }) => name.split(' ')[1]);
    expect(mentioned.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('reads at most ten metrics per alarm, notifies on start and end, and treats missing data as a failure only for schedules and backups', () => {
    const topic = [{ Ref: ofType('AWS::SNS::Topic')[0]?.[0] }];
    for (const [name, alarm] of alarms) {
      expect(getStats(alarm).length).toBeLessThanOrEqual(10);
      const treated = /Silent$|BackupsMissing$/.test(name) ? 'breaching' : 'notBreaching';
      const { TreatMissingData, AlarmActions, OKActions } = alarm;
      expect([name, TreatMissingData, AlarmActions, OKActions]).toEqual([name, treated, topic, topic]);
    }
    // The key encrypts only this topic.
    const keyId = getId(at(topic[0]?.Ref ?? '').KmsMasterKeyId);
    expect(JSON.stringify(synthesized.template).split(`"${keyId}"`)).toHaveLength(3);
  });

  it.each([
    ['ErrorShare', { requests: 2, errors: 1 }, false],
    ['ErrorShare', { requests: 2, errors: 2 }, false],
    ['ErrorShare', { requests: 3, errors: 3 }, true],
    ['ErrorShare', { requests: 19, errors: 19 }, true],
    ['ErrorShare', { requests: 60, errors: 3 }, true],
    ['ErrorShare', { requests: 61, errors: 3 }, false],
    ['ErrorShare', { requests: 1000, errors: 0 }, false],
    ['ErrorShareOfHour', { requests: 2, errors: 2 }, false],
    ['ErrorShareOfHour', { requests: 3, errors: 3 }, true],
    ['ErrorShareOfHour', { requests: 6, errors: 3 }, true],
    ['ErrorShareOfHour', { requests: 7, errors: 3 }, false],
    ['ErrorShareOfHour', { requests: 1000, errors: 100 }, false],
    ['EventsStopped', { recorded: 1 }, true],
    ['EventsStopped', { recorded: 1, invoked: 0 }, true],
    ['EventsStopped', { recorded: 10, invoked: 1 }, false],
    ['UpdateContentSilent', { runs: 48 }, false],
    ['UpdateContentSilent', { runs: 47 }, true],
    ['UpdateContentSilent', {}, true],
  ])('fires %s with %j: %s', (name, values, fires) => {
    expect(isBreached(named(name), values)).toBe(fires);
  });

  it.each([
    [6, 30],
    [30, 30],
    [1200, 10],
  ])('reports an outage at %d requests per hour within %d minutes', (anHour, most) => {
    const sent = Array.from({ length: 3 * anHour }, (_, index) => (index * 60 * minuteMs) / anHour);
    const outage = 90 * minuteMs;
    const valuesIn = (from: number, to: number) => {
      const requests = sent.filter((time) => time >= from && time < to);
      return { requests: requests.length, errors: requests.filter((time) => time >= outage).length };
    };
    const minutes = Array.from({ length: 120 }, (_, index) => 60 + index);
    const first = minutes.find((minute) =>
      ['ErrorShare', 'ErrorShareOfHour'].some((name) => firesAt(named(name), minute * minuteMs, valuesIn)),
    );
    expect(first).toBeGreaterThan(90);
    expect(first).toBeLessThanOrEqual(90 + most);
  });

  it('allows a schedule more time than two runs take', () => {
    for (const name of ['SweepDraftsSilent', 'ClosePeriodsSilent'])
      for (const { minutes, timeoutSeconds } of Object.values(schedules))
        expect(named(name).EvaluationPeriods * named(name).Period).toBeGreaterThan(2 * minutes * 60 + timeoutSeconds);
  });

  it('sends alarms to alarmEmail; without it, the synthesis prints a warning', () => {
    const listWarnings = ({ outdir }: Synthesized): string[] => {
      const jsonIn = (name: string) => JSON.parse(readFileSync(join(outdir, name), 'utf8'));
      const { metadata, additionalMetadataFile } = jsonIn('manifest.json').artifacts.Levy;
      const more = additionalMetadataFile && jsonIn(additionalMetadataFile);
      const entries: Properties[] = Object.values({ ...metadata, ...more }).flat();
      return entries.filter(({ type }) => type === 'aws:cdk:warning').map(({ data }) => data);
    };
    expect(listWarnings(all)).toEqual([]);
    expect(listWarnings(synthesized)).toEqual([expect.stringContaining('Set alarmEmail')]);
  });
});

describe.each([
  ['daily', all, ['2026-02-10', '2026-02-11'], ['2026-03-01', '2026-03-02'], ['2026-02-11', '2026-02-12']],
  ['monthly', synthesized, ['2026-02-01', '2026-02-02'], ['2026-03-01', '2026-03-02'], null],
] as const)('BackupsMissing with backups=%s', (backups, of, one, every, next) => {
  const alarm = named('BackupsMissing', listAlarms(of));
  const rules: Properties[] = of.listProperties('AWS::Backup::BackupPlan')[0].BackupPlan.BackupPlanRule;
  const tables: number = of.listProperties('AWS::Backup::BackupSelection')[0].BackupSelection.Resources.length;
  const first = Date.UTC(2026, 0, 1);
  const days = 120;
  const getDate = (time: number) => new Date(time).toISOString().slice(0, 10);

  /**
   * Returns when the backup of a day is scheduled, or `null`. If start windows overlap, AWS takes the backup with the
   * longer retention.
   */
  const scheduledOn = (day: number): number | null => {
    const due = rules.flatMap(({ ScheduleExpression, Lifecycle }) => {
      const [, minute, hour, on] = /^cron\((\d+) (\d+) (\*|\d+) \* \? \*\)$/.exec(ScheduleExpression) ?? [];
      const isDue = on === '*' || Number(on) === new Date(day).getUTCDate();
      return isDue ? [{ time: (Number(hour) * 60 + Number(minute)) * minuteMs, kept: Lifecycle.DeleteAfterDays }] : [];
    });
    const [longest] = due.sort((a, b) => b.kept - a.kept);
    return longest ? day + longest.time : null;
  };

  /** Returns the end of each backup: it starts within AWS's start window of eight hours and takes at most three. */
  const listEnds = (isTaken: (date: string, table: number) => boolean): number[] => {
    const random = seeded(20_260_101);
    const below = (minutes: number) => Math.floor(random() * minutes) * minuteMs;
    return Array.from({ length: days }, (_, index) => first + index * dayMs).flatMap((day) => {
      const start = scheduledOn(day);
      if (start === null) return [];
      const ends = Array.from({ length: tables }, () => start + below(8 * 60) + below(3 * 60));
      return ends.filter((_end, table) => isTaken(getDate(day), table));
    });
  };

  /** Returns the number of hours in which the alarm fires, by date, from the third day. */
  const firing = (isTaken: (date: string, table: number) => boolean): Record<string, number> => {
    const ends = listEnds(isTaken);
    const hours: Record<string, number> = {};
    for (let now = first + 2 * dayMs; now < first + days * dayMs; now += 60 * minuteMs) {
      const valuesIn = (from: number, to: number): Values => {
        const count = ends.filter((end) => end >= from && end < to).length;
        return count > 0 ? { backups: count } : {};
      };
      if (firesAt(alarm, now, valuesIn)) hours[getDate(now)] = (hours[getDate(now)] ?? 0) + 1;
    }
    return hours;
  };

  it('does not fire if every required backup was taken; only daily backups make all days required', () => {
    expect(listEnds(() => true).length).toBe(3 * (backups === 'daily' ? 120 : 4));
    expect(firing(() => true)).toEqual({});
    expect(isBreached(alarm, {}, 2)).toBe(backups === 'daily');
  });

  it('fires for the whole day after a day without backups of one or all tables, and then stops', () => {
    const [oneDay, dayAfter] = one;
    expect(firing((date, table) => date !== oneDay || table !== 1)).toEqual({ [dayAfter]: 24 });
    expect(firing((date) => date !== every[0])).toEqual({ [every[1]]: 24 });
    const two = next ? one : [oneDay, every[0]];
    const after = next ?? [dayAfter, every[1]];
    const expected = Object.fromEntries(after.map((date) => [date, 24]));
    expect(firing((date) => !two.some((day) => day === date))).toEqual(expected);
  });
});
