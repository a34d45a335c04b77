import { join } from 'node:path';
import { type Commands, root } from './commands.ts';
import { account, type Emulator } from './emulator.ts';
import { eventually, holds, same } from './run.ts';

type Setting = Readonly<Record<string, string>>;
/** A deployment, with the outputs and resources of both stacks. */
export type Stack = {
  /** The name of the service stack. */
  readonly name: string;
  /** The names of both stacks, in deletion order. */
  readonly names: readonly [service: string, data: string];
  readonly words: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** Returns the physical id of a resource by its logical id. */
  readonly getId: (logicalId: string) => string;
  readonly resources: readonly Resource[];
  /** The URL of the API at the emulator. */
  readonly url: string;
};
type Resource = {
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId: string;
  readonly ResourceType: string;
  readonly ResourceStatus: string;
};

const given = (settings: Setting) => Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

const getSuffix = ({ stage }: Setting): string => (stage === undefined ? '' : `-${stage}`);

/** Runs the CDK CLI against the emulator. `from` is the checkout that it deploys. */
export const newCdk = (run: Commands, emulator: Emulator, work: string) => {
  const cdk = (args: readonly string[], from = root) =>
    run(join(from, 'node_modules/.bin/cdk'), [...args, '--no-notices'], { env: emulator.env, cwd: from });
  const assembly = (suffix: string): string => join(work, `cdk.out${suffix}`);

  const describe = async (suffix: string): Promise<Stack> => {
    const names = [`Levy${suffix}`, `LevyData${suffix}`] as const;
    const outputs: Record<string, string> = {};
    const resources: Resource[] = [];
    for (const StackName of names) {
      const { Stacks } = await emulator.aws('cloudformation', 'describe_stacks', { StackName });
      for (const { OutputKey, OutputValue } of Stacks[0].Outputs) outputs[OutputKey] = OutputValue;
      const { StackResources } = await emulator.aws('cloudformation', 'describe_stack_resources', { StackName });
      resources.push(...StackResources);
    }
    const ids = new Map(resources.map((one) => [one.LogicalResourceId, one.PhysicalResourceId]));
    const getId = (logicalId: string): string => {
      const id = ids.get(logicalId);
      holds(id !== undefined, `${names} have no ${logicalId}`);
      return id as string;
    };
    const words = `${resources.length} resources`;
    return { name: names[0], names, words, outputs, getId, resources, url: emulator.getAddress(outputs['Url'] ?? '') };
  };

  return {
    // Runs outside of the repository, where the CDK would synthesize the app first.
    bootstrap: () =>
      run(join(root, 'node_modules/.bin/cdk'), ['bootstrap', `aws://${account}/${emulator.region}`, '--no-notices'], {
        env: emulator.env,
        cwd: work,
      }),
    deploy: async (settings: Setting, from = root): Promise<Stack> => {
      const suffix = getSuffix(settings);
      const options = ['--all', '--require-approval', 'never', '--progress', 'events', '-o', assembly(suffix)];
      await cdk(['deploy', ...options, ...given(settings)], from);
      return describe(suffix);
    },
    /** Redeploys the assembly of the previous deployment. */
    deployAgain: ({ name }: Stack) =>
      cdk(['deploy', '--all', '--app', assembly(name.slice(4)), '--require-approval', 'never']),
    /** Throws if `cdk diff` reports a difference. */
    diff: ({ name }: Stack) => cdk(['diff', '--app', assembly(name.slice(4)), '--fail']),
    destroy: (settings: Setting) =>
      cdk(['destroy', '--all', '--force', '-o', assembly(getSuffix(settings)), ...given(settings)]),
    /** Checks that a deployment has the same resources as before. */
    unchanged: async ({ name, resources }: Stack): Promise<boolean> => {
      const ids = (all: readonly Resource[]) => JSON.stringify(all.map((one) => one.PhysicalResourceId).sort());
      return ids((await describe(name.slice(4))).resources) === ids(resources);
    },
    /** The logical id of the API Gateway logging role, which the stack retains. */
    logRole: ({ resources }: Stack): string => {
      const role = resources.find(
        (one) => one.ResourceType === 'AWS::IAM::Role' && one.LogicalResourceId.includes('CloudWatchRole'),
      );
      holds(role !== undefined, 'there is no role for the logs of API Gateway');
      return role?.LogicalResourceId ?? '';
    },
  };
};

export type Cdk = ReturnType<typeof newCdk>;

/** Days of a month before the current one (UTC): the first, one in between, and the last. */
export const monthBefore = (months: number): { first: string; middle: string; last: string } => {
  const now = new Date();
  const at = (month: number, day: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, day)).toISOString().slice(0, 10);
  return { first: at(-months, 1), middle: at(-months, 15), last: at(1 - months, 0) };
};

/** A registration in Michigan with monthly returns, from this day on. */
export const registeredFrom = (from: string): string =>
  `registrations=${JSON.stringify([{ state: 'MI', from, to: null, frequency: 'month' }])}`;

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
    const response = await (isPaged ? list : aws)(service, operation);
    for (const one of response[field] ?? []) found.push(`${service}: ${name === null ? one : one[name]}`);
  }
  return found.filter((one) => !/cdk-hnb659fds|: default$/.test(one)).sort();
};

/** Lists the resources that the account did not have before the first deployment. */
export const left = async (emulator: Emulator, before: readonly string[]): Promise<string[]> =>
  (await inventory(emulator)).filter((one) => !before.includes(one));

/** Follows `infra/docs/teardown.md` for a deployment that retains its data. */
export const deleteStacks = async ({ aws, readError }: Emulator, { names }: Stack): Promise<void> => {
  for (const StackName of names) {
    // Deletion protection must reject the deletion first.
    const code = await readError('cloudformation', 'delete_stack', { StackName });
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
  const expected = [...tables, `backup: ${stack.getId('BackupVault')}`, `iam: ${stack.getId(cdk.logRole(stack))}`];
  same('what stays', found, expected.sort());
  return found.join(', ');
};

/** Deletes the retained resources with the commands of `infra/docs/teardown.md`. */
export const deleteKept = async ({ aws, readError }: Emulator, stack: Stack): Promise<void> => {
  for (const output of ['TransactionsTable', 'ContentTable', 'AccountsTable']) {
    const TableName = stack.outputs[output];
    same(
      `the deletion of ${output}, protected`,
      await readError('dynamodb', 'delete_table', { TableName }),
      'ValidationException',
    );
    await aws('dynamodb', 'update_table', { TableName, DeletionProtectionEnabled: false });
    await aws('dynamodb', 'delete_table', { TableName });
  }
  await aws('backup', 'delete_backup_vault', { BackupVaultName: stack.getId('BackupVault') });
};
