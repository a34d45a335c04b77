import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { levyApp } from '../../infra/app.ts';

/** A reference in the template: a text, or one of the functions that CloudFormation resolves. */
export type Reference =
  | string
  | {
      readonly Ref?: string;
      readonly 'Fn::GetAtt'?: readonly string[];
      readonly 'Fn::Join'?: Joined['Fn::Join'];
    };
type Joined = { readonly 'Fn::Join': readonly [between: string, parts: readonly Reference[]] };
type Ref = { readonly Ref: string; readonly 'Fn::GetAtt'?: unknown };
export type Statement = {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: Reference | readonly Reference[];
  readonly Principal?: { readonly Service?: string };
  readonly Condition?: Readonly<Record<'ArnLike' | 'StringEquals', Readonly<Record<string, Reference>>>> & {
    readonly [operator: string]: unknown;
  };
};
/** A metric by its name in CloudWatch. */
export type Metric = {
  readonly Namespace: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: Reference }[];
};

export type Alarm = {
  readonly Metrics: readonly {
    readonly Id: string;
    readonly Expression?: string;
    readonly ReturnData?: boolean;
    readonly MetricStat?: { readonly Period: number; readonly Metric: Metric };
  }[];
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly EvaluationPeriods: number;
  readonly EvaluationWindow?: { readonly WallClockWindow?: unknown };
};

export type BackupRule = {
  readonly RuleName: string;
  readonly ScheduleExpression: string;
  readonly Lifecycle: { readonly DeleteAfterDays: number };
  readonly TargetBackupVault: Reference;
  readonly CopyActions?: readonly object[];
};
type References =
  | ('DashboardBody' | 'EncryptionKeyArn' | 'Enrichment' | 'FunctionName' | 'FunctionVersion' | 'KmsMasterKeyId')
  | ('ResourceArn' | 'Role' | 'RoleArn' | 'Source' | 'SourceArn' | 'WebACLArn');
type Arn = { readonly Arn: Reference };
/** The settings of a method of a stage. */
export type MethodSetting = Readonly<
  Record<'HttpMethod' | 'ResourcePath' | 'LoggingLevel', string> &
    Record<'MetricsEnabled' | 'DataTraceEnabled', boolean> &
    Record<'ThrottlingRateLimit' | 'ThrottlingBurstLimit', number>
>;
/** The properties of resources that the tests read. Each type has some of them. */
export type Properties = Record<References, Reference> &
  Record<'AlarmDescription' | 'AlarmName' | 'HttpMethod', string> &
  Record<'AssumeRolePolicyDocument' | 'KeyPolicy' | 'PolicyDocument', { readonly Statement: readonly Statement[] }> &
  Record<'AlarmActions' | 'Roles' | 'Topics', readonly Ref[]> &
  Record<'ParentId' | 'ResourceId', Ref> &
  Record<'ResponseParameters' | 'ResponseTemplates', Record<string, string>> &
  Alarm &
  Metric & {
    readonly [name: string]: unknown;
    readonly AccessLogSetting: { readonly Format: string };
    readonly AlarmConfiguration: {
      readonly Enabled: boolean;
      readonly Alarms: readonly { readonly Name: Reference }[];
    };
    readonly BackupPlan: { readonly BackupPlanName: string; readonly BackupPlanRule: readonly BackupRule[] };
    readonly BackupSelection: { readonly Resources: readonly Reference[]; readonly IamRoleArn: Reference };
    readonly BackupVaultName: Joined;
    readonly CustomResponseBodies: { readonly flood: { readonly Content: string } };
    readonly DestinationConfig: { readonly OnFailure: { readonly Destination: Reference } };
    readonly Environment: { readonly Variables: Readonly<Record<string, string>> };
    readonly Integration: { readonly Type: string; readonly Uri: Joined };
    readonly LoggingConfig: { readonly LogGroup: Reference; readonly ApplicationLogLevel?: string };
    readonly ManagedPolicyArns?: readonly Reference[];
    readonly Policies?: readonly Pick<Properties, 'PolicyDocument'>[];
    readonly Period: number;
    readonly Replicas: readonly [
      {
        readonly PointInTimeRecoverySpecification: { readonly PointInTimeRecoveryEnabled: boolean };
        readonly SSESpecification: { readonly KMSMasterKeyId: Reference };
        readonly DeletionProtectionEnabled: boolean;
      },
    ];
    readonly Rules: readonly object[];
    readonly SourceParameters: {
      readonly DynamoDBStreamParameters: Readonly<Record<'BatchSize' | 'MaximumRetryAttempts', number>> & {
        readonly DeadLetterConfig: Arn;
        readonly ParallelizationFactor?: number;
      };
      readonly FilterCriteria: { readonly Filters: readonly { readonly Pattern: string }[] };
    };
    readonly MethodSettings: readonly [MethodSetting, ...MethodSetting[]];
    readonly ScheduleExpression: string;
    readonly Target: Exclude<Reference, string> &
      Arn & {
        readonly RoleArn: Reference;
        readonly DeadLetterConfig: Arn;
        readonly Input: string;
        readonly RetryPolicy: { readonly MaximumRetryAttempts: number };
      };
  };
