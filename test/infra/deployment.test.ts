/** The two stacks: resources, names, sizes, lifetimes, cdk-nag and SAM templates. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { countTransactions } from '../../functions/count-transactions.ts';
import { endpoints, schedules } from '../../functions/endpoints.ts';
import { stateAt } from '../../functions/update-content.ts';
import { patterns } from '../../shared/events/announce.ts';
import { eventsOfRecordMax } from '../../shared/events/event.ts';
import { publishers } from '../../shared/importers/updates/publishers.ts';
import { createTable, createTableInput } from '../../shared/store/client/create-table.ts';
import { tables } from '../../shared/store/table-definitions.ts';
import { deployment } from '../bench/cost/usage.ts';
import {
  carelessFolder,
  deployments,
  folder,
  getFunction,
  listMethods,
  type Properties,
  type Synthesized,
} from './synthesized.ts';

const { standard: synthesized, everySetting: all, disposable, withoutConsole, sam } = deployments;
const jsonIn = (folder: string, name: string): Properties => JSON.parse(readFileSync(join(folder, name), 'utf8'));

describe('the snapshot of the templates', () => {
  // Hashes of code, the host architecture (SAM), and values that other tests compare with the code.
  const omitted = [
    'Code',
    'DeploymentId',
    'Architectures',
    'FilterCriteria',
    'AlarmActions',
    'OKActions',
    'AlarmDescription',
  ];
  /** Renders a value of a template, with `<Id.Arn>` for a reference. */
  const short = (value: Properties): Properties => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(short);
    const [[name, inner] = ['', null], ...others] = Object.entries<Properties>(value);
    if (name === 'Ref') return `<${inner}>`;
    if (name === 'Fn::GetAtt') return `<${inner.join('.')}>`;
    if (name === 'Fn::Join' && others.length === 0) return { joined: inner[1].map(short) };
    const entries = Object.entries(value).filter(([key]) => !omitted.includes(key));
    return Object.fromEntries(entries.map(([key, one]) => [key, short(one)]));
  };
  // Every function has resources like these. Other tests check them for all functions.
  const sampled = /^(CreateCalculation|GetConsole|SweepDrafts|UpdateContent|UpdateContentSchedule)$/;
  const isShown = (id: string, { Type, Properties }: Properties): boolean =>
    sampled.test(id) ||
    !(
      /Lambda::(Function|Version|Alias|Permission)|DeploymentGroup|ApiGateway::Deployment|Dashboard/.test(Type) ||
      JSON.stringify(Properties).includes('"lambda.amazonaws.com"')
    );

  const listLines = ({ template: { Resources, Outputs }, at }: Synthesized): Map<string, string> => {
    const { paths: _p, 'x-amazon-apigateway-gateway-responses': _r, ...body } = at('Api').Body;
    const resources = Object.entries(Resources)
      .filter(([id, resource]) => isShown(id, resource))
      .map(([id, { Type, Properties, DeletionPolicy, UpdateReplacePolicy }]) => {
        const properties = id === 'Api' ? { ...Properties, Body: body } : Properties;
        return [id, [Type, JSON.stringify(short(properties)), DeletionPolicy, UpdateReplacePolicy].join(' ').trim()];
      });
    const outputs = Object.entries(Outputs)
      .filter(([id]) => !id.startsWith('Publish'))
      .map(([id, { Value }]) => [`output ${id}`, JSON.stringify(short(Value))]);
    const withoutStage = (text: string) => text.replaceAll(/\bLevy-(staging|dev)\b/g, 'Levy');
    return new Map([...resources, ...outputs].map(([id = '', line = '']) => [id, withoutStage(line)]));
  };

  it('matches the default deployment and the resources that each setting adds, changes or removes', async () => {
    const base = listLines(synthesized);
    const { standard: _, withoutConsole: __, ...others } = deployments;
    const parts = Object.entries(others).flatMap(([name, deployment]) => {
      const lines = listLines(deployment);
      const changed = [...lines].filter(([id, line]) => base.get(id) !== line);
      return [
        '',
        `# ${name}`,
        ...changed.map((line) => line.join(' ')),
        `without ${[...base.keys()].filter((id) => !lines.has(id)).join(', ')}`,
      ];
    });
    const text = ['# default', ...[...base].map((line) => line.join(' ')), ...parts, ''].join('\n');
    await expect(text).toMatchFileSnapshot('templates.snapshot.txt');
  });
});

