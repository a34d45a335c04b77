import { fileURLToPath } from 'node:url';
import { AssetHashType, Aws, DockerImage, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type Action, draftPartitions, type TableAccess, writablePartitions } from '../shared/store/table-access.ts';
import type { TableName } from '../shared/store/table-definitions.ts';
import { bundle, type Entry } from './bundling.ts';
import { acknowledge, fixLogicalId, pascalCase, ServiceRole, starFindings } from './constructs.ts';
import type { DataStack } from './data-stack.ts';
import type { Settings } from './settings.ts';

/** Dependencies shared by the parts of the service stack. */
export type Deployment = {
  readonly settings: Settings;
  readonly data: DataStack;
  /** The log group of all functions. */
  readonly logs: LogGroup;
};

type Props = Pick<lambda.FunctionOptions, 'timeout' | 'environment' | 'memorySize' | 'ephemeralStorageSize'> & {
  readonly access?: TableAccess;
};

/** Why cdk-nag's findings about X-Ray are acknowledged. */
export const tracingIsOff = 'Traces cost more than the requests that they trace. `-c tracing=true` turns them on.';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Returns a function's code, bundled at synthesis. Its asset hash is the hash of the bundle.
 *
 * CDK's NodejsFunction runs esbuild's command line, which would need a second copy of the bundling options.
 */
const bundledCode = (entry: Entry): lambda.Code =>
  lambda.Code.fromAsset(root, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      local: { tryBundle: (outdir) => Boolean(bundle(entry, outdir)) },
      // CDK caches assets by the plain data of this object. Without the entry, all functions would share one bundle.
      command: [entry],
      // Required by the type. No container starts, because `tryBundle` succeeds or throws.
      image: DockerImage.fromRegistry('not-used'),
    },
  });

// SAM runs the template's architecture. On an x64 host, arm64 would run in an emulator.
const architecture = ({ sam }: Settings) =>
  sam && process.arch === 'x64' ? lambda.Architecture.X86_64 : lambda.Architecture.ARM_64;

/**
 * Allows a function to write only its log streams: <date>/<name of the function>[<version>]<id>. CloudFormation
 * prefixes the name with the stack's and the resource's name. IAM has no narrower resource than the group for creating
 * a stream.
 */
const allowLogs = (role: ServiceRole, logs: LogGroup, functionId: string): void => {
  role.allow('logs', ['CreateLogStream'], [logs.logGroupArn]);
  const streams = `log-stream:*/${Stack.of(role).stackName}-${functionId}-*`;
  const group = `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:${logs.logGroupName}`;
  role.allow('logs', ['PutLogEvents'], [`${group}:${streams}`]);
  acknowledge(role, 'Lambda names a log stream when an instance starts.', [
    `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:<${logs.node.id}>:${streams}]`,
  ]);
};

/** Creates a Lambda function with the service's defaults, a separate role, and the table access of its definition. */
export class EndpointFunction extends lambda.Function {
  declare readonly role: ServiceRole;
  readonly #settings: Settings;

  constructor(
    scope: Construct,
    entry: Entry,
    { settings, data, logs }: Deployment,
    { access = { actions: {} }, environment, ...options }: Props = {},
  ) {
    const role = new ServiceRole(scope, `${entry}-role`, 'lambda');
    allowLogs(role, logs, pascalCase(entry));
    const reserved = settings.reservedConcurrency[entry];
    super(scope, entry, {
      timeout: Duration.seconds(10),
      // infra/docs/deployment.md explains the memory size.
      memorySize: 1024,
      ...options,
      code: bundledCode(entry),
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: architecture(settings),
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      tracing: settings.tracing ? lambda.Tracing.ACTIVE : lambda.Tracing.DISABLED,
      loggingFormat: lambda.LoggingFormat.JSON,
      logGroup: logs,
      role,
      // Without this, CloudFormation would delete the previous version after an update, and a rollback would be
      // impossible. A failed deployment's version is deleted, because Lambda publishes the same code only once and a
      // second attempt would fail.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      environment: {
        ...environment,
        ...(settings.stage !== null && { METRICS_NAMESPACE: settings.name }),
        ...(settings.metrics === 'full' && { METRICS: 'full' }),
        // SAM passes only variables that the template declares.
        ...(settings.sam && { DYNAMODB_ENDPOINT: 'http://dynamodb:8000' }),
      },
    });
    this.#settings = settings;
    // The function has one readable name in the console, in `sam local invoke` and in an env-vars file.
    fixLogicalId(this, pascalCase(entry));
    this.#grant(access, data);
    if (settings.tracing) acknowledge(role, 'X-Ray actions do not support resource-level permissions.', starFindings);
    else acknowledge(this, tracingIsOff, ['Serverless-LambdaTracing']);
  }

  #grant(access: TableAccess, { tables }: DataStack): void {
    const { actions: byTable, indexes = [], partitions = {}, readOnly = [] } = access;
    for (const [table, actions] of Object.entries(byTable) as [TableName, readonly Action[]][]) {
      this.addEnvironment(`TABLE_${table.toUpperCase()}`, this.#settings.sam ? table : tables.getName(table));
      const writes = table === 'accounts' ? writablePartitions(access) : {};
      const others = actions.filter((action) => !writes[action]);
      this.#allow(others, tables.getArn(table), partitions[table]);
      for (const action of actions) if (writes[action]) this.#allow([action], tables.getArn(table), writes[action]);
    }
    for (const [action, partition] of readOnly) this.#allow([action], tables.getArn('transactions'), [partition]);
    for (const index of indexes)
      this.#allow(['Query'], tables.getIndexArn(index), index === 'drafts' ? [draftPartitions] : undefined);
    if (Object.keys(byTable).length > 0) for (const statement of tables.useOfKey()) this.addToRolePolicy(statement);
  }

  /**
   * Publishes the deployed code as a version with the alias `live`, which API Gateway and the schedules call. SAM does
   * not support aliases and uses the function. `events` are the retries and the failure destination of asynchronous
   * events, and `reason` states why the function itself has no dead-letter queue.
   */
  publish(reason: string, events: lambda.EventInvokeConfigOptions = {}): lambda.IFunction {
    acknowledge(this, reason, ['Serverless-LambdaDLQ']);
    if (this.#settings.sam) {
      if (Object.keys(events).length > 0) this.configureAsyncInvoke(events);
      return this;
    }
    // CDK's classes do not match its interfaces under exactOptionalPropertyTypes.
    const version = this.currentVersion as lambda.IVersion;
    const alias = new lambda.Alias(this, 'live', { aliasName: 'live', version, ...events });
    return fixLogicalId(alias, `${pascalCase(this.node.id)}Live`) as lambda.IFunction;
  }

  #allow(actions: readonly Action[], resource: string, partitions?: readonly string[]): void {
    if (actions.length === 0) return;
    const within = partitions && { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...partitions] } };
    this.role.allow('dynamodb', actions, [resource], within);
  }
}
