import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../infra/settings.ts';
import { flat, type Resource, synthesize, withoutBundling } from './synthesized.ts';

const certificate = 'arn:aws:acm:us-east-1:111122223333:certificate/0a1b2c3d-0000-4444-8888-0123456789ab';
const everything = {
  stage: 'staging',
  alarmEmail: 'tax@example.com',
  domain: 'tax.example.com',
  certificate,
  hostedZone: 'Z0123456789ABC',
  awsAddress: 'shut',
  encryption: 'customer-managed',
  backupLock: 'compliance',
  logRetention: '365',
  gatewayLogRole: 'keep',
  reservedConcurrency: 'create-calculation:200,sweep-drafts:1',
  rollout: 'linear',
  waf: 'true',
  wafRequestsPerAddress: '5000',
};
// Both synthesize with cdk-nag, and so would not come this far with a finding.
const all = synthesize({ ...withoutBundling, ...everything });
const lost = synthesize({
  ...withoutBundling,
  stage: 'dev',
  removal: 'destroy',
  domain: 'tax.example.com',
  certificate,
});
const only = ({ ofType }: typeof all, type: string) => ofType(type).map(([, { Properties }]) => Properties);
const settings = (context: Record<string, unknown>) => settingsOf(new App({ context }));

describe('a stage', () => {
  const manifest = JSON.parse(readFileSync(join(all.outdir, 'manifest.json'), 'utf8'));

  it('has a stack of its own name, which refuses to be deleted', () => {
    expect(manifest.artifacts.Levy.properties).toMatchObject({
      stackName: 'Levy-staging',
      terminationProtection: true,
    });
  });

  it('shares no name with another', () => {
    expect(only(all, 'AWS::ApiGateway::RestApi').map(({ Name }) => Name)).toEqual(['Levy-staging']);
    const named = Object.values(all.template.Resources).flatMap(({ Type, Properties = {} }) =>
      Object.entries(Properties).filter(
        ([name, value]) =>
          /^(\w*Name|Name)$/.test(name) &&
          typeof value === 'string' &&
          !/Alias|Version|IAM::Policy/.test(Type) &&
          name !== 'MetricName',
      ),
    );
    // What a template names itself must carry the stage, or be named within something that does, as a role's policies are.
    const within = ['v1', 'live', 'MetricName', 'tax.example.com', 'tax.example.com.'];
    for (const [name, value] of named)
      expect([name, value]).toEqual([
        name,
        expect.toSatisfy(
          (text) => within.includes(text) || /Levy-staging|^CodeDeployDefault\.|^(5XX)?Errors?$/.test(text),
        ),
      ]);
  });

  it('counts its metrics apart', () => {
    for (const { Environment } of only(all, 'AWS::Lambda::Function'))
      expect(Environment?.Variables.METRICS_NAMESPACE).toBe('Levy-staging');
  });
});

it('keeps the logs as long as it is told, and 90 days unless it is', () => {
  for (const { RetentionInDays } of only(all, 'AWS::Logs::LogGroup')) expect(RetentionInDays).toBe(365);
  for (const { RetentionInDays } of only(lost, 'AWS::Logs::LogGroup')) expect(RetentionInDays).toBe(90);
});

it('says what it was given, so that a difference shows what got lost', () => {
  const said: string = all.template.Outputs['Settings'].Value;
  expect(said.split(', ').sort()).toEqual(
    Object.entries(everything)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  );
  expect(settings({}).given).toBe('none');
});

it("makes the account's role for API Gateway's logs, unless the account keeps its own", () => {
  expect(only(lost, 'AWS::ApiGateway::Account')).toHaveLength(1);
  expect(only(all, 'AWS::ApiGateway::Account')).toEqual([]);
  expect(JSON.stringify(all.template)).not.toContain('AmazonAPIGatewayPushToCloudWatchLogs');
});

it("stays open at AWS's address when a domain is added, until it is told to shut that", () => {
  expect(only(lost, 'AWS::ApiGateway::DomainName')).toHaveLength(1);
  expect(only(lost, 'AWS::ApiGateway::RestApi')[0]?.['DisableExecuteApiEndpoint']).toBe(false);
  expect(flat(lost.template.Outputs['DomainTarget'].Value)).toMatch(/\.RegionalDomainName$/);
});

it('answers at its own name alone where it is told to, over TLS 1.2 or newer, under the same path', () => {
  const [domain] = only(all, 'AWS::ApiGateway::DomainName');
  expect(domain).toMatchObject({
    DomainName: 'tax.example.com',
    RegionalCertificateArn: certificate,
    SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
  });
  expect(only(all, 'AWS::ApiGateway::BasePathMapping').map(({ BasePath }) => BasePath)).toEqual(['v1']);
  expect(only(all, 'AWS::ApiGateway::RestApi')[0]?.['DisableExecuteApiEndpoint']).toBe(true);
  expect(flat(all.template.Outputs['Url'].Value)).toMatch(/^https:\/\/tax\.example\.com\/\w+$/);
  const records = only(all, 'AWS::Route53::RecordSet').map(({ Name, Type, HostedZoneId }) => [
    Name,
    Type,
    HostedZoneId,
  ]);
  expect(records).toEqual([
    ['tax.example.com.', 'A', 'Z0123456789ABC'],
    ['tax.example.com.', 'AAAA', 'Z0123456789ABC'],
  ]);
});