describe('consistency of the templates and the code', () => {
  const { at, listProperties } = synthesized;

  it('accepts an existing emulator table that matches its definition, and rejects any other', async () => {
    const input = createTableInput('transactions', tables.transactions);
    const indexes = (input.GlobalSecondaryIndexes ?? [])
      .map((index) => ({ ...index, IndexStatus: 'ACTIVE' }))
      .reverse();
    const described = { ...input, TableStatus: 'ACTIVE', ItemCount: 3, GlobalSecondaryIndexes: indexes };
    const getOutcome = (change: object) => {
      const client = new DynamoDBClient({ region: 'us-east-1' });
      vi.spyOn(client, 'send').mockImplementation(async (command: object) => {
        if (command.constructor.name === 'DescribeTableCommand') return { Table: { ...described, ...change } };
        throw new ResourceInUseException({ message: 'exists', $metadata: {} });
      });
      return createTable(client, input);
    };
    const all = { Projection: { ProjectionType: 'ALL' } };
    const changes = [
      {},
      { AttributeDefinitions: [...input.AttributeDefinitions].reverse() },
      { KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] },
      { GlobalSecondaryIndexes: indexes.slice(1) },
      { AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'N' }] },
      { GlobalSecondaryIndexes: indexes.map((index) => ({ ...index, ...all })) },
    ];
    const outcomes = ['exists', 'exists', 'differs', 'differs', 'differs', 'differs'];
    expect(await Promise.all(changes.map(getOutcome))).toEqual(outcomes);
  });

  it('uses the filters from the code for stream readers, and sends the bus at most ten events per call', () => {
    const listPatterns = ({ FilterCriteria }: Properties) =>
      FilterCriteria.Filters.map(({ Pattern }: Properties) => JSON.parse(Pattern));
    const stream = listProperties('AWS::Pipes::Pipe')[0].SourceParameters;
    for (const [found, expected] of [
      [listPatterns(stream), patterns],
      [listPatterns(at('ReportsStream')), countTransactions.patterns],
    ]) {
      expect(found).toEqual(expected);
      expect(found.length).toBeLessThanOrEqual(5);
    }
    // The bus would drop events beyond the tenth.
    expect(stream.DynamoDBStreamParameters.BatchSize * eventsOfRecordMax).toBeLessThanOrEqual(10);
  });

  it('ends a run of a schedule before the next one starts', () => {
    for (const [name, { minutes, timeoutSeconds }] of Object.entries(schedules)) {
      expect(getFunction(synthesized, name)[1].Properties.Timeout).toBe(timeoutSeconds);
      expect(timeoutSeconds).toBeLessThan(minutes * 60);
    }
  });

  it('starts the update of each state with an importer once a night', () => {
    expect(at('UpdateContentSchedule').ScheduleExpression).toBe('cron(0/5 6-9 * * ? *)');
    const times = [6, 7, 8, 9].flatMap((hour) =>
      Array.from({ length: 12 }, (_, at) => new Date(Date.UTC(2026, 0, 1, hour, at * 5, 0)).toISOString()),
    );
    const started = times.map(stateAt).filter((state) => state !== null);
    expect(started).toEqual(publishers.filter(({ format }) => format !== null).map(({ state }) => state));
  });

  it("lists each AWS service of the template in deployment.md, for the deployment's permissions", () => {
    const page = readFileSync(new URL('../../infra/docs/deployment.md', import.meta.url), 'utf8');
    const [, permissions = ''] = /^## Permissions$(.*?)^## /ms.exec(page) ?? [];
    const named = [...permissions.matchAll(/^\| `(\w+)` \|/gm)].map(([, service]) => service);
    const used = [all, disposable, synthesized].flatMap(({ template }) =>
      Object.values(template.Resources).map(({ Type }) => Type.split('::')[1]),
    );
    expect(named.sort()).toEqual([...new Set(used)].sort());
  });
});

const listIds = ({ Resources }: typeof all.data) => Object.keys(Resources).sort();

