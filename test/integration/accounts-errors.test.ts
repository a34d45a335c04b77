import { describe, expect, it } from 'vitest';
import { accounts } from '../support/accounts-cli.ts';

describe('an error', () => {
  it.each([
    [['create'], "required option '--name <name>'"],
    [['keys', 'create', '--account', 'acct_none'], "required option '--scopes <scopes>'"],
    [['keys', 'create', '--account', 'acct_none', '--scopes', 'all'], 'Send read, write, or read,write.'],
    [['keys', 'list', '--account', 'acct_none'], 'There is no account acct_none.'],
    [['settings', '--account', 'acct_none', 'registrations=@nowhere.json'], 'There is no file nowhere.json.'],
    [['remove'], 'See the options with --help.'],
  ])('of %o is a line with the remedy, and exit code 1', async (args, message) => {
    const { code, out, err } = await accounts(args);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
    expect(err).not.toMatch(/\n {4}at /);
  });

  it('names the table that is missing, and the database that does not answer', async () => {
    const noTable = await accounts(['list'], { env: { TABLE_ACCOUNTS: 'nowhere' } });
    expect(noTable).toMatchObject({ code: 1, out: '' });
    expect(noTable.err).toContain('nowhere');
    const nobody = await accounts(['list'], { env: { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' } });
    expect(nobody).toMatchObject({ code: 1, out: '' });
    expect(nobody.err).toContain('http://127.0.0.1:1');
  });

  it.each([
    [[]],
    [['create']],
    [['list']],
    [['settings']],
    [['keys']],
    [['keys', 'create']],
    [['keys', 'list']],
    [['keys', 'rotate']],
    [['keys', 'revoke']],
  ])('has a help to look at: %o', async (command) => {
    const { code, out } = await accounts([...command, '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: accounts/);
  });
});
