import type { Emulator } from './emulator.ts';
import { eventually, same } from './run.ts';
import type { Cdk, Stack } from './stack.ts';

/** How to list the resources of a service: the operation, the field of the list, and the field of the name. */
const lists: [service: string, operation: string, field: string, name: string | null, isPaged: boolean][] = [
  ['dynamodb', 'list_tables', 'TableNames', null, true],
  ['lambda', 'list_functions', 'Functions', 'FunctionName', true],
  ['apigateway', 'get_rest_apis', 'items', 'name', true],
  ['scheduler', 'list_schedules', 'Schedules', 'Name', true],
  ['events', 'list_event_buses', 'EventBuses', 'Name', false],
  ['pipes', 'list_pipes', 'Pipes', 'Name', true],
  ['sqs', 'list_queues', 'QueueUrls', null, true],
  ['sns', 'list_topics', 'Topics', 'TopicArn', true],
  ['cloudwatch', 'describe_alarms', 'MetricAlarms', 'AlarmName', true],
  ['cloudwatch', 'list_dashboards', 'DashboardEntries', 'DashboardName', true],
  ['logs', 'describe_log_groups', 'logGroups', 'logGroupName', true],
  ['iam', 'list_roles', 'Roles', 'RoleName', true],
  ['iam', 'list_policies', 'Policies', 'PolicyName', true],
  ['backup', 'list_backup_vaults', 'BackupVaultList', 'BackupVaultName', true],
  ['backup', 'list_backup_plans', 'BackupPlansList', 'BackupPlanName', true],
];

/** Lists the resources of the account outside of the CDK bootstrap, as `service: name`. */
export const inventory = async ({ aws, list }: Emulator): Promise<string[]> => {
  const found: string[] = [];
  for (const [service, operation, field, name, isPaged] of lists) {
    const answer = await (isPaged ? list : aws)(service, operation);
    for (const one of answer[field] ?? []) found.push(`${service}: ${name === null ? one : one[name]}`);
  }
  return found.filter((one) => !/cdk-hnb659fds|: default$/.test(one)).sort();
};

/** Lists the resources that the account did not have before the first deployment. */
export const left = async (emulator: Emulator, before: readonly string[]): Promise<string[]> =>
  (await inventory(emulator)).filter((one) => !before.includes(one));

/** Follows `docs/teardown.md` for a deployment that retains its data. */
export const deleteStacks = async ({ aws, errorOf }: Emulator, { names }: Stack): Promise<void> => {
  for (const StackName of names) {
    // Deletion protection must reject the deletion first.
    const code = await errorOf('cloudformation', 'delete_stack', { StackName });
    same(`the deletion of the protected ${StackName}`, code, 'ValidationError');
    const EnableTerminationProtection = false;
    await aws('cloudformation', 'update_termination_protection', { StackName, EnableTerminationProtection });
    await aws('cloudformation', 'delete_stack', { StackName });
    await eventually(`${StackName} is deleted`, 300, async () => {
      const { StackSummaries } = await aws('cloudformation', 'list_stacks', { StackStatusFilter: ['DELETE_COMPLETE'] });
      return StackSummaries.some((one: { StackName: string }) => one.StackName === StackName) ? true : null;
    });
  }
};

/** The three tables, the vault and the API Gateway logging role remain. */
export const keptResources = (cdk: Cdk, stack: Stack, found: readonly string[]): string => {
  const tables = ['AccountsTable', 'ContentTable', 'TransactionsTable'].map((id) => `dynamodb: ${stack.outputs[id]}`);
  const expected = [...tables, `backup: ${stack.idOf('BackupVault')}`, `iam: ${stack.idOf(cdk.logRole(stack))}`];
  same('what stays', found, expected.sort());
  return found.join(', ');
};

/** Deletes the retained resources with the commands of the page. */
export const deleteKept = async ({ aws, errorOf }: Emulator, stack: Stack): Promise<void> => {
  for (const output of ['TransactionsTable', 'ContentTable', 'AccountsTable']) {
    const TableName = stack.outputs[output];
    same(
      `the deletion of ${output}, protected`,
      await errorOf('dynamodb', 'delete_table', { TableName }),
      'ValidationException',
    );
    await aws('dynamodb', 'update_table', { TableName, DeletionProtectionEnabled: false });
    await aws('dynamodb', 'delete_table', { TableName });
  }
  await aws('backup', 'delete_backup_vault', { BackupVaultName: stack.idOf('BackupVault') });
};