describe('the data stack', () => {
  // Written by hand: a changed id would replace the resource and lose its data.
  it('keeps the listed logical ids', () => {
    const isDerived = (id: string) => /^Backups|^(FailedRuns|UncountedTransactions|UntoldEvents)Policy/.test(id);
    expect(listIds(all.data).filter((id) => !isDerived(id))).toEqual(
      [
        ...['AccountsTable', 'ContentTable', 'TransactionsTable', 'DataKey', 'EventBus'],
        ...['BackupRole', 'BackupVault', 'BackupVaultOwnKey', 'FailedRuns', 'UncountedTransactions', 'UntoldEvents'],
      ].sort(),
    );
  });

  it('contains all resources that hold data, so the service stack can be recreated', () => {
    const stateful = /^AWS::(DynamoDB::|Backup::|SQS::|Events::EventBus|S3::|RDS::)/;
    // Function versions are kept for rollbacks, and other APIs in the AWS account can use the logging role.
    const retained = ['AWS::Lambda::Version', 'AWS::IAM::Role', 'AWS::ApiGateway::Account'];
    for (const { service, data } of [synthesized, all]) {
      const resources = Object.values(service.Resources);
      expect(resources.filter(({ Type }) => stateful.test(Type))).toEqual([]);
      expect(listIds(service).filter((id) => listIds(data).includes(id))).toEqual([]);
      const kept = resources.filter(({ DeletionPolicy }) => /^Retain/.test(DeletionPolicy ?? ''));
      expect(kept.filter(({ Type }) => !retained.includes(Type))).toEqual([]);
    }
  });

  it('deploys the data stack before the service stack, which reads its outputs without exports', () => {
    expect(jsonIn(all.outdir, 'manifest.json').artifacts.Levy.dependencies).toContain('LevyData');
    expect(readFileSync(join(all.outdir, 'Levy.template.json'), 'utf8')).not.toContain('ImportValue');
    expect(JSON.stringify([all.data.Outputs, all.service.Outputs])).not.toContain('"Export"');
  });
});

it("stays below CloudFormation's limits in each stack with every setting, even with 20 more endpoints on new paths", () => {
  // The console is an endpoint with a separate path.
  const [{ service }, { service: without }] = [synthesized, withoutConsole];
  const cost = Object.keys(service.Resources).length - Object.keys(without.Resources).length;
  expect(cost).toBeGreaterThan(4);
  expect(cost).toBeLessThanOrEqual(7);
  // gatewayLogRole=make adds two.
  for (const { Resources } of [synthesized.service, synthesized.data, all.service, all.data])
    expect(Object.keys(Resources).length + 2).toBeLessThan(300);
  expect(Object.keys(all.service.Resources).length + 2 + 20 * cost).toBeLessThan(450);
  // CloudFormation's limit is 1 MB; the rest is room for 20 more endpoints.
  expect(readFileSync(join(all.outdir, 'Levy.template.json')).length).toBeLessThan(700_000);
});

describe('deployment stages', () => {
  it("includes the stage's name in its stacks, with termination protection unless they can be destroyed", () => {
    const listStacks = ({ outdir }: Synthesized) => {
      const { artifacts } = jsonIn(outdir, 'manifest.json');
      return ['Levy', 'LevyData'].flatMap((id) => {
        const { stackName, terminationProtection } = artifacts[id].properties;
        return [stackName, terminationProtection];
      });
    };
    expect(listStacks(all)).toEqual(['Levy-staging', true, 'LevyData-staging', true]);
    expect(listStacks(disposable)).toEqual(['Levy-dev', false, 'LevyData-dev', false]);
  });

  it('uses no resource name of another stage', () => {
    const named = Object.values(all.template.Resources).flatMap(({ Type, Properties = {} }) =>
      Object.entries(Properties).filter(
        ([name, value]) =>
          /^(?!MetricName)(\w*Name|Name)$/.test(name) && typeof value === 'string' && !/Alias|Version/.test(Type),
      ),
    );
    // A resource name contains the stage, or is unique only within a resource that does.
    const within = ['v1', 'live', 'tax.example.com', 'tax.example.com.'];
    expect(named.length).toBeGreaterThan(30);
    const isOwn = (text: string) => within.includes(text) || /Levy-staging|^CodeDeployDefault\./.test(text);
    expect(named.filter(([, value]) => !isOwn(value as string))).toEqual([]);
    for (const { Environment } of all.listProperties('AWS::Lambda::Function'))
      expect(Environment?.Variables.METRICS_NAMESPACE).toBe('Levy-staging');
  });
});