describe('the web ACL', () => {
  const [acl] = only(all, 'AWS::WAFv2::WebACL');
  const rules = acl?.['Rules'] as any[];

  it('stands before the stage', () => {
    const [association] = only(all, 'AWS::WAFv2::WebACLAssociation');
    expect(flat(association?.['ResourceArn'])).toMatch(
      /:apigateway:AWS::Region::\/restapis\/Api\/stages\/\w*DeploymentStage/,
    );
    expect(flat(association?.['WebACLArn'])).toMatch(/^TaxApiFirewallAcl\w*\.Arn$/);
    expect(only(lost, 'AWS::WAFv2::WebACL')).toEqual([]);
  });

  it("has AWS's rules, none of which refuses a long sale or a client without a name", () => {
    const groups = rules.flatMap(({ Statement }) => Statement.ManagedRuleGroupStatement ?? []);
    expect(groups.map(({ Name }) => Name)).toContain('AWSManagedRulesCommonRuleSet');
    const counted = groups.flatMap(({ RuleActionOverrides = [] }) => RuleActionOverrides);
    expect(counted).toEqual([
      { Name: 'SizeRestrictions_BODY', ActionToUse: { Count: {} } },
      { Name: 'NoUserAgent_HEADER', ActionToUse: { Count: {} } },
    ]);
  });

  it('stops a flood from one address with a 429 in the envelope, which says when to come again', () => {
    const [flood] = rules.filter(({ Statement }) => Statement.RateBasedStatement);
    expect(flood.Statement.RateBasedStatement).toMatchObject({ Limit: 5000, AggregateKeyType: 'IP' });
    const { ResponseCode, ResponseHeaders } = flood.Action.Block.CustomResponse;
    expect(ResponseCode).toBe(429);
    expect(ResponseHeaders).toContainEqual({ Name: 'Retry-After', Value: '60' });
    const body = JSON.parse(acl?.['CustomResponseBodies'].flood.Content);
    expect(body.errors).toMatchObject([{ status: '429', code: 'rate_limit_error' }]);
  });
});

describe('a key of its own', () => {
  it('turns, stays, and encrypts tables and backups', () => {
    const [[id, key]] = all.ofType('AWS::KMS::Key') as [[string, Resource]];
    expect([id, key.Properties['EnableKeyRotation']]).toEqual(['DataKey', true]);
    // But for one that a failed deployment has just made.
    expect([key.DeletionPolicy, key.UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
    for (const { SSESpecification, Replicas } of only(all, 'AWS::DynamoDB::GlobalTable')) {
      expect(SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
      expect(flat(Replicas[0].SSESpecification.KMSMasterKeyId)).toBe('DataKey.Arn');
    }
    expect(flat(all.template.Resources['BackupVaultOwnKey']?.Properties['EncryptionKeyArn'])).toBe('DataKey.Arn');
  });

  it('may be used by every function with a table, and through DynamoDB alone', () => {
    const statements = only(all, 'AWS::IAM::Policy')
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Resource: on }: any) => [on].flat().some((at: any) => flat(at) === 'DataKey.Arn'));
    expect(statements.length).toBeGreaterThan(15);
    for (const { Action, Condition } of statements) {
      expect(JSON.stringify(Action)).not.toContain('*');
      expect(flat(Condition.StringEquals['kms:ViaService'])).toBe('dynamodb.AWS::Region.amazonaws.com');
    }
  });
});

it('locks its backups for good after three days of grace', () => {
  for (const { LockConfiguration } of only(all, 'AWS::Backup::BackupVault'))
    expect(LockConfiguration).toEqual({ MinRetentionDays: 7, MaxRetentionDays: 400, ChangeableForDays: 3 });
});

it('reserves instances for the functions that it names, and for no other', () => {
  const reserved = all
    .ofType('AWS::Lambda::Function')
    .flatMap(([id, { Properties }]) =>
      Properties['ReservedConcurrentExecutions'] ? [[id, Properties['ReservedConcurrentExecutions']]] : [],
    );
  expect(reserved).toEqual([
    ['CreateCalculation', 200],
    ['SweepDrafts', 1],
  ]);
  expect(only(lost, 'AWS::Lambda::Function').filter((at) => 'ReservedConcurrentExecutions' in at)).toEqual([]);
});

it('moves requests by a tenth each minute', () => {
  const configs = only(all, 'AWS::CodeDeploy::DeploymentGroup').map(({ DeploymentConfigName }) => DeploymentConfigName);
  expect(new Set(configs)).toEqual(new Set(['CodeDeployDefault.LambdaLinear10PercentEvery1Minute']));
});

