import { Aws, CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { operatorAccess } from '../shared/store/table-access.ts';
import type { IndexName, TableName } from '../shared/store/table-definitions.ts';
import { useOf } from './data-key.ts';
import { fixLogicalId } from './logical-id.ts';
import type { Tables } from './tables.ts';

type Props = {
  readonly tables: Tables;
  /** The functions that an operator may invoke: the schedules and the content update. */
  readonly scheduled: readonly IFunction[];
  /** The dead-letter queues. */
  readonly queues: readonly IQueue[];
};

/** A managed policy for operators, with its ARN as an output. */
const managedPolicy = (scope: Construct, id: string, operated: string): ManagedPolicy => {
  const policy = new ManagedPolicy(scope, id, {
    description: `Operation of ${Stack.of(scope).stackName}: ${operated}`,
  });
  fixLogicalId(policy, id);
  const description = `A managed policy for operators, to attach to their role: ${operated}`;
  fixLogicalId(new CfnOutput(scope, `${id}Arn`, { value: policy.managedPolicyArn, description }), `${id}Arn`);
  return policy;
};

/**
 * The permissions of an operator, as two policies to attach to a role or group: the commands of this repository on the
 * deployed tables, the scheduled functions, and reading logs, alarms and dead-letter queues. Not deployments, rollbacks
 * and restores.
 *
 * A customer-managed key can be used through DynamoDB only.
 */
export const operatorPolicy = (scope: Construct, { tables, scheduled, queues }: Props): void => {
  const policy = managedPolicy(scope, 'OperatorPolicy', 'accounts, content and ledgers');
  // A separate policy, because one with the names of all log groups would exceed 6,144 characters.
  const logPolicy = managedPolicy(scope, 'OperatorLogsPolicy', 'logs, alarms and metrics');
  const allow = (service: string, actions: readonly string[], resources: readonly string[]) =>
    (['logs', 'cloudwatch'].includes(service) ? logPolicy : policy).addStatements(
      new PolicyStatement({ actions: actions.map((action) => `${service}:${action}`), resources: [...resources] }),
    );
  for (const [table, actions] of Object.entries(operatorAccess.actions))
    allow('dynamodb', actions, [tables.arnOf(table as TableName)]);
  const indexes: readonly IndexName[] = operatorAccess.indexes;
  allow(
    'dynamodb',
    ['Query'],
    indexes.map((index) => tables.indexArnOf(index)),
  );
  if (tables.key) policy.addStatements(useOf(tables.key));
  allow('cloudformation', ['DescribeStacks', 'DescribeStackResource'], [Aws.STACK_ID]);
  allow(
    'lambda',
    ['InvokeFunction'],
    scheduled.map(({ functionArn }) => functionArn),
  );
  allow(
    'sqs',
    ['GetQueueUrl', 'GetQueueAttributes', 'ReceiveMessage'],
    queues.map(({ queueArn }) => queueArn),
  );
  const logs = Stack.of(scope)
    .node.findAll()
    .filter((construct) => construct instanceof LogGroup);
  allow(
    'logs',
    ['StartQuery', 'FilterLogEvents', 'GetLogEvents'],
    logs.map(({ logGroupArn }) => logGroupArn),
  );
  allow('logs', ['GetQueryResults', 'StopQuery'], ['*']);
  allow('cloudwatch', ['DescribeAlarms', 'DescribeAlarmHistory', 'GetMetricData', 'ListMetrics'], ['*']);
  Validations.of(logPolicy).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'Queries and metrics have no resource that a policy could name, and the list of alarms has all of them.',
  });
};