describe('cdk-nag', () => {
  const findings = (outdir: string): string[] =>
    jsonIn(outdir, 'validation-report.json').pluginReports.flatMap(({ violations }: Properties) =>
      violations.map(({ ruleName }: Properties) => ruleName),
    );

  it.each(Object.entries(deployments))('reports no unacknowledged finding or warning (%s)', (_name, { outdir }) => {
    expect(findings(outdir)).toEqual([]);
  });

  it('fails the synthesis on a finding of either rule pack in either stack', () => {
    const outdir = join(folder, carelessFolder);
    expect(readFileSync(join(outdir, 'error.txt'), 'utf8')).toContain('AwsSolutions-SQS4');
    const report = readFileSync(join(outdir, 'validation-report.json'), 'utf8');
    expect(findings(outdir)).toEqual(expect.arrayContaining(['AwsSolutions-SQS4', 'Serverless-SQSRedrivePolicy']));
    for (const stack of ['Levy', 'LevyData']) expect(report).toContain(`${stack}/Careless`);
  });
});

describe('the template for SAM', () => {
  it('mounts every endpoint, and returns 405 to every other method', () => {
    const verbs = ['GET', 'DELETE', 'PUT', 'POST', 'HEAD', 'OPTIONS', 'PATCH'];
    // Reads the template as `sam local start-api` does: in template order, with ANY as seven verbs, and the last match
    // wins.
    const mounted = Object.fromEntries(
      listMethods(sam).flatMap(({ method, path, handler }) =>
        (method === 'ANY' ? verbs : [method]).map((verb) => [`${verb} ${path}`, handler]),
      ),
    );
    for (const [operation, { method, path }] of Object.entries(endpoints)) {
      expect(mounted[`${method} ${path}`]).toBe(getFunction(sam, operation)[0]);
      delete mounted[`${method} ${path}`];
    }
    for (const verb of verbs) {
      expect(mounted[`${verb} /taxjar/{proxy+}`]).toBe('Taxjar');
      delete mounted[`${verb} /taxjar/{proxy+}`];
    }
    expect(new Set(Object.values(mounted))).toEqual(new Set(['MethodNotAllowed']));
  });

  it('defines functions that run locally with the emulator and its tables', () => {
    for (const { Architectures, Environment } of sam.listProperties('AWS::Lambda::Function')) {
      expect(Architectures).toEqual([process.arch === 'x64' ? 'x86_64' : 'arm64']);
      const { DYNAMODB_ENDPOINT, METHODS_BY_PATH: _, ...named } = Environment.Variables;
      expect(DYNAMODB_ENDPOINT).toBe('http://dynamodb:8000');
      for (const [name, value] of Object.entries(named)) expect(name).toBe(`TABLE_${String(value).toUpperCase()}`);
    }
  });

  it('prevents a deployment: it requires a parameter that matches no value and that no resource refers to', () => {
    for (const { Parameters, Resources, Outputs } of [sam.service, sam.data]) {
      const { Default, AllowedPattern } = Parameters?.['SamLocalOnly'] ?? { Default: 'no parameter' };
      expect(Default).toBeUndefined();
      // CloudFormation matches the whole value.
      const allowed = new RegExp(`^(?:${AllowedPattern})$`);
      for (const value of ['', ' ', '\n', 'a', '[^\\s\\S]', 'true', 'a'.repeat(4096)])
        expect(value).not.toMatch(allowed);
      expect(JSON.stringify([Resources, Outputs])).not.toContain('SamLocalOnly');
    }
    const { Parameters = {} } = synthesized.service;
    expect(Object.values(Parameters).filter(({ Default }) => Default === undefined)).toEqual([]);
  });

  // cfn-lint reads the rules from the template. It is not a dependency: `sam validate --lint` exits 0 with these rules.
  it('lists the cfn-lint rules that do not apply: two for SAM, one for the deployment', () => {
    const ignored = (deployment: typeof all) => deployment.service.Metadata?.['cfn-lint']?.config.ignore_checks;
    expect([ignored(sam), ignored(synthesized)]).toEqual([['W3005', 'W2001'], ['W3005']]);
  });
});

