import { Duration, Validations } from 'aws-cdk-lib';
import { Alarm, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias, CfnAlias, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { pascalCase } from './logical-id.ts';

type Props = {
  readonly config: ILambdaDeploymentConfig;
  /** The dimensions of the API's metrics. */
  readonly api: { readonly ApiName: string; readonly Stage: string };
};

/** How traffic shifts to a new version. `all-at-once` needs no CodeDeploy. */
export const gradually = {
  canary: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  linear: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE,
  'all-at-once': null,
} as const;

// These alarms send no notification: they roll back a deployment, whose failure is visible.
const alarmProps = { evaluationPeriods: 1, treatMissingData: TreatMissingData.NOT_BREACHING };
const inAMinute = { period: Duration.minutes(1), statistic: Stats.SUM };

/**
 * How many functions shift at the same time. Each deployment calls Lambda's API, whose quota of 15 requests a second is
 * for the whole account and cannot be raised (infra/docs/deployment.md).
 */
const atOnce = 5;

/**
 * Shifts requests to new versions of the API's functions gradually, with rollback.
 *
 * Two alarms trigger the rollback: errors of a function's alias (crash, timeout, memory), and 5xx responses of the API. A
 * rollback by CodeDeploy fails the stack update, so CloudFormation rolls back all other functions. Five functions
 * shift at the same time: an error in shared code stops the first five, before the others change.
 */
export class GradualDeployment extends Construct {
  readonly #config: ILambdaDeploymentConfig;
  readonly #application: LambdaApplication;
  readonly #role: Role;
  readonly #failures: Alarm;
  readonly #aliases: CfnAlias[] = [];
  /** One statement for all functions: an inline policy has at most 10,240 characters. */
  readonly #shift = new PolicyStatement({
    actions: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
  });

  constructor(scope: Construct, id: string, { config, api }: Props) {
    super(scope, id);
    this.#config = config;
    this.#application = new LambdaApplication(this, 'Application');
    this.#role = this.#deployer();
    this.#failures = new Alarm(this, 'Failures', {
      ...alarmProps,
      alarmDescription: 'Rolls back a deployment: the API answers with 5xx.',
      metric: new Metric({ ...inAMinute, namespace: 'AWS/ApiGateway', metricName: '5XXError', dimensionsMap: api }),
      // A few errors of the database are no reason for a rollback.
      threshold: 5,
    });
  }

  /** Shift the alias's traffic as the deployment configuration defines. */
  add(alias: Alias, handler: LambdaFunction): void {
    const id = pascalCase(handler.node.id);
    const errors = new Alarm(this, `${id}Errors`, {
      ...alarmProps,
      alarmDescription: `Rolls back a deployment: ${id} fails.`,
      metric: alias.metricErrors(inAMinute),
      threshold: 1,
    });
    new LambdaDeploymentGroup(this, `${id}Group`, {
      application: this.#application,
      alias,
      deploymentConfig: this.#config,
      alarms: [errors, this.#failures],
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      // Without it, CDK attaches AWS's managed policy, which covers the aliases of all functions in the account.
      role: this.#role.withoutPolicyUpdates(),
    });
    this.#allowShift(id, handler);
    this.#startAfterOthers(alias.node.defaultChild as CfnAlias);
  }

  /** CloudFormation updates an alias when CodeDeploy has finished with those that it depends on. */
  #startAfterOthers(alias: CfnAlias): void {
    const before = this.#aliases[this.#aliases.length - atOnce];
    if (before) alias.addResourceDependency(before);
    this.#aliases.push(alias);
  }

  #deployer(): Role {
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
    role.addToPolicy(new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }));
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'DescribeAlarms has no resource-level permissions that CodeDeploy could use.',
    });
    return role;
  }

  #allowShift(id: string, { functionArn }: LambdaFunction): void {
    if (this.#shift.resources.length === 0) this.#role.addToPolicy(this.#shift);
    this.#shift.addResources(functionArn, `${functionArn}:*`);
    Validations.of(this.#role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${id}.Arn>:*]`,
      reason: 'Lambda numbers versions when they are published.',
    });
  }
}