it('loses its data with the stack only where a named stage says so', () => {
  const tables = lost.ofType('AWS::DynamoDB::GlobalTable');
  expect(tables.map(([, { DeletionPolicy }]) => DeletionPolicy)).toEqual(['Delete', 'Delete', 'Delete']);
  for (const [, { Properties }] of tables) expect(Properties['Replicas'][0].DeletionProtectionEnabled).toBe(false);
  expect(lost.ofType('AWS::Backup::BackupVault').map(([, { DeletionPolicy }]) => DeletionPolicy)).toEqual(['Delete']);
  expect(only(lost, 'AWS::Backup::BackupSelection')).toEqual([]);
  for (const [, { DeletionPolicy }] of all.ofType('AWS::DynamoDB::GlobalTable')) expect(DeletionPolicy).toBe('Retain');
});

it('is careful where nothing is said', () => {
  expect(settings({})).toMatchObject({
    stage: null,
    name: 'Levy',
    alarmEmail: null,
    domain: null,
    awsAddress: 'open',
    removal: 'retain',
    encryption: 'aws-owned',
    backups: 'plan',
    backupLock: 'none',
    logRetention: 90,
    gatewayLogRole: 'make',
    reservedConcurrency: {},
    rollout: 'canary',
    waf: null,
    events: true,
    sam: false,
    oidc: {},
  });
  expect(settings({ waf: true })).toMatchObject({ waf: { requestsPerAddress: 120_000 } });
});

it.each([
  [true, ['true', '1', true, 1]],
  [false, ['false', '0', false, 0, undefined]],
])('takes as %s of a switch what -c and cdk.json may say: %j', (expected, words) => {
  for (const sam of words) expect(settings({ sam }).sam).toBe(expected);
  for (const events of words) expect(settings({ events }).events).toBe(events === undefined ? true : expected);
});

it.each([
  [{ stage: 'Production' }, "stage is 'Production'. Give a lower-case word"],
  [{ stage: '-a' }, "stage is '-a'"],
  [{ stage: 'a'.repeat(21) }, 'at most 20'],
  [{ alarmEmail: 'tax' }, "alarmEmail is 'tax'. Give one address"],
  [{ domain: 'tax.example.com' }, "domain is 'tax.example.com'. Give certificate as well"],
  [{ domain: 'https://tax.example.com', certificate }, 'Give a host name'],
  [{ domain: 'tax.example.com', certificate: 'arn:aws:acm:x' }, "certificate is 'arn:aws:acm:x'. Give the ARN"],
  [{ certificate }, 'Give domain as well'],
  [{ hostedZone: 'Z0123456789ABC' }, "hostedZone is 'Z0123456789ABC'. Give domain as well"],
  [{ awsAddress: 'shut' }, "awsAddress is 'shut'. Give domain as well"],
  [{ awsAddress: 'closed', domain: 'tax.example.com', certificate }, 'Give one of: open, shut.'],
  [{ backups: 'daily' }, 'Give one of: plan, none.'],
  [{ gatewayLogRole: 'mine' }, 'Give one of: make, keep.'],
  [{ sam: 'no' }, "sam is 'no'. Give true or false."],
  [{ events: 'off' }, "events is 'off'. Give true or false."],
  [{ removal: 'destroy' }, "removal is 'destroy'. Give stage as well"],
  [{ removal: 'delete' }, 'Give one of: retain, destroy.'],
  [{ encryption: 'none' }, 'Give one of: aws-owned, customer-managed.'],
  [{ backupLock: 'yes' }, 'Give one of: none, governance, compliance.'],
  [{ logRetention: '100' }, "logRetention is '100'. Give one of: 90, 1, 3, 5"],
  [{ logRetention: '9999' }, "logRetention is '9999'"],
  [{ reservedConcurrency: 'create-calculations:5' }, 'functions are list-product-attributes'],
  [{ reservedConcurrency: 'create-calculation:0' }, "'0'. Give a whole number from 1 to 100000."],
  [{ reservedConcurrency: 'create-calculation' }, "is ''. Give a whole number"],
  [{ rollout: 'slow' }, 'Give one of: canary, linear, all-at-once.'],
  [{ waf: 'yes' }, "waf is 'yes'. Give true or false."],
  [{ wafRequestsPerAddress: '1000' }, 'Give waf=true as well'],
  [{ waf: 'true', wafRequestsPerAddress: '9' }, 'Give a whole number from 10'],
  [{ alarmMail: 'tax@example.com' }, "alarmMail is 'tax@example.com'. There is no such setting. Give one of: stage"],
  [{ stage: { name: 'a' } }, 'stage is \'{"name":"a"}\'. Give a text'],
] as const)('refuses %j, and says what to do', (context, said) => {
  expect(() => settings(context)).toThrow(said);
});
