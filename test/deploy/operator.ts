import { type Commands, root } from './commands.ts';
import type { Emulator } from './emulator.ts';
import { same } from './run.ts';
import type { Stack } from './stack.ts';

/** Runs the documented commands as a user who has only the operator policy of a deployment. */
type Operator = {
  /** Runs `npm run <name> -- <args>` with the environment variables from the deployment page. */
  readonly command: (name: string, ...args: readonly string[]) => Promise<string>;
  readonly env: NodeJS.ProcessEnv;
  /** Detaches the policy, as the teardown page describes, and deletes the user. */
  readonly remove: () => Promise<void>;
};

export const newOperator = async (run: Commands, { aws, env }: Emulator, { name, outputs }: Stack) => {
  const UserName = `operator-of-${name}`;
  await aws('iam', 'create_user', { UserName });
  const PolicyArn = outputs['OperatorPolicyArn'];
  await aws('iam', 'attach_user_policy', { UserName, PolicyArn });
  const { AccessKey } = await aws('iam', 'create_access_key', { UserName });
  const ownEnv = {
    ...env,
    AWS_ACCESS_KEY_ID: AccessKey.AccessKeyId,
    AWS_SECRET_ACCESS_KEY: AccessKey.SecretAccessKey,
    TABLE_ACCOUNTS: outputs['AccountsTable'],
    TABLE_TRANSACTIONS: outputs['TransactionsTable'],
    TABLE_CONTENT: outputs['ContentTable'],
  };
  const operator: Operator = {
    command: (script, ...args) =>
      run('npm', ['run', '--silent', script, '--', ...args], { env: ownEnv, cwd: root, seconds: 300 }),
    env: ownEnv,
    remove: async () => {
      await aws('iam', 'detach_user_policy', { UserName, PolicyArn });
      await aws('iam', 'delete_access_key', { UserName, AccessKeyId: AccessKey.AccessKeyId });
      await aws('iam', 'delete_user', { UserName });
    },
  };
  return operator;
};

/** Actions that an operator is denied: scan or delete a table, delete a backup vault, invoke an endpoint. */
export const refusedToOperator = async ({ errorOf }: Emulator, { env }: Operator, stack: Stack): Promise<string> => {
  const keys = {
    AWS_ACCESS_KEY_ID: env['AWS_ACCESS_KEY_ID'] ?? '',
    AWS_SECRET_ACCESS_KEY: env['AWS_SECRET_ACCESS_KEY'] ?? '',
  };
  const TableName = stack.outputs['TransactionsTable'];
  const refused: [string, string, object][] = [
    ['dynamodb', 'scan', { TableName }],
    ['dynamodb', 'delete_table', { TableName }],
    ['dynamodb', 'update_table', { TableName, DeletionProtectionEnabled: false }],
    ['backup', 'delete_backup_vault', { BackupVaultName: stack.idOf('BackupVault') }],
    ['lambda', 'invoke', { FunctionName: stack.idOf('GetAccountLive') }],
    ['cloudformation', 'delete_stack', { StackName: stack.name }],
  ];
  for (const [service, operation, input] of refused) {
    const code = (await errorOf(service, operation, input, keys)) ?? 'allowed';
    same(`${service} ${operation} as an operator`, code.replace(/Exception$/, ''), 'AccessDenied');
  }
  return `${refused.length} actions denied`;
};

export type Account = { readonly id: string; readonly key: string };

/** An account with a key, created with the documented command. */
export const createAccount = async ({ command }: Operator, name: string) => {
  const text = await command('accounts', 'create', '--name', name, '--key', 'read,write,settings', '--json');
  const { id, key } = JSON.parse(text);
  return { id, key: key.secret } as Account;
};
