import { describe, expect, it } from 'vitest';
import { accounts, refusedInOneLine } from '../support/accounts-cli.ts';
import { runCommand } from '../support/run-command.ts';

const command = (args: readonly string[], env: object) =>
  runCommand(['shared/cli/accounts.ts', ...args], { env: { ...process.env, ...env } });

describe('an error', () => {
  it.each([
    [['create'], "required option '--name <name>'"],
    [['keys', 'create', '--account', 'acct_none'], "required option '--scopes <scopes>'"],
    [['keys', 'create', '--account', 'acct_none', '--scopes', 'all'], 'Pass read, write, or read,write.'],
    [['keys', 'list', '--account', 'acct_none'], 'There is no account acct_none.'],
    [['settings', '--account', 'acct_none', 'registrations=@nowhere.json'], 'There is no file nowhere.json.'],
    [['remove'], 'See the options with --help.'],
  ])('the error of %o is one line with the remedy, and exit code 1', async (args, message) => {
    const printed = await accounts(...args);
    expect(printed).toMatchObject(refusedInOneLine);
    expect(printed.err).toContain(message);
  });

  it.each([
    ['a missing table', { TABLE_ACCOUNTS: 'nowhere' }, 'nowhere'],
    [
      'the address of a database that does not answer',
      { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' },
      'http://127.0.0.1:1',
    ],
  ])('names %s', async (_what, env, message) => {
    const { code, out, err } = await command(['list'], env);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
  });
});

it.each(['create', 'list', 'settings', 'keys', 'keys create', 'keys list', 'keys rotate', 'keys revoke'])(
  '%s has a help page',
  async (words) => {
    const { code, out } = await accounts(...words.split(' '), '--help');
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: accounts/);
  },
);