describe('the synthesis', () => {
  it('sets every CDK flag that differs from its recommended value', () => {
    const { artifacts } = jsonIn(synthesized.outdir, 'manifest.json');
    const report = Object.values<Properties>(artifacts).find(({ type }) => type === 'cdk:feature-flag-report');
    const flags = Object.entries<Properties>(report.properties.flags);
    expect(flags.length).toBeGreaterThan(50);
    const counted = flags.filter(
      ([, { userValue, recommendedValue, unconfiguredBehavesLike: by }]) =>
        userValue === undefined && (by?.v2 ?? false) !== recommendedValue,
    );
    expect(counted.map(([name]) => name)).toEqual([]);
  });

  it('prints one line and writes no stack if a setting is invalid', () => {
    const app = fileURLToPath(new URL('../../infra/app.ts', import.meta.url));
    const env = { ...process.env, NODE_OPTIONS: '', CDK_CONTEXT_JSON: JSON.stringify({ stage: 'Production' }) };
    const { status, stdout, stderr } = spawnSync(process.execPath, [app], { env, encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^The context value stage is 'Production'\. .+\n$/);
  });
});

it('uses the fixed resources of the templates in `npm run cost`', () => {
  const { ofType, listProperties } = synthesized;
  // The number of metrics that each alarm reads.
  const read = listProperties('AWS::CloudWatch::Alarm').map(({ MetricName, Metrics = [] }) =>
    MetricName ? 1 : Metrics.filter(({ MetricStat }: Properties) => MetricStat).length,
  );
  expect(Math.min(...read)).toBeGreaterThan(0);
  // Composite alarms have a different price.
  expect(ofType('AWS::CloudWatch::CompositeAlarm')).toEqual([]);
  // The whole lifetime is in warm storage, as the price assumes.
  const listBackups = (deployment: Synthesized) =>
    deployment.listProperties('AWS::Backup::BackupPlan').flatMap(({ BackupPlan }) =>
      BackupPlan.BackupPlanRule.map(({ RuleName, ScheduleExpression, Lifecycle }: Properties) => {
        const { DeleteAfterDays, ...others } = Lifecycle;
        expect(others).toEqual({});
        const aDay = /^cron\(\d+ \d+ \* \* \? \*\)$/.test(ScheduleExpression) ? 1 : 12 / 365.25;
        return [RuleName, Math.round(DeleteAfterDays * aDay)];
      }),
    );
  const { dailyBackups, monthlyBackups, alarmMetrics, dashboards, webAclRules, keys, memory } = deployment;
  const monthly = ['Monthly', monthlyBackups];
  expect([listBackups(synthesized), listBackups(all)]).toEqual([[monthly], [['Daily', dailyBackups], monthly]]);
  const isMetered = (deployment: Synthesized) =>
    deployment.listProperties('AWS::ApiGateway::Stage')[0].MethodSettings.map((one: Properties) => one.MetricsEnabled);
  expect([new Set(isMetered(synthesized)), new Set(isMetered(all))]).toEqual([new Set([false]), new Set([true])]);
  expect({
    alarmMetrics: read.reduce((sum, one) => sum + one, 0),
    dashboards: ofType('AWS::CloudWatch::Dashboard').length,
    webAclRules: all.listProperties('AWS::WAFv2::WebACL').map(({ Rules }) => Rules.length),
    memory: [...new Set(listProperties('AWS::Lambda::Function').map(({ MemorySize }) => MemorySize))],
    keys: ofType('AWS::KMS::Key').length,
    // One key more for customer-managed encryption, and one more for the topic of reminders.
    allKeys: all.ofType('AWS::KMS::Key').length,
  }).toEqual({ alarmMetrics, dashboards, webAclRules: [webAclRules], memory: [memory], keys, allKeys: keys + 2 });
});
