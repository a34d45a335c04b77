/** infra/operations/restore-drill.sh, with a stand-in for the AWS CLI and tables of the emulator as the restored ones. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTables } from '../../infra/local/create-tables.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'levy-drill-'));
const log = join(folder, 'aws.log');
afterAll(() => rmSync(folder, { recursive: true }));

const id = crypto.randomUUID();
const named = (suffix: string) => ({
  TABLE_TRANSACTIONS: `transactions_${id}${suffix}`,
  TABLE_ACCOUNTS: `accounts_${id}${suffix}`,
  TABLE_CONTENT: `content_${id}${suffix}`,
});

beforeAll(() => {
  writeFileSync(join(folder, 'aws'), `#!/bin/sh\necho "$@" >> '${log}'\n`);
  chmodSync(join(folder, 'aws'), 0o755);
});

const { TABLE_TRANSACTIONS: _, TABLE_ACCOUNTS: __, TABLE_CONTENT: ___, ...inherited } = process.env;
const drill = (args: readonly string[], variables: Record<string, string>) => {
  writeFileSync(log, '');
  const { status, stdout, stderr } = spawnSync('bash', ['infra/operations/restore-drill.sh', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...inherited,
      PATH: `${folder}:${join(root, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env['PATH']}`,
      DRILL_ID: 'test',
      ...variables,
    },
  });
  return { code: status, out: stdout, err: stderr, asked: readFileSync(log, 'utf8').split('\n').slice(0, -1) };
};

const verbs = (asked: readonly string[]) =>
  asked.map((line) => line.split(' ').slice(1, 3).join(' ').replace(/ --.*/, ''));

it('prints its commands with --dry-run, and asks AWS nothing', () => {
  const { code, out, asked } = drill(['--dry-run', '--at', '2026-11-21T12:00:00Z'], named(''));
  expect([code, asked]).toEqual([0, []]);
  const commands = out.split('\n').filter((line) => line.startsWith('+ '));
  expect(commands).toHaveLength(3 + 3 + 2 + 3);
  expect(commands[0]).toBe(
    `+ aws dynamodb restore-table-to-point-in-time --source-table-name transactions_${id} --target-table-name transactions_${id}-drill-test --restore-date-time 2026-11-21T12:00:00Z --output text --query TableDescription.TableStatus`,
  );
  expect(commands.filter((line) => line.includes('delete-table')).every((line) => line.includes('-drill-test '))).toBe(
    true,
  );
});

it.each([
  [[], { TABLE_ACCOUNTS: '' }, /Set TABLE_ACCOUNTS/],
  [['--at', 'yesterday'], {}, /Send --at as/],
  [['--delete'], {}, /Usage/],
])('refuses %j with %j, and asks AWS nothing', (args, variables, message) => {
  const { code, err, asked } = drill(args, { ...named(''), ...variables });
  expect([code, asked]).toEqual([2, []]);
  expect(err).toMatch(message);
});

it('verifies what was restored, and deletes that and nothing else', { timeout: 180_000 }, async () => {
  const restored = named('-drill-test');
  const before = { ...process.env };
  Object.assign(process.env, restored);
  await createTables(new DynamoDBClient({ endpoint: process.env['DYNAMODB_ENDPOINT'] as string }));
  for (const name of Object.keys(restored)) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  const none = drill([], named(''));
  expect([none.code, none.err]).toEqual([1, expect.stringMatching(/No account was restored/)]);
  expect(none.asked.filter((line) => line.includes('delete-table'))).toEqual([]);

  const account = execFileSync(process.execPath, ['shared/cli/accounts.ts', 'create', '--name', 'Shop', '--quiet'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...restored },
  }).trim();
  const { code, out, asked } = drill([], named(''));
  expect(code, out).toBe(0);
  expect(out).toContain(`Checked of ${account}: 0 transactions`);
  expect(out.match(/^== .*: \d+ s$/gm)).toHaveLength(4);
  expect(verbs(asked)).toEqual([
    ...Array(3).fill('restore-table-to-point-in-time'),
    ...Array(3).fill('wait table-exists'),
    ...Array(3).fill('delete-table'),
  ]);
  const deleted = asked.flatMap((line) => /delete-table --table-name (\S+)/.exec(line)?.[1] ?? []);
  expect(deleted).toEqual(Object.values(named('-drill-test')));
});
