import { Validations } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { operatorAccess } from '../shared/store/table-access.ts';
import type { IndexName, TableName } from '../shared/store/table-definitions.ts';
import type { LevyStack } from './constructs.ts';
import { fixLogicalId } from './constructs.ts';
import type { DataStack } from './data-stack.ts';

/**
 * Permissions of an operator, as a policy to attach to a role or group: this repository's commands on the deployed
 * tables, the scheduled functions (`invoked`), and reading logs, alarms and dead-letter queues. Excludes deployments,
 * rollbacks and restores.
 *
 * A customer-managed key can be used only through DynamoDB.
 */
export const addOperatorPolicy = (stack: LevyStack, data: DataStack, invoked: readonly IFunction[]): void => {
  const policy = new ManagedPolicy(stack, 'OperatorPolicy', { description: `Operation of ${stack.stackName}` });
  fixLogicalId(policy, 'OperatorPolicy');
  stack.output('OperatorPolicyArn', policy.managedPolicyArn, 'A managed policy to attach to the role of operators');
  const allow = (service: string, actions: readonly string[], resources: readonly string[]) =>
    policy.addStatements(
      new PolicyStatement({ actions: actions.map((action) => `${service}:${action}`), resources: [...resources] }),
    );
  const { tables, events } = data;
  for (const [table, actions] of Object.entries(operatorAccess.actions))
    allow('dynamodb', actions, [tables.getArn(table as TableName)]);
  const indexes: readonly IndexName[] = operatorAccess.indexes;
  allow(
    'dynamodb',
    ['Query'],
    indexes.map((index) => tables.getIndexArn(index)),
  );
  policy.addStatements(...tables.useOfKey());
  allow('cloudformation', ['DescribeStacks', 'DescribeStackResource'], [stack.stackId, data.stackId]);
  allow(
    'lambda',
    ['InvokeFunction'],
    invoked.map(({ functionArn }) => functionArn),
  );
  const queues = [data.failedRuns, data.uncounted, ...(events ? [events.deadLetterQueue] : [])];
  allow(
    'sqs',
    ['GetQueueUrl', 'GetQueueAttributes', 'ReceiveMessage'],
    queues.map(({ queueArn }) => queueArn),
  );
  const logs = stack.node.findAll().filter((construct) => construct instanceof LogGroup);
  allow(
    'logs',
    ['StartQuery', 'FilterLogEvents', 'GetLogEvents'],
    logs.map(({ logGroupArn }) => logGroupArn),
  );
  allow('logs', ['GetQueryResults', 'StopQuery'], ['*']);
  allow('cloudwatch', ['DescribeAlarms', 'DescribeAlarmHistory', 'GetMetricData', 'ListMetrics'], ['*']);
  Validations.of(policy).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'Queries and metrics do not support resource-level permissions, and listing alarms covers all of them.',
  });
};
