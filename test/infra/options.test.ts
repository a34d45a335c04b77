import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { readSettings } from '../../infra/settings.ts';
import {
  certificate,
  disposable,
  everySetting,
  flat,
  functionOf,
  listed,
  type Properties,
  type Resource,
  statementsOf,
  synthesize,
} from './synthesized.ts';

const all = synthesize(everySetting);
const lost = synthesize(disposable);
const only = ({ propertiesOf }: typeof all, type: string) => propertiesOf(type);
const { backupCopyTo } = everySetting;
const settings = (context: Record<string, unknown>) => readSettings(new App({ context }));

it('logRetention sets the retention of all logs; the default is 90 days', () => {
  for (const { RetentionInDays } of only(all, 'AWS::Logs::LogGroup')) expect(RetentionInDays).toBe(365);
  for (const { RetentionInDays } of only(lost, 'AWS::Logs::LogGroup')) expect(RetentionInDays).toBe(90);
});

it('the output Settings lists the given settings, so that a diff shows a lost one', () => {
  const text = flat(all.template.Outputs['Settings']?.Value);
  expect(text.split(', ').sort()).toEqual(
    Object.entries(everySetting)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  );
  expect(settings({}).given).toBe('none');
});

it("gatewayLogRole=keep creates no role for API Gateway's logs", () => {
  expect(only(lost, 'AWS::ApiGateway::Account')).toHaveLength(1);
  expect(only(all, 'AWS::ApiGateway::Account')).toEqual([]);
  expect(JSON.stringify(all.template)).not.toContain('AmazonAPIGatewayPushToCloudWatchLogs');
});

it("a domain leaves AWS's address open by default", () => {
  expect(only(lost, 'AWS::ApiGateway::DomainName')).toHaveLength(1);
  expect(only(lost, 'AWS::ApiGateway::RestApi')[0]?.['DisableExecuteApiEndpoint']).toBe(false);
  expect(flat(lost.template.Outputs['DomainTarget']?.Value)).toMatch(/\.RegionalDomainName$/);
});

it('awsAddress=shut closes the address beside a domain with TLS 1.2 or newer and the same path', () => {
  const [domain] = only(all, 'AWS::ApiGateway::DomainName');
  expect(domain).toMatchObject({
    DomainName: 'tax.example.com',
    RegionalCertificateArn: certificate,
    SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
  });
  expect(only(all, 'AWS::ApiGateway::BasePathMapping').map(({ BasePath }) => BasePath)).toEqual(['v1']);
  expect(only(all, 'AWS::ApiGateway::RestApi')[0]?.['DisableExecuteApiEndpoint']).toBe(true);
  expect(flat(all.template.Outputs['Url']?.Value)).toMatch(/^https:\/\/tax\.example\.com\/\w+$/);
  const records = only(all, 'AWS::Route53::RecordSet').map(({ Name, Type, HostedZoneId }) => [
    Name,
    Type,
    HostedZoneId,
  ]);
  // Regional domains have IPv4 addresses only.
  expect(records).toEqual([['tax.example.com.', 'A', 'Z0123456789ABC']]);
});

