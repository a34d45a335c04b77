/**
 * `npm run test:deploy`: deploys the unmodified stacks to a local AWS emulator, uses them, upgrades them and deletes
 * them.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { orThrow } from '../../shared/client/client.ts';
import { activeReleasesKey } from '../../shared/store/keys.ts';
import { type Commands, commandsIn, root, stopAll } from './commands.ts';
import { type Emulator, install, startEmulator } from './emulator.ts';
import { deadLetters, newConsumer } from './events.ts';
import { functionPermissions, proposesOnly } from './permissions.ts';
import { Failed, newRun, type Run, same } from './run.ts';
import { allHaveRun, closedBySchedule, endDraft, failedRunIsKept, hasFired, invokers } from './schedules.ts';
import {
  type Cdk,
  deleteKept,
  deleteStacks,
  inventory,
  keptResources,
  left,
  monthBefore,
  newCdk,
  registeredFrom,
  type Stack,
} from './stack.ts';
import {
  connectClient,
  file,
  lookUp,
  readBack,
  refusals,
  report,
  sell,
  sellExempt,
  sellOn,
  taxForOrder,
} from './workflow.ts';

/** Returns the version to upgrade from: the given ref, else the last release, else the last commit. */
const previousRef = async (run: Commands, from: string | null) => {
  const git = (...args: string[]) => run('git', args, { env: process.env });
  const tag = async () => (await git('describe', '--tags', '--abbrev=0', 'HEAD^').catch(() => '')).trim();
  const ref = from ?? ((await tag()) || 'HEAD');
  const commit = await git('rev-parse', '--verify', `${ref}^{commit}`).catch(() => {
    throw new Failed(`There is no commit ${ref} in this clone. Pass --from <ref>, or fetch more commits.`);
  });
  const words = `${ref}, ${(await git('log', '-1', '--format=%h %s', commit.trim())).trim()}`;
  return { commit: commit.trim(), words };
};

/**
 * Creates a worktree of that version with its packed content. It shares the installed packages if the lock file is the
 * same.
 */