export type Resource = {
  readonly Type: string;
  readonly Properties: Properties;
  readonly Metadata?: { readonly [name: string]: unknown; readonly 'aws:asset:path': string };
  readonly DependsOn?: readonly string[];
  readonly UpdatePolicy?: { readonly CodeDeployLambdaAliasUpdate: { readonly DeploymentGroupName: Reference } };
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
};
type Template = {
  readonly Parameters?: Readonly<Record<string, { readonly Default?: string; readonly AllowedPattern?: string }>>;
  readonly Metadata?: { readonly 'cfn-lint'?: { readonly config: { readonly ignore_checks: readonly string[] } } };
  readonly Resources: Record<string, Resource>;
  readonly Outputs: Readonly<Record<string, { readonly Value: Reference }>>;
};
export type Synthesized = {
  readonly outdir: string;
  readonly template: Template;
  readonly ofType: (type: string) => (readonly [id: string, resource: Resource])[];
  readonly propertiesOf: (type: string) => Properties[];
  /** The properties of the resource with this id. */
  readonly at: (id: string) => Properties;
};

/** Without bundled code, which almost no test needs. */
export const withoutBundling = { 'aws:cdk:bundling-stacks': [] };

export const certificate = 'arn:aws:acm:us-east-1:111122223333:certificate/0a1b2c3d-0000-4444-8888-0123456789ab';
/** A value for every setting that adds or changes resources. */
export const everySetting = {
  stage: 'staging',
  alarmEmail: 'tax@example.com',
  domain: 'tax.example.com',
  certificate,
  hostedZone: 'Z0123456789ABC',
  awsAddress: 'shut',
  encryption: 'customer-managed',
  backups: 'daily',
  backupLock: 'compliance',
  backupCopyTo: 'arn:aws:backup:us-west-2:444455556666:backup-vault:levy-copies',
  metrics: 'full',
  tracing: 'true',
  methodMetrics: 'true',
  runbookUrl: 'https://wiki.example.com/levy/runbook',
  logRetention: '365',
  gatewayLogRole: 'keep',
  reservedConcurrency: 'create-calculation:200,sweep-drafts:1',
  rollout: 'linear',
  waf: 'true',
  wafRequestsPerAddress: '5000',
  contentMirror: 'https://mirror.example.com:8443/rates/',
  oidcIssuer: 'https://login.example.com/',
  oidcAudience: 'one,two',
  oidcAccountClaim: 'https://example.com/levy_account',
  oidcScopesClaim: 'permissions',
  oidcReadScope: 'tax:read',
  oidcWriteScope: 'tax:write',
  oidcClientId: 'levy-console',
  oidcTokenOrigin: 'https://token.example.com',
};
/** A stage that may lose its data. */
export const disposable = {
  stage: 'dev',
  removal: 'destroy',
  domain: 'tax.example.com',
  certificate,
  rollout: 'all-at-once',
  events: 'false',
  console: 'false',
};
export const withoutBackups = { backups: 'none', gatewayLogRole: 'keep' };

const known = new Map<string, Synthesized>();

/** The app of infra/app.ts as `cdk synth` writes it, with cdk-nag. Each context is synthesized once in a process. */
export const synthesize = (context: Record<string, unknown> = {}): Synthesized => {
  const key = JSON.stringify({ ...withoutBundling, ...context });
  const synthesized = known.get(key) ?? synthesizeAnew(context);
  known.set(key, synthesized);
  return synthesized;
};

