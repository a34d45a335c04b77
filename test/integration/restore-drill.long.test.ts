/** infra/operations/restore-drill.sh with a fake AWS CLI and emulator tables as the restored tables. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { createTables } from '../../infra/local/emulator.ts';
import { root } from '../support/child-process.ts';
import { standInAws } from '../support/stand-in-aws.ts';

const execute = promisify(execFile);
// Each table has a different latest restore time, the Content table the earliest. The AWS CLI prints times in two
// formats.
const aws = standInAws(`
case "$*" in
  *wait*) exit "\${WAITED:-0}" ;;
  *describe-table*) exit "\${FOUND:-0}" ;;
  *describe-continuous-backups*transactions_*) echo 2026-11-21T12:00:07.250000+00:00 ;;
  *describe-continuous-backups*accounts_*) echo 1795262406.9 ;;
  *describe-continuous-backups*content_*) echo "\${CONTENT_LATEST:-2026-11-21T13:00:05.900000+01:00}" ;;
esac`);

const id = crypto.randomUUID();
const named = (suffix: string) => ({
  TABLE_TRANSACTIONS: `transactions_${id}${suffix}`,
  TABLE_ACCOUNTS: `accounts_${id}${suffix}`,
  TABLE_CONTENT: `content_${id}${suffix}`,
});

const drill = (args: readonly string[], variables: Record<string, string>) =>
  aws.runWithDatabase('restore-drill.sh', args, { DRILL_ID: 'test', ...variables });

const verbs = (commands: readonly string[]) =>
  commands.map((line) => line.split(' ').slice(1, 3).join(' ').replace(/ --.*/, ''));

it('prints its commands with --dry-run, and runs no AWS command', async () => {
  const { code, out, asked } = await drill(
    ['--dry-run', '--at', '2026-11-21T12:00:00Z', '--sample', '0.01'],
    named(''),
  );
  expect([code, asked]).toEqual([0, []]);
  const commands = out.split('\n').filter((line) => line.startsWith('+ '));
  expect(commands).toHaveLength(3 + 3 + 2 + 3);
  expect(commands.filter((line) => line.includes(' verify '))).toEqual([
    expect.stringMatching(/^\+ npm run --silent ledger -- verify --all --sample 0\.01 --resume \S+-drill-test\.json$/),
  ]);
  expect(commands[0]).toBe(
    `+ aws dynamodb restore-table-to-point-in-time --source-table-name transactions_${id} --target-table-name transactions_${id}-drill-test --restore-date-time 2026-11-21T12:00:00Z --output text --query TableDescription.TableStatus`,
  );
  expect(commands.filter((line) => line.includes('delete-table')).every((line) => line.includes('-drill-test '))).toBe(
    true,
  );
});