export const checkout = async (run: Commands, commit: string, work: string, env: NodeJS.ProcessEnv) => {
  const folder = join(work, 'previous');
  await run('git', ['worktree', 'add', '--detach', folder, commit], { env: process.env });
  const lock = (at: string) => readFileSync(join(at, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock(root) && existsSync(join(root, 'node_modules'))) {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    await run('npm', ['run', 'pack'], { cwd: folder, env });
  } else await run('npm', ['ci'], { cwd: folder, env: process.env, seconds: 900 });
  return { folder };
};

/** Removes the worktree. Does not use `run`, because it runs while all commands are being stopped. */
const removeCheckout = async (work: string): Promise<void> => {
  const folder = join(work, 'previous');
  if (existsSync(folder)) spawnSync('git', ['worktree', 'remove', '--force', folder], { cwd: root, timeout: 60_000 });
};

/** A user who has only the operator policy of a deployment, and runs the documented commands. */
const newOperator = async (run: Commands, { aws, env }: Emulator, { name, outputs }: Stack) => {
  const UserName = `operator-of-${name}`;
  await aws('iam', 'create_user', { UserName });
  const PolicyArn = outputs['OperatorPolicyArn'];
  await aws('iam', 'attach_user_policy', { UserName, PolicyArn });
  const { AccessKey } = await aws('iam', 'create_access_key', { UserName });
  const keys = { AWS_ACCESS_KEY_ID: AccessKey.AccessKeyId, AWS_SECRET_ACCESS_KEY: AccessKey.SecretAccessKey };
  const ownEnv = {
    ...env,
    ...keys,
    TABLE_ACCOUNTS: outputs['AccountsTable'],
    TABLE_TRANSACTIONS: outputs['TransactionsTable'],
    TABLE_CONTENT: outputs['ContentTable'],
  };
  return {
    /** Runs `npm run <script> -- <args>` with the environment variables from the deployment page. */
    command: (script: string, ...args: readonly string[]) =>
      run('npm', ['run', '--silent', script, '--', ...args], { env: ownEnv, cwd: root, seconds: 300 }),
    keys,
    /** Detaches the policy, as the teardown page describes, and deletes the user. */
    remove: async () => {
      await aws('iam', 'detach_user_policy', { UserName, PolicyArn });
      await aws('iam', 'delete_access_key', { UserName, AccessKeyId: AccessKey.AccessKeyId });
      await aws('iam', 'delete_user', { UserName });
    },
  };
};
type Operator = Awaited<ReturnType<typeof newOperator>>;

/** Actions that an operator is denied: scan or delete a table, delete a backup vault, invoke an endpoint. */
const refusedToOperator = async ({ readError }: Emulator, { keys }: Operator, stack: Stack): Promise<string> => {
  const TableName = stack.outputs['TransactionsTable'];
  const refused: [string, string, object][] = [
    ['dynamodb', 'scan', { TableName }],
    ['dynamodb', 'delete_table', { TableName }],
    ['dynamodb', 'update_table', { TableName, DeletionProtectionEnabled: false }],
    ['backup', 'delete_backup_vault', { BackupVaultName: stack.getId('BackupVault') }],
    ['lambda', 'invoke', { FunctionName: stack.getId('GetAccountLive') }],
    ['cloudformation', 'delete_stack', { StackName: stack.name }],
  ];
  for (const [service, operation, input] of refused) {
    const code = (await readError(service, operation, input, keys)) ?? 'allowed';
    same(`${service} ${operation} as an operator`, code.replace(/Exception$/, ''), 'AccessDenied');
  }
  return `${refused.length} actions denied`;
};

export type Account = { readonly id: string; readonly key: string };

/** An account with a key, created with the documented command. */
const createAccount = async ({ command }: Operator, name: string) => {
  const text = await command('accounts', 'create', '--name', name, '--key', 'read,write,settings', '--json');
  const { id, key } = JSON.parse(text);
  return { id, key: key.secret } as Account;
};

// The first stage creates the API Gateway logging role.
const stage = { stage: 'staging', removal: 'destroy', gatewayLogRole: 'keep' };
const minutes = 60;

type Context = {
  readonly run: Commands;
  readonly steps: Run;
  readonly emulator: Emulator;
  readonly cdk: Cdk;
  readonly work: string;
};

const smoke = async ({ run, emulator }: Context, { url }: Stack, { key }: Account): Promise<string> => {
  const output = await run('npm', ['run', '--silent', 'smoke', '--', url], {
    env: { ...emulator.env, LEVY_API_KEY: key },
  });
  return `${output.split('\n').filter((line) => line.startsWith('ok')).length} checks`;
};

/**
 * Creates accounts with the documented commands, runs the smoke test and the workflow, and checks the effects on the
 * stream, the pipe and the bus.
 */
const use = async (context: Context, stack: Stack) => {
  const { run, emulator } = context;
  const { need, check } = context.steps;
  const operator = await need('attach the operator policy to a user', () => newOperator(run, emulator, stack));
  const shop = await need('npm run accounts -- create, as that user', () => createAccount(operator, 'A shop'));
  const second = await need('another account', () => createAccount(operator, 'Another shop'));
  const consumer = await need('a rule and a queue on the event bus', () => newConsumer(emulator, stack));
  await check('npm run smoke', () => smoke(context, stack, second));
  await check('npm run accounts -- settings registrations=…', async () => {
    // The schedule closes these periods automatically, because they have a sale.
    const { first, middle } = monthBefore(2);
    await sellOn(connectClient(stack.url, second.key), middle);
    await operator.command('accounts', 'settings', '--account', second.id, registeredFrom(first));
  });

  const levy = connectClient(stack.url, shop.key);
  await check('look up products, rates and coverage', () => lookUp(levy));
  await check('TaxJar-compatible API', () => taxForOrder(stack.url, shop.key));
  const sold = await need('estimate, draft, finalize, credit, void; a reference is unique', () => sell(levy, 'order'));
  await check('read, replay and reconcile', () => readBack(levy, sold));
  await check('a customer with a certificate', () => sellExempt(levy));
  await check('close and file a period', () => file(levy));
  await check('the report, by the stream', () => report(levy));
  await check('another account sees nothing', async () => {
    const found = await connectClient(stack.url, second.key).get('/transactions/{id}', { path: { id: sold.sale.id } });
    same('the status', found.ok ? 200 : found.refusal.status, 404);
  });
  await check('refused requests', () => refusals(stack.url, shop.key));
  await check('npm run ledger -- verify, as the operator', () =>
    operator.command('ledger', 'verify', '--account', shop.id).then(() => {}),
  );
  await check('the events, by stream, filter, function and bus', () =>
    consumer.expectEvents(shop.id, {
      'transaction.created': 5,
      'transaction.finalized': 3,
      'credit.finalized': 1,
      'transaction.voided': 1,
      'transaction.filed': 3,
      'filing.closed': 1,
      'filing.filed': 1,
    }),
  );
  await need('end a draft', () => endDraft(emulator, stack, shop.id, sold.draftLeft.id));
  return { operator, shop, second, consumer, sold };
};

type Used = Awaited<ReturnType<typeof use>>;

const permissions = async ({ emulator, steps: { check } }: Context, stack: Stack, { operator }: Used) => {
  await check('what each function may do, and what not', () => functionPermissions(emulator, stack));
  await check('the update of content cannot activate', () => proposesOnly(emulator, stack, activeReleasesKey.pk));
  await check('what schedules and the pipe may invoke', () => invokers(emulator, stack));
  await check('what an operator may not do', () => refusedToOperator(emulator, operator, stack));
};

/** Deploys an earlier version as a second stage and upgrades it to this version. */
const upgrade = async (context: Context, first: Stack, { shop }: Used, from: string | null): Promise<void> => {
  const { run, emulator, cdk, work } = context;
  const { need, check } = context.steps;
  const { commit } = await need('find the version to upgrade from', () => previousRef(run, from));
  const { folder } = await need('check it out', () => checkout(run, commit, work, emulator.env));
  const others = await inventory(emulator);
  const before = await need('deploy it as a second stage', () => cdk.deploy(stage, folder));
  const operator = await need('its operator', () => newOperator(run, emulator, before));
  const account = await need('its account', () => createAccount(operator, 'Staged'));
  await check('smoke of the earlier version', () => smoke(context, before, account));
  const sold = await need('its sales', () => sell(connectClient(before.url, account.key), 'staged'));
  await check('a key of the first stage is unknown here', async () => {
    const found = await connectClient(before.url, shop.key).get('/account');
    same('the status', found.ok ? 200 : found.refusal.status, 401);
  });
  const after = await need('upgrade it to this version', () => cdk.deploy(stage));
  await check('it keeps its tables, its API and its bus', async () => {
    for (const output of ['TransactionsTable', 'ContentTable', 'AccountsTable', 'Url', 'EventBus'])
      same(output, after.outputs[output], before.outputs[output]);
  });
  await check('smoke after the upgrade', () => smoke(context, after, account));
  const levy = connectClient(after.url, account.key);
  await check('sales of the earlier version', () => readBack(levy, sold));
  await check('close and file them', () => file(levy));
  await check('npm run ledger -- verify', () =>
    operator.command('ledger', 'verify', '--account', account.id).then(() => {}),
  );
  await check('the first stage is as before', async () => same('resources', await cdk.unchanged(first), true));
  await need('detach the operator policy of the stage', operator.remove);
  await need('cdk destroy of the stage', () => cdk.destroy(stage).then(() => {}));
  await check('nothing of the stage is left', async () => same('what is left', await left(emulator, others), []));
};

const schedules = async (
  { emulator, steps: { check } }: Context,
  stack: Stack,
  { shop, second, sold, consumer }: Used,
) => {
  await check('the schedule of close-periods fires', () => hasFired(emulator, stack, 'ClosePeriods'));
  await check('the schedule of sweep-drafts fires', () => hasFired(emulator, stack, 'SweepDrafts'));
  await check('it has closed a period', () => closedBySchedule(connectClient(stack.url, second.key)));
  await check('it has ended a draft', () =>
    consumer.expectEvents(shop.id, { 'draft.expired': 1 }).then(async () => {
      const path = { id: sold.draftLeft.id };
      same(
        'the draft',
        orThrow(await connectClient(stack.url, shop.key).get('/transactions/{id}', { path })).status,
        'void',
      );
    }),
  );
  await check('the dead-letter queues are empty', async () =>
    same('messages', await deadLetters(emulator, stack), { UntoldEvents: 0, UncountedTransactions: 0, FailedRuns: 0 }),
  );
  await check('a failed run reaches the dead-letter queue', () => failedRunIsKept(emulator, stack));
  await check('every function has run', () => allHaveRun(emulator, stack));
};

/** Follows `infra/docs/teardown.md`, step by step. */
const teardown = async (context: Context, stack: Stack, { operator, consumer }: Used, empty: readonly string[]) => {
  const { emulator, cdk } = context;
  const { need, check } = context.steps;
  await check('cdk diff shows no difference', () => cdk.diff(stack).then(() => {}));
  await check('a second deployment changes nothing', async () => {
    await cdk.deployAgain(stack);
    same('resources', await cdk.unchanged(stack), true);
  });
  await need('remove the consumer', consumer.remove);
  await need('detach the operator policy', operator.remove);
  await need('delete the protected stacks', () => deleteStacks(emulator, stack));
  await check('what stays is what teardown.md says', async () =>
    keptResources(cdk, stack, await left(emulator, empty)),
  );
  await need('delete the tables and the vault', () => deleteKept(emulator, stack));
  await check('only the role of the logs of API Gateway is left', async () => {
    const role = `iam: ${stack.getId(cdk.logRole(stack))}`;
    same('what is left', await left(emulator, empty), [role]);
  });
};

const test = async (work: string, from: string | null): Promise<number> => {
  const steps = newRun((line) => console.log(line));
  const { need } = steps;
  const run = commandsIn(work);
  const { python } = await need('install the pinned emulator', () => install(run));
  const emulator = await need('start it, with IAM enforced', () => startEmulator(python, work));
  for (const [name, reason] of Object.entries(emulator.stubs)) console.log(`       stub      ${name}: ${reason}`);
  const context: Context = { run, steps, emulator, work, cdk: newCdk(run, emulator, work) };
  await need('cdk bootstrap', () => context.cdk.bootstrap().then(() => {}));
  const empty = await need('list what the account holds', () => inventory(emulator));
  const stack = await need('cdk deploy with the default settings', () => context.cdk.deploy({}));
  const used = await use(context, stack);
  await permissions(context, stack, used);
  await upgrade(context, stack, used, from);
  await schedules(context, stack, used);
  await teardown(context, stack, used, empty);
  return steps.failures();
};

const main = async ({ from, keep }: { from?: string; keep?: boolean }): Promise<void> => {
  const work = mkdtempSync(join(tmpdir(), 'levy-deploy-'));
  let isStopped = false;
  const stop = async (code: number, words: string): Promise<never> => {
    if (!isStopped) {
      isStopped = true;
      if (words) console.error(words);
      await stopAll();
      await removeCheckout(work);
      if (keep) console.log(`Logs and assemblies: ${work}`);
      else rmSync(work, { recursive: true, force: true });
      process.exit(code);
    }
    return new Promise(() => {});
  };
  process.on('SIGINT', () => stop(130, 'Stopped.'));
  process.on('SIGTERM', () => stop(143, 'Stopped.'));
  setTimeout(() => stop(1, `The test did not end within ${minutes} minutes.`), minutes * 60_000).unref();
  const failures = await test(work, from ?? null).catch((error) => {
    // Failed steps have already been printed.
    if (!(error instanceof Failed)) console.error(error);
    return 1;
  });
  if (isStopped) return;
  console.log('\nThe emulator cannot test everything: test/README.md has the list.');
  console.log(failures === 0 ? '\nPassed.' : '\nFailed.');
  await stop(failures === 0 ? 0 : 1, '');
};

await new Command('test:deploy')
  .description(
    'Deploy the stacks on a local emulator of AWS, use it, upgrade it, and delete it. Exit code 1 if a step fails.',
  )
  .option('--from <ref>', 'the version to upgrade from. Default: the last release, or the last commit')
  .option('--keep', 'keep the temporary folder, with the logs')
  .action(main)
  .parseAsync();