/** The same, without what other tests have synthesized. */
export const synthesizeAnew = (context: Record<string, unknown> = {}): Synthesized => {
  const outdir = mkdtempSync(join(tmpdir(), 'levy-infra-'));
  levyApp({ outdir, context: { ...withoutBundling, ...context } }).synth();
  const template: Template = JSON.parse(readFileSync(join(outdir, 'Levy.template.json'), 'utf8'));
  const ofType = (type: string) => Object.entries(template.Resources).filter(([, { Type }]) => Type === type);
  const at = (id: string): Properties => {
    const resource = template.Resources[id];
    if (!resource) throw new Error(`${id} is not in the template.`);
    return resource.Properties;
  };
  return { outdir, template, ofType, propertiesOf: (type) => ofType(type).map(([, { Properties }]) => Properties), at };
};

/** A reference of the template as text: `TransactionsTable.Arn/index/by_account`. */
export const flat = (value: Reference | undefined): string => {
  if (typeof value === 'string') return value;
  if (value?.Ref) return value.Ref;
  if (value?.['Fn::GetAtt']) return value['Fn::GetAtt'].join('.');
  if (value?.['Fn::Join']) return value['Fn::Join'][1].map(flat).join(value['Fn::Join'][0]);
  throw new Error(`not a reference: ${JSON.stringify(value)}`);
};

/** The logical id in a reference to a resource or to one of its attributes. */
export const idOf = (reference: Reference | undefined): string => flat(reference).replace(/\.\w+$/, '');

export const listed = <Value>(value: Value | readonly Value[]): Value[] => [value].flat() as Value[];

/** The statements of all policies of a role; without an id, of all roles. */
export const statementsOf = ({ propertiesOf, ofType }: Synthesized, roleId?: string): Statement[] =>
  [
    ...propertiesOf('AWS::IAM::Policy').filter(
      ({ Roles }) => roleId === undefined || Roles.some(({ Ref }) => Ref === roleId),
    ),
    ...ofType('AWS::IAM::Role').flatMap(([id, { Properties }]) =>
      roleId === undefined || id === roleId ? (Properties.Policies ?? []) : [],
    ),
  ].flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

/** What a role is allowed to do, as `action on resource`, sorted. */
export const allowedTo = (synthesized: Synthesized, roleId?: string): string[] =>
  statementsOf(synthesized, roleId)
    .flatMap(({ Effect, Action, Resource: on }) =>
      listed(Action).flatMap((action) => listed(on).map((at) => `${Effect} ${action} on ${flat(at)}`)),
    )
    .sort();

/** The id of the function that a reference to it, or to its alias, names. */
export const functionAt = ({ template }: Synthesized, reference: Reference | undefined): string => {
  const id = idOf(reference);
  const resource = template.Resources[id];
  return resource?.Type === 'AWS::Lambda::Alias' ? flat(resource.Properties['FunctionName']) : id;
};

/** The function of an entry in functions/: its id is the entry in Pascal case. */
export const functionOf = ({ ofType }: Synthesized, entry: string): readonly [string, Resource] => {
  const found = ofType('AWS::Lambda::Function').find(([id]) => id.toLowerCase() === entry.replaceAll('-', ''));
  if (!found) throw new Error(`${entry} has no function`);
  return found;
};

// The part of an integration's address that names the function or its alias.
const calledBy = ({ Uri }: Properties['Integration']): Reference =>
  Uri['Fn::Join'][1].find((part) => JSON.stringify(part).match(/Live"|,"Arn"\]/)) as Reference;

/** The methods of the API in the order of the template, each with its path and the function behind it. */
export const methodsOf = (synthesized: Synthesized) => {
  const { propertiesOf, at } = synthesized;
  const pathOf = (reference: Ref): string => {
    if (reference['Fn::GetAtt']) return '';
    const { ParentId, PathPart } = at(reference.Ref);
    return `${pathOf(ParentId)}/${PathPart}`;
  };
  return propertiesOf('AWS::ApiGateway::Method').map(({ HttpMethod, ResourceId, Integration }) => ({
    method: HttpMethod,
    path: pathOf(ResourceId),
    called: flat(calledBy(Integration)),
    handler: functionAt(synthesized, calledBy(Integration)),
    type: Integration.Type,
  }));
};
