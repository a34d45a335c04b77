import { Duration } from 'aws-cdk-lib';
import { Alarm, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import type { Alias, CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge, pascalCase, ServiceRole } from './constructs.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import { apiDimensions, sumMetrics } from './monitoring/metrics.ts';
import type { Settings } from './settings.ts';

/** How traffic shifts to a new version. `all-at-once` needs no CodeDeploy. */
const configs = {
  canary: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  linear: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE,
  'all-at-once': null,
} as const;

// These alarms send no notification: they roll back a deployment, and its failure is visible.
const alarmProps = { evaluationPeriods: 1, treatMissingData: TreatMissingData.NOT_BREACHING };
const inAMinute = { period: Duration.minutes(1), statistic: Stats.SUM };

/**
 * Number of functions that shift at the same time. Each deployment calls Lambda's API, whose quota of 15 requests a
 * second applies to the whole account and cannot be raised (infra/docs/deployment.md).
 */
const atOnce = 5;

const findAlias = (handler: EndpointFunction): Alias => handler.node.findChild('live') as Alias;

/**
 * Shifts requests to new versions of the API's functions gradually, with rollback.
 *
 * Two alarms trigger the rollback: errors of one of the five aliases that shift together (crash, timeout, memory), and
 * 5xx responses of the API. A CodeDeploy rollback fails the stack update, so CloudFormation rolls back all other
 * functions. Five functions shift at the same time, so an error in shared code stops the first five before the others
 * change.
 */
export const addGradualDeployment = (
  scope: Construct,
  { name, rollout, sam }: Settings,
  functions: readonly EndpointFunction[],
): void => {
  const deploymentConfig = configs[rollout];
  if (deploymentConfig === null || sam) return;
  const parent = new Construct(scope, 'Deployments');
  const application = new LambdaApplication(parent, 'Application');
  const role = deploymentRole(parent, functions);
  const failures = new Alarm(parent, 'Failures', {
    ...alarmProps,
    alarmDescription: 'Rolls back a deployment: the API returns 5xx.',
    metric: new Metric({
      ...inAMinute,
      namespace: 'AWS/ApiGateway',
      metricName: '5XXError',
      dimensionsMap: apiDimensions(name),
    }),
    // A few database errors must not trigger a rollback.
    threshold: 5,
  });
  for (let first = 0; first < functions.length; first += atOnce) {
    const together = functions.slice(first, first + atOnce);
    const names = together.map(({ node }) => node.id).join(', ');
    const errors = new Alarm(parent, `Errors${first / atOnce}`, {
      ...alarmProps,
      alarmDescription: `Rolls back a deployment: a function fails (${names}).`,
      metric: sumMetrics(
        together.map((handler) => findAlias(handler).metricErrors(inAMinute)),
        'errors',
        inAMinute.period,
      ),
      threshold: 1,
    });
    for (const [index, handler] of together.entries()) {
      const alias = findAlias(handler);
      new LambdaDeploymentGroup(parent, `${pascalCase(handler.node.id)}Group`, {
        application,
        alias,
        deploymentConfig,
        alarms: [errors, failures],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
        // Otherwise the CDK attaches AWS's managed policy, which covers the aliases of all functions in the account.
        role: role.withoutPolicyUpdates(),
      });
      // CloudFormation updates an alias after CodeDeploy has finished with the alias that it depends on.
      const before = functions[first + index - atOnce];
      if (before)
        (alias.node.defaultChild as CfnAlias).addResourceDependency(findAlias(before).node.defaultChild as CfnAlias);
    }
  }
};

const deploymentRole = (scope: Construct, functions: readonly EndpointFunction[]): ServiceRole => {
  const role = new ServiceRole(scope, 'Role', 'codedeploy');
  role.allow('cloudwatch', ['DescribeAlarms'], ['*']);
  const reason = 'DescribeAlarms does not support resource-level permissions that CodeDeploy could use.';
  acknowledge(role, reason, ['AwsSolutions-IAM5[Resource::*]']);
  // One statement for all functions: an inline policy is limited to 10,240 characters.
  const arns = functions.flatMap(({ functionArn }) => [functionArn, `${functionArn}:*`]);
  role.allow('lambda', ['GetAlias', 'GetProvisionedConcurrencyConfig', 'UpdateAlias'], arns);
  const versions = functions.map(({ node }) => `AwsSolutions-IAM5[Resource::<${pascalCase(node.id)}.Arn>:*]`);
  acknowledge(role, 'Lambda numbers versions when they are published.', versions);
  return role;
};
