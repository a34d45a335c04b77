import { type CfnElement, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
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
import type { Entry } from './bundling.ts';
import { useOf } from './data-key.ts';
import { functionCode } from './function-code.ts';
import type { GradualDeployment } from './gradual-deployment.ts';
import { logGroup } from './log-group.ts';
import { pascalCase } from './pascal-case.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

type Props = Pick<FunctionOptions, 'timeout' | 'environment'> & {
  readonly access: TableAccess;
  readonly tables: Tables;
  readonly settings: Settings;
};

/** Where events go that the function failed to process, and what moves requests to a new version. */
type Published = EventInvokeConfigOptions & { readonly deployment?: GradualDeployment | null };

// SAM runs the architecture of the template, and an arm64 image on another host needs emulation.
const architecture = ({ sam }: Settings) => (sam && process.arch === 'x64' ? Architecture.X86_64 : Architecture.ARM_64);

/** One Lambda function with the defaults of all functions, a role of its own, and exactly the access of its definition. */
export class EndpointFunction extends LambdaFunction {
  readonly #settings: Settings;

  constructor(scope: Construct, entry: Entry, { access, tables, settings, environment, ...options }: Props) {
    const logs = logGroup(scope, `${entry}-logs`, settings);
    // The default managed policy may write to every log group of the account.
    const role = new Role(scope, `${entry}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logs.grantWrite(role);
    const reserved = settings.reservedConcurrency[entry];
    super(scope, entry, {
      timeout: Duration.seconds(10),
      ...options,
      code: functionCode(entry),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: architecture(settings),
      // The table of decision 0016.
      memorySize: 1024,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.JSON,
      logGroup: logs,
      role,
      // Otherwise CloudFormation deletes the previous version once the new one is in use, and a rollback has no target. A
      // version of a failed deployment is deleted: Lambda publishes the same code once, and a retry would fail.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      environment: {
        ...environment,
        ...(settings.stage !== null && { METRICS_NAMESPACE: settings.name }),
        // SAM passes only variables that the template declares.
        ...(settings.sam && { DYNAMODB_ENDPOINT: 'http://dynamodb:8000' }),
      },
    });
    this.#settings = settings;
    // One readable name in the console, in `sam local invoke` and in an env-vars file.
    (this.node.defaultChild as CfnElement).overrideLogicalId(pascalCase(entry));
    this.#grant(access, tables);
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray has no resource that a policy could name.',
    });
  }

  #grant({ actions: byTable, indexes = [], partitions = {} }: TableAccess, tables: Tables): void {
    for (const [table, actions] of Object.entries(byTable) as [TableName, readonly Action[]][]) {
      this.addEnvironment(`TABLE_${table.toUpperCase()}`, this.#settings.sam ? table : tables.nameOf(table));
      const onAccounts = (action: Action) => table === 'accounts' && action === 'UpdateItem';
      const others = actions.filter((action) => !onAccounts(action));
      this.#allow(others, tables.arnOf(table), partitions[table]);
      this.#allow(actions.filter(onAccounts), tables.arnOf(table), updatablePartitions);
    }
    for (const index of indexes)
      this.#allow(
        ['Query'],
        tables.indexArnOf('transactions', index),
        index === 'drafts' ? [draftPartitions] : undefined,
      );
    if (tables.key && Object.keys(byTable).length > 0) this.addToRolePolicy(useOf(tables.key));
  }

  /**
   * Publish a version and return its alias `live`, which API Gateway and the schedules call. SAM supports no aliases, and
   * gets the function itself.
   */
  publish({ deployment, ...events }: Published = {}): IFunction {
    if (this.#settings.sam) {
      if (Object.keys(events).length > 0) this.configureAsyncInvoke(events);
      return this;
    }
    // The assertions are for exactOptionalPropertyTypes, under which CDK's classes do not fit its interfaces.
    const version = this.currentVersion as IVersion;
    const alias = new Alias(this, 'live', { aliasName: 'live', version, ...events });
    (alias.node.defaultChild as CfnElement).overrideLogicalId(`${pascalCase(this.node.id)}Live`);
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
