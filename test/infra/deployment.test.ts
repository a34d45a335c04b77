/** The two stacks: their resources, names, sizes and lifetimes, cdk-nag, and templates for SAM. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import type { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it, vi } from 'vitest';
import { countTransactions } from '../../functions/count-transactions.ts';
import { endpoints, schedules } from '../../functions/endpoints.ts';
import { levyApp } from '../../infra/app.ts';
import { patterns } from '../../shared/events/announce.ts';
import { eventsOfRecordMax } from '../../shared/events/event.ts';
import { publishers } from '../../shared/importers/updates/publishers.ts';
import { createTable, createTableInput } from '../../shared/store/client/create-table.ts';
import { type TableDefinition, tables } from '../../shared/store/table-definitions.ts';
import {
  disposable,
  everySetting,
  flat,
  functionAt,
  functionOf,
  methodsOf,
  type Properties,
  type Synthesized,
  synthesize,
  withoutBackups,
  withoutBundling,
} from './synthesized.ts';

const synthesized = synthesize();
const all = synthesize(everySetting);
const sam = synthesize({ sam: '1' });
const jsonIn = (folder: string, name: string): Properties => JSON.parse(readFileSync(join(folder, name), 'utf8'));

describe('the snapshot of the templates', () => {
  // Hashes of code, the architecture of the machine (SAM), and what other tests compare with the code.
  const omitted = [
    'Code',
    'DeploymentId',
    'Architectures',
    'FilterCriteria',
    'AlarmActions',
    'OKActions',
    'AlarmDescription',
  ];
  /** A value of a template, with `<Id.Arn>` for a reference. */
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
  // There is one of each for every function, and a schedule for every state: other tests check them all.
  const sampled = /^(CreateCalculation|GetConsole|SweepDrafts|UpdateContent|UpdateContentMISchedule)$/;
  const isShown = (id: string, { Type, Properties }: Properties): boolean =>
    sampled.test(id) ||
    !(
      /Lambda::(Function|Version|Alias|Permission)|DeploymentGroup|ApiGateway::Deployment|Dashboard/.test(Type) ||
      /^UpdateContent..Schedule$/.test(id) ||
      JSON.stringify(Properties).includes('"lambda.amazonaws.com"')
    );

  const linesOf = ({ template: { Resources, Outputs }, at }: Synthesized): Map<string, string> => {
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

  it('has the resources of the default deployment, and those that settings add, change or remove', async () => {
    const base = linesOf(synthesized);
    const contexts = { everySetting, disposable, withoutBackups, sam: { sam: '1' } };
    const parts = Object.entries(contexts).flatMap(([name, context]) => {
      const lines = linesOf(synthesize(context));
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

describe('relations between the templates and the code', () => {
  const { at, propertiesOf } = synthesized;

  it('each table and the emulated one have the keys, indexes and TTL of the definition', () => {
    // Reads both wire forms without a converter of Levy.
    const keyOf = ({ KeySchema }: Properties, type: string) =>
      KeySchema.find(({ KeyType }: Properties) => KeyType === type)?.AttributeName;
    const keysOf = (table: Properties) => ({ partition: keyOf(table, 'HASH'), sort: keyOf(table, 'RANGE') });
    const ids = { transactions: 'TransactionsTable', content: 'ContentTable', accounts: 'AccountsTable' } as const;
    expect(Object.keys(ids)).toEqual(Object.keys(tables));
    for (const [name, definition] of Object.entries<TableDefinition>(tables)) {
      const { partition, sort, ttl, indexes = [] } = definition;
      const deployed = at(ids[name as keyof typeof ids]);
      expect(deployed.TimeToLiveSpecification?.AttributeName).toBe(ttl);
      for (const table of [deployed, createTableInput(name, definition)] as Properties[]) {
        expect(keysOf(table)).toEqual({ partition: partition.name, sort: sort.name });
        const found = (table.GlobalSecondaryIndexes ?? []).map((index: Properties) => [
          index.IndexName,
          keysOf(index),
          index.Projection.NonKeyAttributes ?? [],
        ]);
        expect(found).toEqual(
          indexes.map((index) => [
            index.name,
            { partition: index.partition.name, sort: index.sort.name },
            index.include,
          ]),
        );
        const keys = [partition, sort, ...indexes.flatMap((index) => [index.partition, index.sort])];
        const types = table.AttributeDefinitions.map((one: Properties) => [one.AttributeName, one.AttributeType]);
        expect(Object.fromEntries(types)).toEqual(Object.fromEntries(keys.map((key) => [key.name, key.type])));
      }
    }
  });

  it('an existing table of the emulator is accepted with its definition, and refused with another', async () => {
    const input = createTableInput('transactions', tables.transactions);
    const indexes = (input.GlobalSecondaryIndexes ?? [])
      .map((index) => ({ ...index, IndexStatus: 'ACTIVE' }))
      .reverse();
    const described = { ...input, TableStatus: 'ACTIVE', ItemCount: 3, GlobalSecondaryIndexes: indexes };
    const outcomeOf = (change: object) => {
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
    expect(await Promise.all(changes.map(outcomeOf))).toEqual(outcomes);
  });

  it('the readers of the stream have the filters of the code, and the bus gets at most ten events at once', () => {
    const patternsOf = ({ FilterCriteria }: Properties) =>
      FilterCriteria.Filters.map(({ Pattern }: Properties) => JSON.parse(Pattern));
    const stream = propertiesOf('AWS::Pipes::Pipe')[0].SourceParameters;
    for (const [found, expected] of [
      [patternsOf(stream), patterns],
      [patternsOf(at('ReportsStream')), countTransactions.patterns],
    ]) {
      expect(found).toEqual(expected);
      expect(found.length).toBeLessThanOrEqual(5);
    }
    // The bus would drop the rest.
    expect(stream.DynamoDBStreamParameters.BatchSize * eventsOfRecordMax).toBeLessThanOrEqual(10);
  });

  const schedulesOf = (of: Synthesized) => of.propertiesOf('AWS::Scheduler::Schedule');
  const invokes = (entry: string, { Target }: Properties) =>
    functionAt(synthesized, Target.Arn) === functionOf(synthesized, entry)[0];

  it('each schedule calls the alias of its function at its rate, and ends before the next run', () => {
    for (const [name, { minutes, timeoutSeconds }] of Object.entries(schedules)) {
      const [handlerId, { Properties }] = functionOf(synthesized, name);
      const found = schedulesOf(synthesized).filter((schedule) => invokes(name, schedule));
      expect(found.map((one) => [one.ScheduleExpression, flat(one.Target.Arn)])).toEqual([
        [`rate(${minutes} minutes)`, `${handlerId}Live`],
      ]);
      expect(Properties.Timeout).toBe(timeoutSeconds);
      expect(timeoutSeconds).toBeLessThan(minutes * 60);
    }
  });

  it('the update of each state whose files Levy imports starts once a night, no two in the same minute', () => {
    const updates = schedulesOf(synthesized).filter((schedule) => invokes('update-content', schedule));
    expect(updates.length + Object.keys(schedules).length).toBe(schedulesOf(synthesized).length);
    expect(updates.map(({ Target }) => JSON.parse(Target.Input).state)).toEqual(
      publishers.filter(({ format }) => format !== null).map(({ state }) => state),
    );
    const starts = updates.map(({ ScheduleExpression }) => ScheduleExpression);
    for (const start of starts) expect(start).toMatch(/^cron\([1-5]?\d [6-9] \* \* \? \*\)$/);
    expect(new Set(starts).size).toBe(starts.length);
    const target = ({ Input: _, ...others }: Properties) => JSON.stringify(others);
    expect(new Set(updates.map(({ Target }) => target(Target))).size).toBe(1);
  });

  it('prerequisites.md names each service of the template, for the permissions of a deployment', () => {
    const page = readFileSync(new URL('../../infra/docs/prerequisites.md', import.meta.url), 'utf8');
    const named = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, service]) => service);
    const used = [all, synthesize(disposable), synthesized].flatMap(({ template }) =>
      Object.values(template.Resources).map(({ Type }) => Type.split('::')[1]),
    );
    expect(named.sort()).toEqual([...new Set(used)].sort());
  });
});

const idsOf = ({ Resources }: typeof all.data) => Object.keys(Resources).sort();

describe('the data stack', () => {
  // Written out: a changed id would replace the resource, and with it the data.
  it('has these logical ids', () => {
    const isDerived = (id: string) => /^Backups|^(FailedRuns|UncountedTransactions|UntoldEvents)Policy/.test(id);
    expect(idsOf(all.data).filter((id) => !isDerived(id))).toEqual(
      [
        ...['AccountsTable', 'ContentTable', 'TransactionsTable', 'DataKey', 'EventBus'],
        ...['BackupRole', 'BackupVault', 'BackupVaultOwnKey', 'FailedRuns', 'UncountedTransactions', 'UntoldEvents'],
      ].sort(),
    );
  });

  it('has all resources that hold data, and the service stack can be created again', () => {
    const stateful = /^AWS::(DynamoDB|Backup|SQS|Events|S3|RDS)::/;
    // Versions of functions are for rollbacks, and other APIs of the account may use the role of the logs.
    const retained = ['AWS::Lambda::Version', 'AWS::IAM::Role', 'AWS::ApiGateway::Account'];
    for (const { service, data } of [synthesized, all]) {
      const resources = Object.values(service.Resources);
      expect(resources.filter(({ Type }) => stateful.test(Type))).toEqual([]);
      expect(idsOf(service).filter((id) => idsOf(data).includes(id))).toEqual([]);
      const kept = resources.filter(({ DeletionPolicy }) => /^Retain/.test(DeletionPolicy ?? ''));
      expect(kept.filter(({ Type }) => !retained.includes(Type))).toEqual([]);
    }
  });

  it('is deployed before the service stack, which reads its outputs and imports no exports', () => {
    expect(jsonIn(all.outdir, 'manifest.json').artifacts.Levy.dependencies).toContain('LevyData');
    expect(readFileSync(join(all.outdir, 'Levy.template.json'), 'utf8')).not.toContain('ImportValue');
    expect(JSON.stringify([all.data.Outputs, all.service.Outputs])).not.toContain('"Export"');
  });
});

it('each stack is below the limits of CloudFormation with every setting, and with 20 more endpoints on new paths', () => {
  // The console is an endpoint on a path of its own.
  const [{ service }, { service: without }] = [synthesized, synthesize({ console: 'false' })];
  const cost = Object.keys(service.Resources).length - Object.keys(without.Resources).length;
  expect(cost).toBeGreaterThan(4);
  expect(cost).toBeLessThanOrEqual(7);
  // Two more with gatewayLogRole=make.
  for (const { Resources } of [all.service, all.data])
    expect(Object.keys(Resources).length + 2 + 20 * cost).toBeLessThan(450);
  // CloudFormation's limit is 1 MB, and 20 endpoints double the template.
  expect(readFileSync(join(all.outdir, 'Levy.template.json')).length).toBeLessThan(700_000);
});

describe('a stage', () => {
  it('has stacks of its own name with termination protection, unless they may be destroyed', () => {
    const stacksOf = ({ outdir }: Synthesized) => {
      const { artifacts } = jsonIn(outdir, 'manifest.json');
      return ['Levy', 'LevyData'].flatMap((id) => {
        const { stackName, terminationProtection } = artifacts[id].properties;
        return [stackName, terminationProtection];
      });
    };
    expect(stacksOf(all)).toEqual(['Levy-staging', true, 'LevyData-staging', true]);
    expect(stacksOf(synthesize(disposable))).toEqual(['Levy-dev', false, 'LevyData-dev', false]);
  });

  it('shares no name with another stage', () => {
    const named = Object.values(all.template.Resources).flatMap(({ Type, Properties = {} }) =>
      Object.entries(Properties).filter(
        ([name, value]) =>
          /^(?!MetricName)(\w*Name|Name)$/.test(name) && typeof value === 'string' && !/Alias|Version/.test(Type),
      ),
    );
    // A name in the template contains the stage, or is unique only within something that does.
    const within = ['v1', 'live', 'tax.example.com', 'tax.example.com.'];
    expect(named.length).toBeGreaterThan(30);
    const isOwn = (text: string) => within.includes(text) || /Levy-staging|^CodeDeployDefault\./.test(text);
    expect(named.filter(([, value]) => !isOwn(value as string))).toEqual([]);
    for (const { Environment } of all.propertiesOf('AWS::Lambda::Function'))
      expect(Environment?.Variables.METRICS_NAMESPACE).toBe('Levy-staging');
  });
});

describe('cdk-nag', () => {
  const findings = (outdir: string): string[] =>
    jsonIn(outdir, 'validation-report.json').pluginReports.flatMap(({ violations }: Properties) =>
      violations.map(({ ruleName }: Properties) => ruleName),
    );

  it.each([{}, everySetting, disposable, withoutBackups, { sam: '1' }])(
    'has no unacknowledged finding or warning with %j',
    (context) => {
      expect(findings(synthesize(context).outdir)).toEqual([]);
    },
  );

  it('a finding of either rule pack in either stack stops the synthesis', () => {
    const outdir = mkdtempSync(join(tmpdir(), 'levy-nag-'));
    const app = levyApp({ outdir, context: withoutBundling });
    for (const stack of ['Levy', 'LevyData']) new Queue(app.node.findChild(stack) as Stack, 'Careless');
    expect(() => app.synth()).toThrow('AwsSolutions-SQS4');
    const report = readFileSync(join(outdir, 'validation-report.json'), 'utf8');
    expect(findings(outdir)).toEqual(expect.arrayContaining(['AwsSolutions-SQS4', 'Serverless-SQSRedrivePolicy']));
    for (const stack of ['Levy', 'LevyData']) expect(report).toContain(`${stack}/Careless`);
  });
});

describe('a template for SAM', () => {
  it('mounts every endpoint, and answers 405 to every other method', () => {
    const verbs = ['GET', 'DELETE', 'PUT', 'POST', 'HEAD', 'OPTIONS', 'PATCH'];
    // As `sam local start-api` reads it: in the order of the template, ANY as seven verbs, and the last one wins.
    const mounted = Object.fromEntries(
      methodsOf(sam).flatMap(({ method, path, handler }) =>
        (method === 'ANY' ? verbs : [method]).map((verb) => [`${verb} ${path}`, handler]),
      ),
    );
    for (const [operation, { method, path }] of Object.entries(endpoints)) {
      expect(mounted[`${method} ${path}`]).toBe(functionOf(sam, operation)[0]);
      delete mounted[`${method} ${path}`];
    }
    expect(new Set(Object.values(mounted))).toEqual(new Set(['MethodNotAllowed']));
  });

  it('has functions that run on this machine with the emulator and its tables', () => {
    for (const { Architectures, Environment } of sam.propertiesOf('AWS::Lambda::Function')) {
      expect(Architectures).toEqual([process.arch === 'x64' ? 'x86_64' : 'arm64']);
      const { DYNAMODB_ENDPOINT, METHODS_BY_PATH: _, ...named } = Environment.Variables;
      expect(DYNAMODB_ENDPOINT).toBe('http://dynamodb:8000');
      for (const [name, value] of Object.entries(named)) expect(name).toBe(`TABLE_${String(value).toUpperCase()}`);
    }
  });

  it('cannot be deployed: it requires a parameter that no value matches and no resource refers to', () => {
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

  // cfn-lint reads them from the template. It is no dependency: `sam validate --lint` exits 0 with them.
  it('names the rules of cfn-lint that do not apply: two for SAM, one to deploy', () => {
    const ignored = (of: typeof all) => of.service.Metadata?.['cfn-lint']?.config.ignore_checks;
    expect([ignored(sam), ignored(synthesized)]).toEqual([['W3005', 'W2001'], ['W3005']]);
  });
});

describe('a synthesis', () => {
  it('configures every flag of the CDK that differs from its recommendation, which the CLI would count', () => {
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

  it('ends with one line and no stack on a wrong setting', () => {
    const app = fileURLToPath(new URL('../../infra/app.ts', import.meta.url));
    const env = { ...process.env, NODE_OPTIONS: '', CDK_CONTEXT_JSON: JSON.stringify({ stage: 'Production' }) };
    const { status, stdout, stderr } = spawnSync(process.execPath, [app], { env, encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^The context value stage is 'Production'\. .+\n$/);
  });
});
