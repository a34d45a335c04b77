import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { FUTURE_FLAGS, futureFlagDefault } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { Construct } from 'constructs';
import { CommandError } from '../shared/base/command-error.ts';
import { operatorAccess } from '../shared/store/table-access.ts';
import type { IndexName, TableName } from '../shared/store/table-definitions.ts';
import { acknowledge, allowing, fixLogicalId, LevyStack, logGroup } from './constructs.ts';
import { DataStack } from './data-stack.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { ReminderMail } from './notifications.ts';
import { Schedules } from './schedules.ts';
import { readSettings, type Settings } from './settings.ts';
import { addEventPipe, addReportCounter } from './stream-consumers.ts';
import { TaxApi } from './tax-api.ts';

/**
 * Permissions of an operator, as a policy to attach to a role or group: this repository's commands on the deployed
 * tables, the scheduled functions (`invoked`), and the other steps of infra/runbook.md and infra/docs/operations.md:
 * reading logs, the dashboard, alarms, schedules, backup jobs and dead-letter queues, purging these queues, publishing
 * missed events, and starting a stopped `pipe`. Excludes deployments, rollbacks and restores.
 *
 * A customer-managed key can be used only through DynamoDB.
 */
const addOperatorPolicy = (stack: LevyStack, data: DataStack, invoked: readonly IFunction[], pipe: CfnPipe | null) => {
  const description = `Operation of ${stack.stackName}`;
  const policy = fixLogicalId(new ManagedPolicy(stack, 'OperatorPolicy', { description }), 'OperatorPolicy');
  stack.output('OperatorPolicyArn', policy.managedPolicyArn, 'A managed policy to attach to the role of operators');
  const allow = (...allowed: Parameters<typeof allowing>) => policy.addStatements(allowing(...allowed));
  const { tables, events } = data;
  for (const [table, actions] of Object.entries(operatorAccess.actions))
    allow('dynamodb', actions, [tables.getArn(table as TableName)]);
  const indexes = operatorAccess.indexes.map((index: IndexName) => tables.getIndexArn(index));
  allow('dynamodb', ['Query'], indexes);
  policy.addStatements(...tables.useOfKey());
  allow('cloudformation', ['DescribeStacks', 'DescribeStackResource'], [stack.stackId, data.stackId]);
  const functions = invoked.map(({ functionArn }) => functionArn);
  allow('lambda', ['InvokeFunction'], functions);
  const queues = [data.failedRuns, data.uncounted, ...(events ? [events.deadLetterQueue] : [])];
  const queueArns = queues.map(({ queueArn }) => queueArn);
  allow('sqs', ['GetQueueUrl', 'GetQueueAttributes', 'ReceiveMessage', 'PurgeQueue'], queueArns);
  if (events) allow('events', ['PutEvents'], [events.bus.eventBusArn]);
  if (pipe) allow('pipes', ['StartPipe'], [pipe.attrArn]);
  const logs = stack.node.findAll().flatMap((one) => (one instanceof LogGroup ? one.logGroupArn : []));
  allow('logs', ['StartQuery', 'FilterLogEvents', 'GetLogEvents'], logs);
  // The console of Logs Insights lists the log groups.
  allow('logs', ['DescribeLogGroups', 'GetQueryResults', 'StopQuery'], ['*']);
  allow('cloudwatch', ['DescribeAlarms', 'DescribeAlarmHistory', 'GetMetricData', 'ListMetrics'], ['*']);
  allow('cloudwatch', ['GetDashboard', 'ListDashboards'], ['*']);
  allow('backup', ['ListBackupJobs', 'ListBackupVaults', 'ListCopyJobs'], ['*']);
  allow('lambda', ['GetAccountSettings', 'ListEventSourceMappings'], ['*']);
  allow('scheduler', ['ListSchedules'], ['*']);
  allow('pipes', ['ListPipes'], ['*']);
  const reason =
    'Queries, metrics and lists do not support resource-level permissions, and listing alarms covers all of them.';
  acknowledge(policy, reason, ['AwsSolutions-IAM5[Resource::*]']);
};

/** The stateless part: API, functions, schedules, alarms and dashboard. All of it can be recreated. */
class ServiceStack extends LevyStack {
  constructor(scope: Construct, id: string, settings: Settings, data: DataStack) {
    super(scope, id, settings, 'API, functions, schedules and alarms');
    const deployment = { settings, data, logs: logGroup(this, 'FunctionLogs', settings) };
    const api = new TaxApi(this, 'TaxApi', deployment);
    const { invoked } = new Schedules(this, 'Schedules', deployment);
    // SAM runs no event sources and ignores alarms and policies.
    if (!settings.sam) {
      const pipe = addEventPipe(this, deployment);
      const counter = addReportCounter(this, deployment);
      new Monitoring(this, 'Monitoring', { settings, data, pipe, counter });
      new ReminderMail(this, 'ReminderMail', settings, data);
      addOperatorPolicy(this, data, invoked, pipe);
    }
    this.output('Url', api.url, "The API's base address");
    if (settings.console) this.output('Console', `${api.url}/console`, 'The page for finance and support');
    this.output('Settings', settings.given, 'The settings of this deployment');
  }
}

// Default values of the CDK's feature flags. After a synthesis, the CDK prints the number of unconfigured flags.
const flagDefaults = {
  ...Object.fromEntries(Object.keys(FUTURE_FLAGS).map((name) => [name, futureFlagDefault(name)])),
  // The service stack reads the data stack's outputs at deployment. Exports would block updates of both stacks
  // (infra/docs/deployment.md).
  '@aws-cdk/core:defaultCrossStackReferences': 'weak',
  '@aws-cdk/core:target-partitions': ['aws', 'aws-cn', 'aws-us-gov', 'aws-eusc'],
};

/** Builds the CDK app. An unacknowledged cdk-nag finding fails the synthesis. */
export const levyApp = ({ context, ...props }: AppProps = {}): App => {
  const app = new App({ ...props, context: { ...flagDefaults, ...context } });
  const settings = readSettings(app);
  new ServiceStack(app, 'Levy', settings, new DataStack(app, 'LevyData', settings));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return app;
};

/** The CDK prints a line per bundled function, which hides warnings. */
export const hideBundlingLines = (): void => {
  const { stderr } = process;
  const write = stderr.write.bind(stderr);
  stderr.write = (chunk: string | Uint8Array, ...rest: never[]) =>
    String(chunk).startsWith('Bundling asset ') || write(chunk, ...rest);
};

// The CDK CLI runs this file; App writes its assembly when the process exits.
if (import.meta.main)
  try {
    hideBundlingLines();
    levyApp();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
