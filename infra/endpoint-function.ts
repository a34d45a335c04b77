import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Code,
  type EventInvokeConfigOptions,
  type FunctionOptions,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type Action, draftPartitions, type TableAccess, updatablePartitions } from '../shared/store/table-access.ts';
import type { TableName } from '../shared/store/table-definitions.ts';
import { bundle, type Entry } from './bundling.ts';
import { useOf } from './data-key.ts';
import { FunctionRole } from './function-role.ts';
import type { GradualDeployment } from './gradual-deployment.ts';
import { logGroup } from './log-group.ts';
import { fixLogicalId, pascalCase } from './logical-id.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

type Props = Pick<FunctionOptions, 'timeout' | 'environment' | 'memorySize' | 'ephemeralStorageSize'> & {
  readonly access: TableAccess;
  readonly tables: Tables;
  readonly settings: Settings;
};

/** Retries and the dead-letter queue of asynchronous events, and the gradual deployment of new versions. */
type Published = EventInvokeConfigOptions & { readonly deployment?: GradualDeployment | null };

/** Why cdk-nag's findings about X-Ray are acknowledged. */
export const tracingIsOff = 'Traces cost more than the requests that they show. `-c tracing=true` turns them on.';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The code of a function, bundled at synthesis. Its asset hash is the hash of the bundle.
 *
 * CDK's NodejsFunction runs esbuild's command line, which would need a second copy of the bundling options.
 */
const codeOf = (entry: Entry): Code =>
  Code.fromAsset(root, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      local: { tryBundle: (outdir) => Boolean(bundle(entry, outdir)) },
      // CDK caches assets by the plain data of this object: without the entry, all functions would share one bundle.
      command: [entry],
      // Required by the type. No container starts, because `tryBundle` succeeds or throws.
      image: DockerImage.fromRegistry('not-used'),
    },
  });

// SAM runs the template's architecture. On an x64 host, arm64 would run in an emulator.
const architecture = ({ sam }: Settings) => (sam && process.arch === 'x64' ? Architecture.X86_64 : Architecture.ARM_64);

/** A Lambda function with the service's defaults, its own role, and the table access of its definition. */
export class EndpointFunction extends LambdaFunction {
  readonly #settings: Settings;

  constructor(scope: Construct, entry: Entry, { access, tables, settings, environment, ...options }: Props) {
    const logs = logGroup(scope, `${entry}-logs`, settings);
    // The default managed policy can write to every log group of the account.
    const role = new FunctionRole(scope, `${entry}-role`);
    logs.grantWrite(role);
    const reserved = settings.reservedConcurrency[entry];
    super(scope, entry, {
      timeout: Duration.seconds(10),
      // Measured in decision 0016.
      memorySize: 1024,
      ...options,
      code: codeOf(entry),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: architecture(settings),
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      tracing: settings.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      loggingFormat: LoggingFormat.JSON,
      logGroup: logs,
      role,
      // Without it, CloudFormation would delete the previous version after an update, and a rollback would be impossible.
      // A version of a failed deployment is deleted: Lambda publishes the same code once, so a second attempt would fail.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      environment: {
        ...environment,
        ...(settings.stage !== null && { METRICS_NAMESPACE: settings.name }),
        ...(settings.metrics === 'full' && { METRICS: 'full' }),
        // SAM passes only the variables that the template declares.
        ...(settings.sam && { DYNAMODB_ENDPOINT: 'http://dynamodb:8000' }),
      },
    });
    this.#settings = settings;
    // One readable name in the console, in `sam local invoke` and in an env-vars file.
    fixLogicalId(this, pascalCase(entry));
    this.#grant(access, tables);
    if (settings.tracing)
      for (const id of ['AwsSolutions-IAM5[Resource::*]', 'Serverless-LambdaStarPermissions'])
        Validations.of(role).acknowledge({ id, reason: 'X-Ray has no resource that a policy could name.' });
    else Validations.of(this).acknowledge({ id: 'Serverless-LambdaTracing', reason: tracingIsOff });
  }

  #grant({ actions: byTable, indexes = [], partitions = {}, readOnly }: TableAccess, tables: Tables): void {
    for (const [table, actions] of Object.entries(byTable) as [TableName, readonly Action[]][]) {
      this.addEnvironment(`TABLE_${table.toUpperCase()}`, this.#settings.sam ? table : tables.nameOf(table));
      const onAccounts = (action: Action) => table === 'accounts' && action === 'UpdateItem';
      const others = actions.filter((action) => !onAccounts(action));
      this.#allow(others, tables.arnOf(table), partitions[table]);
      this.#allow(actions.filter(onAccounts), tables.arnOf(table), updatablePartitions);
    }
    if (readOnly) this.#allow(['BatchGetItem'], tables.arnOf('transactions'), readOnly);
    for (const index of indexes)
      this.#allow(['Query'], tables.indexArnOf(index), index === 'drafts' ? [draftPartitions] : undefined);
    if (tables.key && Object.keys(byTable).length > 0) this.addToRolePolicy(useOf(tables.key));
  }

  /**
   * Publish the deployed code as a version with the alias `live`, which API Gateway and the schedules call. SAM does not
   * support aliases and gets the function.
   */
  publish({ deployment, ...events }: Published = {}): IFunction {
    if (this.#settings.sam) {
      if (Object.keys(events).length > 0) this.configureAsyncInvoke(events);
      return this;
    }
    // CDK's classes do not match its interfaces under exactOptionalPropertyTypes.
    const version = this.currentVersion as IVersion;
    const alias = new Alias(this, 'live', { aliasName: 'live', version, ...events });
    fixLogicalId(alias, `${pascalCase(this.node.id)}Live`);
    deployment?.add(alias, this);
    return alias as IFunction;
  }

  #allow(actions: readonly Action[], resource: string, partitions?: readonly string[]): void {
    if (actions.length === 0) return;
    this.addToRolePolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [resource],
        ...(partitions && {
          conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...partitions] } },
        }),
      }),
    );
  }
}
