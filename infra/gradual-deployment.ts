import { Duration, Validations } from 'aws-cdk-lib';
import { Alarm, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { pascalCase } from './logical-id.ts';

type Props = {
  readonly config: ILambdaDeploymentConfig;
  /** The API's name and its stage's, as its metrics have them. */
  readonly api: { readonly ApiName: string; readonly Stage: string };
};

/** How traffic shifts to a new version. `at once` needs no CodeDeploy. */
export const gradually = {
  canary: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  linear: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE,
  'all-at-once': null,
} as const;

// These alarms send no mail: they end a deployment, and the failed deployment is visible.
const alarmProps = { evaluationPeriods: 1, treatMissingData: TreatMissingData.NOT_BREACHING };
const inAMinute = { period: Duration.minutes(1), statistic: Stats.SUM };

/**
 * Moves an API's requests to new versions of its functions, a part of them first, and back as soon as something fails.
 *
 * Two alarms watch. One is of each function's alias: it did not answer (a crash, the time limit, the memory). The other
 * is the API's: answers with 5xx, which is how a function that is broken still answers. On either, CodeDeploy goes back,
 * the update of the stack fails with it, and CloudFormation takes all the other functions back, too.
 */
export class GradualDeployment extends Construct {
  readonly #config: ILambdaDeploymentConfig;
  readonly #application: LambdaApplication;
  readonly #role: Role;
  readonly #failures: Alarm;

  constructor(scope: Construct, id: string, { config, api }: Props) {
    super(scope, id);
    this.#config = config;
    this.#application = new LambdaApplication(this, 'Application');
    this.#role = this.#deployer();
    this.#failures = new Alarm(this, 'Failures', {
      ...alarmProps,
      alarmDescription: 'Takes a deployment back: the API answers with 5xx.',
      metric: new Metric({ ...inAMinute, namespace: 'AWS/ApiGateway', metricName: '5XXError', dimensionsMap: api }),
      // A database that falters for a second is no reason to go back.
      threshold: 5,
    });
  }

  /** Shift the alias's traffic as the deployment configuration defines. */
  add(alias: Alias, handler: LambdaFunction): void {
    const id = pascalCase(handler.node.id);
    const errors = new Alarm(this, `${id}Errors`, {
      ...alarmProps,
      alarmDescription: `Takes a deployment back: ${id} does not answer.`,
      metric: alias.metricErrors(inAMinute),
      threshold: 1,
    });
    new LambdaDeploymentGroup(this, `${id}Group`, {
      application: this.#application,
      alias,
      deploymentConfig: this.#config,
      alarms: [errors, this.#failures],
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      // Or it would get AWS's own policy, which lets it move the alias of every function of the account.
      role: this.#role.withoutPolicyUpdates(),
    });
    this.#mayMove(id, handler);
  }

  #deployer(): Role {
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
    role.addToPolicy(new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }));
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'CodeDeploy asks for the state of alarms all together, and reads nothing else with it.',
    });
    return role;
  }

  #mayMove(id: string, { functionArn }: LambdaFunction): void {
    this.#role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
        resources: [functionArn, `${functionArn}:*`],
      }),
    );
    Validations.of(this.#role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${id}.Arn>:*]`,
      reason: 'A version has a number that Lambda gives it when it is published.',
    });
  }
}