describe('the web ACL', () => {
  const [acl] = only(all, 'AWS::WAFv2::WebACL');
  const rules: Properties[] = acl.Rules;

  it('is associated with the stage', () => {
    const [association] = only(all, 'AWS::WAFv2::WebACLAssociation');
    expect(flat(association?.['ResourceArn'])).toMatch(
      /:apigateway:AWS::Region::\/restapis\/Api\/stages\/\w*DeploymentStage/,
    );
    expect(flat(association?.['WebACLArn'])).toMatch(/^TaxApiFirewallAcl\w*\.Arn$/);
    expect(only(lost, 'AWS::WAFv2::WebACL')).toEqual([]);
  });

  it("has AWS's rules, except those against long bodies and missing user agents", () => {
    const groups = rules.flatMap(({ Statement }) => Statement.ManagedRuleGroupStatement ?? []);
    expect(groups.map(({ Name }) => Name)).toContain('AWSManagedRulesCommonRuleSet');
    const counted = groups.flatMap(({ RuleActionOverrides = [] }) => RuleActionOverrides);
    expect(counted).toEqual([
      { Name: 'SizeRestrictions_BODY', ActionToUse: { Count: {} } },
      { Name: 'NoUserAgent_HEADER', ActionToUse: { Count: {} } },
    ]);
  });

  it('answers a flood from one address with 429, the error envelope and Retry-After', () => {
    const [flood] = rules.filter(({ Statement }) => Statement.RateBasedStatement);
    expect(flood.Statement.RateBasedStatement).toMatchObject({ Limit: 5000, AggregateKeyType: 'IP' });
    const { ResponseCode, ResponseHeaders } = flood.Action.Block.CustomResponse;
    expect(ResponseCode).toBe(429);
    expect(ResponseHeaders).toContainEqual({ Name: 'Retry-After', Value: '60' });
    const body = JSON.parse(acl?.CustomResponseBodies.flood.Content ?? '');
    expect(body.errors).toMatchObject([{ status: '429', code: 'rate_limit_error' }]);
  });
});

