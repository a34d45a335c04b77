/** The two stacks: what is in which, their names, sizes and lifetimes, cdk-nag, and templates for SAM. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { levyApp } from '../../infra/app.ts';
import {
  disposable,
  everySetting,
  functionOf,
  methodsOf,
  type Properties,
  synthesize,
  withoutBackups,
  withoutBundling,
} from './synthesized.ts';

const synthesized = synthesize();
const all = synthesize(everySetting);
const sam = synthesize({ sam: '1' });
const jsonIn = (folder: string, name: string): Properties => JSON.parse(readFileSync(join(folder, name), 'utf8'));
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
    for (const { service, data } of [synthesized, all]) {
      expect(Object.values(service.Resources).filter(({ Type }) => stateful.test(Type))).toEqual([]);
      expect(idsOf(service).filter((id) => idsOf(data).includes(id))).toEqual([]);
      const kept = Object.entries(service.Resources).filter(([, { DeletionPolicy }]) =>
        /^Retain/.test(DeletionPolicy ?? ''),
      );
      // Versions of functions are for rollbacks, and other APIs of the account may use the role of the logs.
      const types = kept.map(([, { Type }]) => Type).filter((type) => type !== 'AWS::Lambda::Version');
      expect(types.filter((type) => !['AWS::IAM::Role', 'AWS::ApiGateway::Account'].includes(type))).toEqual([]);
    }
  });

  it('is deployed before the service stack, which reads its outputs and imports no exports', () => {
    const { artifacts } = jsonIn(all.outdir, 'manifest.json');
    expect(artifacts.Levy.dependencies).toContain('LevyData');
    expect(readFileSync(join(all.outdir, 'Levy.template.json'), 'utf8')).not.toContain('ImportValue');
    expect(JSON.stringify([all.data.Outputs, all.service.Outputs])).not.toContain('"Export"');
  });
});

describe('sizes', () => {
  it('each stack has fewer than 300 of the 500 resources with every setting', () => {
    // Two more with gatewayLogRole=make.
    for (const { service, data } of [synthesized, all])
      for (const { Resources } of [service, data]) expect(Object.keys(Resources).length + 2).toBeLessThan(300);
  });

  it('20 more endpoints on new paths fit, and double the template', () => {
    // The console is an endpoint on a path of its own.
    const [{ service }, { service: without }] = [synthesized, synthesize({ console: 'false' })];
    const cost = Object.keys(service.Resources).length - Object.keys(without.Resources).length;
    expect(cost).toBeGreaterThan(4);
    expect(cost).toBeLessThanOrEqual(7);
    expect(Object.keys(all.service.Resources).length + 20 * cost).toBeLessThan(450);
    // CloudFormation's limit is 1 MB.
    expect(readFileSync(join(all.outdir, 'Levy.template.json')).length).toBeLessThan(700_000);
  });
});

describe('a stage', () => {
  it('has stacks of its own name with termination protection', () => {
    const { artifacts } = jsonIn(all.outdir, 'manifest.json');
    const of = (name: string) => artifacts[name].properties;
    expect(of('Levy')).toMatchObject({ stackName: 'Levy-staging', terminationProtection: true });
    expect(of('LevyData')).toMatchObject({ stackName: 'LevyData-staging', terminationProtection: true });
    const lost = jsonIn(synthesize(disposable).outdir, 'manifest.json').artifacts;
    expect([lost.Levy, lost.LevyData].map((one) => one.properties.terminationProtection)).toEqual([false, false]);
  });

  it('shares no name with another stage', () => {
    const named = Object.values(all.template.Resources).flatMap(({ Type, Properties = {} }) =>
      Object.entries(Properties).filter(
        ([name, value]) =>
          /^(\w*Name|Name)$/.test(name) &&
          typeof value === 'string' &&
          !/Alias|Version/.test(Type) &&
          name !== 'MetricName',
      ),
    );
    // A name in the template contains the stage, or is unique only within something that does.
    const within = ['v1', 'live', 'tax.example.com', 'tax.example.com.'];
    expect(named.length).toBeGreaterThan(30);
    for (const [name, value] of named)
      expect([name, value]).toEqual([
        name,
        expect.toSatisfy((text) => within.includes(text) || /Levy-staging|^CodeDeployDefault\./.test(text)),
      ]);
  });

  it('has its own metrics namespace', () => {
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

  it.each(['Levy', 'LevyData'])('a finding of either rule pack in %s stops the synthesis', (stack) => {
    const outdir = mkdtempSync(join(tmpdir(), 'levy-nag-'));
    const app = levyApp({ outdir, context: withoutBundling });
    new Queue(app.node.findChild(stack) as Stack, 'Careless');
    expect(() => app.synth()).toThrow('AwsSolutions-SQS4');
    expect(findings(outdir)).toEqual(expect.arrayContaining(['AwsSolutions-SQS4', 'Serverless-SQSRedrivePolicy']));
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

  it('cannot be deployed: it requires a parameter that no value matches', () => {
    for (const { Parameters, Resources, Outputs } of [sam.service, sam.data]) {
      const { Default, AllowedPattern } = Parameters?.['SamLocalOnly'] ?? { Default: 'no parameter' };
      expect(Default).toBeUndefined();
      // CloudFormation matches the whole value.
      const allowed = new RegExp(`^(?:${AllowedPattern})$`);
      for (const value of ['', ' ', '\n', 'a', '[^\\s\\S]', 'true', 'a'.repeat(4096)])
        expect(value).not.toMatch(allowed);
      // SAM requires values for parameters that are referenced.
      expect(JSON.stringify([Resources, Outputs])).not.toContain('SamLocalOnly');
    }
    const { Parameters = {} } = synthesized.service;
    expect(Object.values(Parameters).filter(({ Default }) => Default === undefined)).toEqual([]);
  });

  // cfn-lint reads them from the template. By hand, because it is no dependency: `sam validate --lint` exits 0 with them.
  it('names the rules of cfn-lint that do not apply: two for SAM, one to deploy', () => {
    const ignored = (of: typeof all) => of.service.Metadata?.['cfn-lint']?.config.ignore_checks;
    expect([ignored(sam), ignored(synthesized)]).toEqual([['W3005', 'W2001'], ['W3005']]);
  });
});

describe('a synthesis', () => {
  it('configures every flag of the CDK that differs from its recommendation, which the CLI would count', () => {
    const { artifacts } = jsonIn(synthesized.outdir, 'manifest.json');
    const report: Properties = Object.values<Properties>(artifacts).find(
      ({ type }) => type === 'cdk:feature-flag-report',
    );
    const flags = Object.entries<Properties>(report.properties.flags);
    expect(flags.length).toBeGreaterThan(50);
    const counted = flags.filter(
      ([, { userValue, recommendedValue, unconfiguredBehavesLike: by }]) =>
        userValue === undefined && (by?.v2 ?? false) !== recommendedValue,
    );
    expect(counted.map(([name]) => name)).toEqual([]);
  });

  it.each([
    [{ stage: 'Production' }, /^The context value stage is 'Production'\. .+\n$/],
    [{ alarmMail: 'tax@example.com' }, /^The context value alarmMail is 'tax@example\.com'\. .+\n$/],
  ])('ends with one line and no stack on a wrong setting: %j', (context, line) => {
    const app = fileURLToPath(new URL('../../infra/app.ts', import.meta.url));
    const env = { ...process.env, NODE_OPTIONS: '', CDK_CONTEXT_JSON: JSON.stringify(context) };
    const { status, stdout, stderr } = spawnSync(process.execPath, [app], { env, encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(line);
  });
});
