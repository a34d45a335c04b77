import { type CfnElement, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type FunctionOptions,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type Action, type Grants, type Queried, updatablePartitions } from '../shared/http/grants.ts';
import type { TableName } from '../shared/store/table-definitions.ts';
import type { Entry } from './bundling.ts';
import { functionCode } from './function-code.ts';
import { pascalCase } from './pascal-case.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

type Props = Pick<FunctionOptions, 'timeout' | 'environment' | 'onFailure' | 'retryAttempts' | 'maxEventAge'> & {
  /** The DynamoDB actions that the function performs, by table, and no others. */
  readonly grants: Grants;
  /** The indexes of the ledger that it queries. */
  readonly indexes?: Queried;
  readonly tables: Tables;
  readonly settings: Settings;
};

// SAM runs the architecture that the template names, and an arm64 image on another host needs an emulator.
const architecture = ({ sam }: Settings) => (sam && process.arch === 'x64' ? Architecture.X86_64 : Architecture.ARM_64);

const logGroup = (scope: Construct, entry: Entry) =>
  new LogGroup(scope, `${entry}-logs`, {
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.DESTROY,
  });

/** One Lambda function with the house's defaults, a role of its own, and exactly the grants of the route table. */
export class EndpointFunction extends LambdaFunction {
  constructor(
    scope: Construct,
    entry: Entry,
    { grants, indexes = [], tables, settings, environment, ...options }: Props,
  ) {
    const logs = logGroup(scope, entry);
    // The managed policy that a function gets by default may write to every log group of the account.
    const role = new Role(scope, `${entry}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logs.grantWrite(role);
    super(scope, entry, {
      timeout: Duration.seconds(10),
      ...options,
      code: functionCode(entry),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: architecture(settings),
      memorySize: 1024,
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.JSON,
      logGroup: logs,
      role,
      environment: {
        ...environment,
        // SAM passes on only the variables that the template declares.
        ...(settings.sam && { DYNAMODB_ENDPOINT: 'http://dynamodb:8000' }),
      },
    });
    // The same readable name in the console, in `sam local invoke` and in an env-vars file.
    (this.node.defaultChild as CfnElement).overrideLogicalId(pascalCase(entry));
    for (const [table, actions] of Object.entries(grants) as [TableName, readonly Action[]][]) {
      this.addEnvironment(`TABLE_${table.toUpperCase()}`, settings.sam ? table : tables.nameOf(table));
      const onAccounts = (action: Action) => table === 'accounts' && action === 'UpdateItem';
      this.#allow(
        actions.filter((action) => !onAccounts(action)),
        [tables.arnOf(table)],
      );
      this.#allow(actions.filter(onAccounts), [tables.arnOf(table)], {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': updatablePartitions },
      });
    }
    this.#allow(
      ['Query'],
      indexes.map((index) => tables.indexArnOf('transactions', index)),
    );
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray has no resource that a policy could name.',
    });
  }

  #allow(actions: readonly Action[], resources: string[], conditions: Record<string, unknown> = {}): void {
    if (resources.length === 0 || actions.length === 0) return;
    this.addToRolePolicy(
      new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources, conditions }),
    );
  }
}