describe('the customer-managed key', () => {
  it('rotates, is retained, and encrypts tables and backups', () => {
    const [[id, key]] = all.ofType('AWS::KMS::Key') as [[string, Resource]];
    expect([id, key.Properties['EnableKeyRotation']]).toEqual(['DataKey', true]);
    expect([key.DeletionPolicy, key.UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
    for (const { SSESpecification, Replicas } of only(all, 'AWS::DynamoDB::GlobalTable')) {
      expect(SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
      expect(flat(Replicas[0].SSESpecification.KMSMasterKeyId)).toBe('DataKey.Arn');
    }
  });

  it('may be used by every function with a table, through DynamoDB only', () => {
    const statements = statementsOf(all).filter(({ Resource: on }) => listed(on).map(flat).includes('DataKey.Arn'));
    expect(statements.length).toBeGreaterThan(15);
    for (const { Action, Condition } of statements) {
      if (Action === 'kms:DescribeKey') continue;
      expect(JSON.stringify(Action)).not.toContain('*');
      expect(flat(Condition?.['StringEquals']?.['kms:ViaService'])).toBe('dynamodb.AWS::Region.amazonaws.com');
    }
  });
});

it('reservedConcurrency applies to the named functions only', () => {
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

it('removal=destroy deletes tables and vaults with the stack', () => {
  const tables = lost.ofType('AWS::DynamoDB::GlobalTable');
  expect(tables.map(([, { DeletionPolicy }]) => DeletionPolicy)).toEqual(['Delete', 'Delete', 'Delete']);
  for (const [, { Properties }] of tables) expect(Properties['Replicas'][0].DeletionProtectionEnabled).toBe(false);
  expect(lost.ofType('AWS::Backup::BackupVault').map(([, { DeletionPolicy }]) => DeletionPolicy)).toEqual(['Delete']);
  expect(only(lost, 'AWS::Backup::BackupSelection')).toEqual([]);
  for (const [, { DeletionPolicy }] of all.ofType('AWS::DynamoDB::GlobalTable')) expect(DeletionPolicy).toBe('Retain');
});

it('has safe defaults', () => {
  expect(settings({ contentMirror: '' }).contentMirror).toBe(null);
  expect(settings({})).toMatchObject({
    stage: null,
    name: 'Levy',
    alarmEmail: null,
    domain: null,
    awsAddress: 'open',
    removal: 'retain',
    encryption: 'aws-owned',
    backups: 'monthly',
    backupCopyTo: null,
    backupLock: 'none',
    metrics: 'essential',
    tracing: false,
    methodMetrics: false,
    runbookUrl: null,
    logRetention: 90,
    gatewayLogRole: 'make',
    reservedConcurrency: {},
    rollout: 'canary',
    waf: false,
    wafRequestsPerAddress: 120_000,
    events: true,
    contentUpdates: 'propose',
    contentMirror: null,
    sam: false,
    oidc: {},
  });
});

it('only functions that authenticate, and the console, get the issuer, the claims and the scopes', () => {
  for (const [operation, { scope }] of Object.entries(endpoints)) {
    const isPublic = scope === null && operation !== 'get-console';
    const { Variables } = functionOf(all, operation)[1].Properties['Environment'];
    const oidc = Object.entries(Variables).filter(([name]) => name.startsWith('OIDC_'));
    expect(Object.fromEntries(oidc)).toEqual(
      isPublic
        ? {}
        : {
            OIDC_ISSUER: 'https://login.example.com/',
            OIDC_AUDIENCE: 'one,two',
            OIDC_ACCOUNT_CLAIM: 'https://example.com/levy_account',
            OIDC_SCOPES_CLAIM: 'permissions',
            OIDC_READ_SCOPE: 'tax:read',
            OIDC_WRITE_SCOPE: 'tax:write',
            OIDC_CLIENT_ID: 'levy-console',
            OIDC_TOKEN_ORIGIN: 'https://token.example.com',
          },
    );
  }
});

it.each([
  [true, ['true', '1', true, 1]],
  [false, ['false', '0', false, 0, undefined]],
])('reads as %s the value of a switch from -c or cdk.json: %j', (expected, words) => {
  for (const sam of words) expect(settings({ sam }).sam).toBe(expected);
  for (const events of words) expect(settings({ events }).events).toBe(events === undefined ? true : expected);
});

it.each([
  [{ stage: 'Production' }, "stage is 'Production'. Set a lower-case word"],
  [{ stage: '-a' }, "stage is '-a'"],
  [{ stage: 'a'.repeat(21) }, 'at most 20'],
  [{ alarmEmail: 'tax' }, "alarmEmail is 'tax'. Set one address"],
  [{ domain: 'tax.example.com' }, "domain is 'tax.example.com'. Set certificate as well"],
  [{ domain: 'https://tax.example.com', certificate }, 'Set a host name'],
  [{ domain: 'tax.example.com', certificate: 'arn:aws:acm:x' }, "certificate is 'arn:aws:acm:x'. Set the ARN"],
  [{ certificate }, 'Set domain as well'],
  [
    { contentMirror: 'http://mirror.example.com' },
    "contentMirror is 'http://mirror.example.com'. Set an https address",
  ],
  [{ contentMirror: 'mirror.example.com' }, 'Set an https address'],
  [{ contentMirror: 'https://' }, 'Set an https address'],
  [{ contentMirror: 'https://user:word@mirror.example.com' }, 'Set an https address'],
  [{ contentMirror: 'https://mirror.example.com/?key=1' }, 'without a query'],
  [{ hostedZone: 'Z0123456789ABC' }, "hostedZone is 'Z0123456789ABC'. Set domain as well"],
  [{ awsAddress: 'shut' }, "awsAddress is 'shut'. Set domain as well"],
  [{ backups: 'plan' }, "backups is 'plan'. Set one of: monthly, daily, none."],
  [{ backupCopyTo: 'levy-copies' }, "backupCopyTo is 'levy-copies'. Set the ARN of a backup vault"],
  [{ backupCopyTo, backups: 'none' }, 'There are no backups to copy'],
  [{ backupCopyTo, stage: 'dev', removal: 'destroy' }, 'There are no backups to copy'],
  [{ metrics: 'all' }, "metrics is 'all'. Set one of: essential, full."],
  [{ tracing: 'on' }, "tracing is 'on'. Set true or false."],
  [{ runbookUrl: 'infra/runbook.md' }, "runbookUrl is 'infra/runbook.md'. Set the https address"],
  [{ runbookUrl: 'https://wiki.example.com/levy#runbook' }, 'without #'],
  [{ gatewayLogRole: 'mine' }, 'Set one of: make, keep.'],
  [{ removal: 'destroy' }, "removal is 'destroy'. Set stage as well"],
  [{ removal: 'delete' }, 'Set one of: retain, destroy.'],
  [{ encryption: 'none' }, 'Set one of: aws-owned, customer-managed.'],
  [{ backupLock: 'yes' }, 'Set one of: none, governance, compliance.'],
  [{ logRetention: '100' }, "logRetention is '100'. Set one of: 90, 1, 3, 5"],
  [{ logRetention: '9999' }, "logRetention is '9999'"],
  [{ reservedConcurrency: 'create-calculations:5' }, 'functions are create-calculation, '],
  [{ reservedConcurrency: 'create-calculation:0' }, 'Set a whole number from 1 to 100000.'],
  [{ reservedConcurrency: 'create-calculation' }, "is 'create-calculation'. Set a whole number"],
  [{ rollout: 'slow' }, 'Set one of: canary, linear, all-at-once.'],
  [{ wafRequestsPerAddress: '1000' }, 'Set waf=true as well'],
  [{ waf: 'true', wafRequestsPerAddress: '9' }, 'Set a whole number from 10'],
  [{ alarmMail: 'tax@example.com' }, "alarmMail is 'tax@example.com'. There is no such setting. Set one of: stage"],
  [{ oidcIssuer: 'https://login.example.com/' }, 'Set oidcAudience as well'],
  [{ oidcAudience: 'levy' }, 'Set oidcIssuer as well'],
  [
    { oidcIssuer: 'https://login.example.com/', oidcAudience: 'levy', oidcTokenOrigin: 'https://a.example' },
    'Set oidcClientId as well',
  ],
  [{ oidcScopesClaim: 'scp' }, 'Set oidcIssuer as well'],
  [{ oidcIssuer: 'http://login.example.com', oidcAudience: 'levy' }, 'Set an https address.'],
  [{ stage: { name: 'a' } }, 'stage is \'{"name":"a"}\'. Set a text'],
] as const)('refuses %j with the remedy', (context, remedy) => {
  expect(() => settings(context)).toThrow(remedy);
});

describe('a region without EventBridge Pipes', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  // By hand: the regions whose CloudFormation lacks AWS::Pipes::Pipe, and one that does not exist yet.
  it.each([
    ...['us-gov-west-1', 'us-gov-east-1', 'ca-west-1', 'mx-central-1', 'il-central-1', 'ap-east-2'],
    ...['ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7', 'us-north-9'],
  ])('%s: refuses events, names the region and the remedy, and accepts events=false and sam', (region) => {
    vi.stubEnv('CDK_DEFAULT_REGION', region);
    for (const context of [{}, { events: 'true' }])
      expect(() => settings(context)).toThrow(
        expect.objectContaining({ message: expect.stringMatching(`\\b${region}\\b.*events=false`) }),
      );
    for (const context of [{ events: 'false' }, { sam: 'true' }]) expect(settings(context).name).toBe('Levy');
  });

  it.each(['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2', 'ca-central-1', 'eu-central-1', ''])(
    'accepts events in %j',
    (region) => {
      vi.stubEnv('CDK_DEFAULT_REGION', region);
      expect(settings({}).events).toBe(true);
    },
  );
});

it('prerequisites.md names each service of the template, for the permissions of a deployment', () => {
  const page = readFileSync(new URL('../../infra/docs/prerequisites.md', import.meta.url), 'utf8');
  const named = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, service]) => service);
  const used = [all, lost, synthesize()].flatMap(({ template }) =>
    Object.values(template.Resources).map(({ Type }) => Type.split('::')[1]),
  );
  expect(named.sort()).toEqual([...new Set(used)].sort());
});