it('restores all tables to the same second: the earliest of their latest restore times', async () => {
  const dry = await drill(['--dry-run'], named(''));
  expect([dry.code, dry.asked]).toEqual([0, []]);
  expect(dry.out.split('\n').filter((line) => line.startsWith('+ '))).toHaveLength(3 + 3 + 3 + 2 + 3);

  // No database responds, so the script ends when it lists the accounts.
  const { asked } = await drill([], { ...named(''), DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' });
  const restores = asked.filter((line) => line.includes('restore-table-to-point-in-time'));
  expect(restores.map((line) => /--source-table-name (\S+) .* --restore-date-time (\S+)/.exec(line)?.slice(1))).toEqual(
    Object.values(named('')).map((name) => [name, '2026-11-21T12:00:05Z']),
  );
});

it('restores nothing if a table has no point-in-time recovery', async () => {
  const { code, err, asked } = await drill([], { ...named(''), CONTENT_LATEST: 'None' });
  expect([code, err]).toEqual([1, expect.stringMatching(`content_${id} .*point-in-time recovery`)]);
  expect(verbs(asked)).toEqual(Array(3).fill('describe-continuous-backups'));
});

it.each([
  [[], { TABLE_ACCOUNTS: '' }, /Set TABLE_ACCOUNTS/],
  [['--at', 'yesterday'], {}, /Pass --at as/],
  [[], { AWS_REGION: '' }, /Set AWS_REGION/],
  [['--verify', 'Transactions'], {}, /Pass --verify with/],
  [['--sample', '2'], {}, /Pass --sample as/],
  [['--verify', '-drill-test', '--at', '2026-11-21T12:00:00Z'], {}, /Usage/],
  [['--delete'], {}, /Usage/],
])('rejects %j with %j, and runs no AWS command', async (args, variables, message) => {
  const { code, err, asked } = await drill(args, { ...named(''), ...variables });
  expect([code, asked]).toEqual([2, []]);
  expect(err).toMatch(message);
});

const listed = (suffix: string) =>
  ['Remaining tables, if they were restored:', ...Object.values(named(suffix))].join('\n');

it('waits for a day, and then prints the remaining tables and how to continue', async () => {
  const { code, out, asked } = await drill([], { ...named(''), WAITED: '255' });
  expect(code).toBe(1);
  // An AWS waiter times out after 500 s.
  expect(verbs(asked).filter((verb) => verb === 'wait table-exists').length * 500).toBeCloseTo(86_400, -4);
  expect(out).toContain(
    `${listed('-drill-test')}\nTo continue: infra/operations/restore-drill.sh --verify -drill-test\n`,
  );
});

it('pauses before a retry, so an expired session can be renewed', async () => {
  const { err, asked } = await drill([], { ...named(''), WAITED: '255', PAUSE_SECONDS: 'some' });
  expect(err).toMatch(/sleep: invalid time interval .some/);
  expect(verbs(asked).filter((verb) => verb === 'wait table-exists')).toHaveLength(1);
});

it('does not wait for tables that do not exist', async () => {
  const { code, out, asked } = await drill(['--verify', '-drill-test'], { ...named(''), FOUND: '254' });
  expect([code, verbs(asked)]).toEqual([254, ['describe-table']]);
  expect(out).not.toContain('Remaining tables');
});

it('verifies the restored tables, and deletes only them', async () => {
  const restored = named('-drill-test');
  const before = { ...process.env };
  Object.assign(process.env, restored);
  await createTables(new DynamoDBClient({ endpoint: process.env['DYNAMODB_ENDPOINT'] as string }));
  for (const name of Object.keys(restored)) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  const none = await drill([], named(''));
  expect([none.code, none.err]).toEqual([1, expect.stringMatching(/No account was restored/)]);
  expect(none.asked.filter((line) => line.includes('delete-table'))).toEqual([]);
  expect(none.out).toContain(listed('-drill-test'));

  const create = ['shared/cli/accounts.ts', 'create', '--name', 'Shop', '--quiet'];
  const { stdout } = await execute(process.execPath, create, { cwd: root, env: { ...process.env, ...restored } });
  const account = stdout.trim();
  const verified = await drill(['--verify', '-drill-test'], named(''));
  expect(verified.code, verified.out).toBe(0);
  expect(verified.out).toContain(`${account}: checked 0 transactions`);
  expect(verified.out).toContain(listed('-drill-test'));
  expect(verbs(verified.asked)).toEqual([...Array(3).fill('describe-table'), ...Array(3).fill('wait table-exists')]);

  const { code, out, asked } = await drill([], named(''));
  expect(code, out).toBe(0);
  expect(out).not.toContain('Remaining tables');
  expect(out).toContain(`${account}: checked 0 transactions`);
  expect(out.match(/^== .*: \d+ s$/gm)).toHaveLength(4);
  expect(verbs(asked)).toEqual([
    ...Array(3).fill('describe-continuous-backups'),
    ...Array(3).fill('restore-table-to-point-in-time'),
    ...Array(3).fill('wait table-exists'),
    ...Array(3).fill('delete-table'),
  ]);
  const deleted = asked.flatMap((line) => /delete-table --table-name (\S+)/.exec(line)?.[1] ?? []);
  expect(deleted).toEqual(Object.values(named('-drill-test')));
});
