/** `npm run accounts -- …`, and the API as those see it who have the accounts and keys that it makes. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { accountsProgram } from '../../shared/cli/accounts/program.ts';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { currentVersion } from '../../shared/http/versions.ts';
import { changeSettings, findAccount } from '../../shared/store/account-store.ts';
import { findNamedKey, keyOn, rotateKey } from '../../shared/store/api-key-store.ts';
import { database } from '../../shared/store/client.ts';
import { anonymous, newCaller } from '../support/api.ts';
import { later } from '../support/sales.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

type Ran = { readonly code: number | null; readonly out: string; readonly err: string };
/** Run it as an operator does. */
const accounts = (args: readonly string[], { input = '', env = {} }: { input?: string; env?: object } = {}) =>
  new Promise<Ran>((resolve, reject) => {
    const child = spawn(process.execPath, ['shared/cli/accounts.ts', ...args], {
      cwd: root,
      env: { ...process.env, ...env },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
    child.stdin.end(input);
  });

/** Run it in this process, whose clock a test can move; answers what it prints. */
const ran = async (...args: string[]): Promise<string> => {
  let out = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    out += chunk;
    return true;
  });
  try {
    await accountsProgram().parseAsync(args, { from: 'user' });
  } finally {
    write.mockRestore();
  }
  return out;
};
const ranJson = async (...args: string[]): Promise<any> => JSON.parse(await ran(...args, '--json'));

const get = (key: string) => anonymous.call('GET', '/coverage', { headers: { 'X-API-Key': key } });
const answerTo = async (key: string): Promise<string> => {
  const { status, body } = await get(key);
  return status === 200 ? '200' : `${status} ${body.errors[0].code}`;
};

const newAccount = async (...others: string[]) =>
  ranJson('create', '--name', 'A shop', '--key', 'read,write', ...others);
const keysOf = (account: string): Promise<any[]> => ranJson('keys', 'list', '--account', account);

// A slow machine is not a database that does not answer: the use of a key is recorded.
beforeAll(() => void vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal));
afterAll(() => void vi.restoreAllMocks());

describe('create', () => {
  it('makes an account with the defaults, pinned to the current version, and prints its id alone if asked', async () => {
    const { code, out, err } = await accounts(['create', '--name', ' A shop ', '--quiet']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^acct_[0-9A-HJKMNP-TV-Z]{26}\n$/);
    const account = await findAccount(out.trim());
    expect(account).toMatchObject({ name: 'A shop', settings: defaultSettings(currentVersion) });
    expect(account?.cursor_secret).toMatch(/^[\w-]{43}$/);
    expect(Math.abs(Date.parse(account?.created_at ?? '') - now())).toBeLessThan(minuteMs);
    const list = JSON.parse((await accounts(['list', '--json'])).out);
    expect(list.find(({ id }: any) => id === account?.id)).toEqual({
      id: account?.id,
      name: 'A shop',
      created_at: account?.created_at,
      settings_changed_at: null,
      settings: account?.settings,
    });
    expect(JSON.stringify(list)).not.toContain(account?.cursor_secret);
    expect(await keysOf(out.trim())).toEqual([]);
  });

  it('makes the first key with it, shown once, for ninety days, which works at once', async () => {
    const { out, err } = await accounts(['create', '--name', 'A shop', '--key', 'read', 'rate_limit=7']);
    expect(err).toBe('');
    const [secret = ''] = out.match(/levy_\w+/g) ?? [];
    expect(secret).toMatch(/^levy_[0-9A-Za-z]{39}$/);
    expect(out.split(secret)).toHaveLength(2);
    const { status, headers } = await get(secret);
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, '7']);
    const [id = ''] = out.match(/acct_\w+/) ?? [];
    const [key] = await keysOf(id);
    expect(key).toMatchObject({ label: null, scopes: ['read'], state: 'active', revoked_at: null, replaced_by: null });
    expect(Date.parse(key.expires_at) - Date.parse(key.created_at)).toBe(90 * dayMs);
    const write = await anonymous.call('POST', '/transactions', { headers: { 'X-API-Key': secret }, body: {} });
    expect(write.status).toBe(403);
  });

  it('is one JSON object for scripts, with the secret in it', async () => {
    const made = await newAccount('--label', 'shop', '--expires', '12h', 'rounding=invoice');
    expect(made).toEqual({
      id: expect.stringMatching(/^acct_/),
      name: 'A shop',
      created_at: expect.any(String),
      settings: { ...defaultSettings(currentVersion), rounding: 'invoice' },
      key: {
        id: expect.stringMatching(/^key_/),
        account: made.id,
        label: 'shop',
        scopes: ['read', 'write'],
        created_at: made.created_at,
        expires_at: new Date(Date.parse(made.created_at) + 12 * hourMs).toISOString(),
        secret: expect.stringMatching(/^levy_/),
      },
    });
    expect(await answerTo(made.key.secret)).toBe('200');
  });

  it('makes nothing where anything of what it was told is wrong', async () => {
    const before = (await ranJson('list')).length;
    for (const args of [
      ['--name', ''],
      ['--name', 'A', 'rate_limit=x'],
      ['--name', 'A', '--key', 'admin'],
      ['--name', 'A', '--key', 'read', '--expires', '1y'],
      ['--name', 'A', '--key', 'read', '--label', '\n'],
      ['--name', 'A', '--key', 'read', '--quiet'],
    ])
      await expect(ran('create', ...args)).rejects.toMatchObject({ name: 'CommandError' });
    expect((await ranJson('list')).length).toBe(before);
  });
});

describe('a key', () => {
  it('is printed alone if asked, and is nowhere else: not in the table, not in a list', async () => {
    const { account } = await newCaller();
    const { code, out, err } = await accounts([
      ...['keys', 'create', '--account', account.id, '--scopes', 'write,read', '--expires', 'never', '--quiet'],
    ]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^levy_[0-9A-Za-z]{39}\n$/);
    const secret = out.trim();
    expect(await answerTo(secret)).toBe('200');
    const [, key] = await keysOf(account.id);
    expect(key).toMatchObject({ scopes: ['read', 'write'], expires_at: null, state: 'active' });
    const digest = createHash('sha256').update(secret).digest('hex');
    const items: string[] = [];
    let ExclusiveStartKey: any;
    do {
      const page = await database.send(
        new ScanCommand({ TableName: environment.tables.accounts, ConsistentRead: true, ExclusiveStartKey }),
      );
      items.push(...(page.Items ?? []).map((item) => JSON.stringify(item)));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    expect(items.filter((item) => item.includes(secret))).toEqual([]);
    expect(items.filter((item) => item.includes(digest))).toHaveLength(2);
    const listed = (await ran('keys', 'list', '--account', account.id)) + JSON.stringify(await keysOf(account.id));
    expect(listed).not.toContain(digest);
    expect(listed).not.toContain(secret);
  });

  it('shows when it was last used, and what became of it', async () => {
    const { id, key } = await newAccount('--label', 'shop');
    expect((await keysOf(id))[0].last_used_at).toBeNull();
    await get(key.secret);
    const [{ last_used_at, ...others }] = await keysOf(id);
    expect(others).toEqual({
      id: key.id,
      label: 'shop',
      scopes: ['read', 'write'],
      state: 'active',
      created_at: key.created_at,
      expires_at: key.expires_at,
      revoked_at: null,
      replaced_by: null,
    });
    expect(Math.abs(Date.parse(last_used_at) - now())).toBeLessThan(minuteMs);
    const text = await ran('keys', 'list', '--account', id);
    expect(text).toMatch(/^key +label +scopes +created +expires +last used +state\n/);
    const minute = (instant: string) => instant.slice(0, 16).replace('T', ' ');
    expect(text.split('\n')[1]?.split(/ {2,}/)).toEqual([
      key.id,
      'shop',
      'read, write',
      minute(key.created_at),
      minute(key.expires_at),
      minute(last_used_at),
      'active',
    ]);
    expect(text).toContain('\n1 key. Times are in UTC.\n');
  });

  it('expires when it was told to', async () => {
    const { id, key } = await newAccount('--expires', '2h');
    expect(await answerTo(key.secret)).toBe('200');
    expect(await later(2 * hourMs - 1000, () => answerTo(key.secret))).toBe('200');
    expect(await later(2 * hourMs, () => answerTo(key.secret))).toBe('401 auth_api_key_expired');
    expect(await later(2 * hourMs, () => keysOf(id))).toMatchObject([{ state: 'expired' }]);
  });

  it('belongs to an account that exists', async () => {
    await expect(ran('keys', 'create', '--account', 'acct_none', '--scopes', 'read')).rejects.toThrow(
      'There is no account acct_none. See which there are with `npm run accounts -- list`.',
    );
  });
});

describe('rotate', () => {
  const rotated = (account: string, id: string, ...others: string[]) =>
    ranJson('keys', 'rotate', id, '--account', account, ...others);

  it('makes a new key with the same scopes and label; both work for a day, then only the new one', async () => {
    const { id, key } = await newAccount('--label', 'shop', '--expires', 'never');
    const fresh = await rotated(id, key.id);
    expect(fresh).toMatchObject({ account: id, scopes: ['read', 'write'], label: 'shop', replaces: { id: key.id } });
    const ends = Date.parse(fresh.replaces.expires_at);
    expect(ends - Date.parse(fresh.created_at)).toBe(dayMs);
    for (const secret of [key.secret, fresh.secret]) expect(await answerTo(secret)).toBe('200');
    expect(await later(ends - now() - 1000, () => answerTo(key.secret))).toBe('200');
    expect(await keysOf(id)).toMatchObject([
      { id: key.id, state: 'overlapping', replaced_by: fresh.id, expires_at: fresh.replaces.expires_at },
      { id: fresh.id, state: 'active', replaced_by: null },
    ]);
    expect(await ran('keys', 'list', '--account', id)).toContain(
      `overlapping until ${fresh.replaces.expires_at.slice(0, 16).replace('T', ' ')}\n`,
    );
    await later(ends - now(), async () => {
      expect(await answerTo(key.secret)).toBe('401 auth_api_key_expired');
      expect(await answerTo(fresh.secret)).toBe('200');
      expect(await keysOf(id)).toMatchObject([{ state: 'expired' }, { state: 'active' }]);
    });
  });

  it('ends the old key now where there is no overlap: within a minute, also where it was in use', async () => {
    const { id, key } = await newAccount();
    expect(await answerTo(key.secret)).toBe('200');
    const fresh = await rotated(id, key.id, '--overlap', '0');
    expect(await later(minuteMs, () => answerTo(key.secret))).toBe('401 auth_api_key_expired');
    expect(await answerTo(fresh.secret)).toBe('200');
  });

  it('never lets the old key live longer than it would have', async () => {
    const { id, key } = await newAccount('--expires', '1h');
    expect((await rotated(id, key.id, '--overlap', '7d')).replaces.expires_at).toBe(key.expires_at);
  });

  it('takes another label and end for the new key, and prints it alone if asked', async () => {
    const { id, key } = await newAccount('--label', 'shop');
    const out = await ran('keys', 'rotate', key.id, '--account', id, '--label', 'till', '--expires', '30d', '--quiet');
    expect(out).toMatch(/^levy_[0-9A-Za-z]{39}\n$/);
    const [, fresh] = await keysOf(id);
    expect(fresh.label).toBe('till');
    expect(Date.parse(fresh.expires_at) - Date.parse(fresh.created_at)).toBe(30 * dayMs);
    expect(await answerTo(out.trim())).toBe('200');
  });

  it('happens once: not again, not of a key that ended, not of one that is not there', async () => {
    const { id, key } = await newAccount('--expires', '1h');
    const fresh = await rotated(id, key.id);
    const again = (named: string) => ran('keys', 'rotate', named, '--account', id);
    await expect(again(key.id)).rejects.toThrow(
      `${key.id} was rotated already. Rotate the key that took its place, ${fresh.id}.`,
    );
    await expect(again('key_none')).rejects.toThrow(`The account ${id} has no key key_none.`);
    await expect(later(91 * dayMs, () => again(fresh.id))).rejects.toThrow(`${fresh.id} is expired. Make a new key`);
    await ran('keys', 'revoke', fresh.id, '--account', id);
    await expect(again(fresh.id)).rejects.toThrow(`${fresh.id} is revoked. Make a new key`);
    const other = await newAccount();
    await expect(ran('keys', 'rotate', other.key.id, '--account', id)).rejects.toThrow('has no key');
    expect(await keysOf(id)).toHaveLength(2);
  });

  it('makes one new key where several operators do it at once, and none where the key was revoked meanwhile', async () => {
    const { id, key } = await newAccount();
    const old = (await findNamedKey(id, key.id)) as NonNullable<Awaited<ReturnType<typeof findNamedKey>>>;
    const one = (secret: string) =>
      rotateKey({ old, key: keyOn(old.key, now()), secret, oldEndsAt: new Date(now() + dayMs).toISOString() });
    expect(
      (await Promise.all([one('a1'), one('b1'), one('c1')].map((it) => it.catch(() => false)))).filter(Boolean),
    ).toHaveLength(1);
    expect(await keysOf(id)).toHaveLength(2);
    const second = await newAccount();
    const seen = (await findNamedKey(second.id, second.key.id)) as typeof old;
    await ran('keys', 'revoke', second.key.id, '--account', second.id);
    const late = {
      old: seen,
      key: keyOn(seen.key, now()),
      secret: 'd1',
      oldEndsAt: new Date(now() + dayMs).toISOString(),
    };
    expect(await rotateKey(late)).toBe(false);
    expect(await keysOf(second.id)).toMatchObject([{ state: 'revoked', expires_at: second.key.expires_at }]);
  });
});

describe('revoke', () => {
  it('ends a key within a minute, for good, and keeps its first date', async () => {
    const { id, key } = await newAccount('--label', 'shop');
    expect(await answerTo(key.secret)).toBe('200');
    expect(await ran('keys', 'revoke', key.id, '--account', id)).toBe(
      `${key.id} (shop) of ${id} is revoked. Running instances notice within 60 seconds.\n`,
    );
    expect(await later(minuteMs, () => answerTo(key.secret))).toBe('401 auth_api_key_not_found');
    const [{ revoked_at, state }] = await keysOf(id);
    expect(state).toBe('revoked');
    expect(await later(hourMs, () => ran('keys', 'revoke', key.id, '--account', id))).toBe(
      `${key.id} (shop) of ${id} was revoked already, at ${revoked_at}.\n`,
    );
    expect((await keysOf(id))[0].revoked_at).toBe(revoked_at);
  });

  it('takes a leaked key on standard input, of which nothing else is known', async () => {
    const { id, key } = await newAccount();
    const { code, out } = await accounts(['keys', 'revoke', '--leaked'], { input: `${key.secret}\n` });
    expect([code, out]).toEqual([0, `${key.id} of ${id} is revoked. Running instances notice within 60 seconds.\n`]);
    expect(await answerTo(key.secret)).toBe('401 auth_api_key_not_found');
    const unknown = await accounts(['keys', 'revoke', '--leaked'], { input: 'levy_nothing' });
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.err).toBe(
      'No account has the key that came on standard input. Is this the right AWS account and region?\n',
    );
  });

  it('ends only a key of the account that is named', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    await expect(ran('keys', 'revoke', other.key.id, '--account', one.id)).rejects.toThrow(
      `has no key ${other.key.id}`,
    );
    expect(await later(minuteMs, () => answerTo(other.key.secret))).toBe('200');
  });

  it.each([
    [['key_1']],
    [['--account', 'acct_1']],
    [['key_1', '--leaked']],
    [['--leaked', '--account', 'acct_1']],
    [[]],
  ])('wants either a name or a leaked key, not %o', async (args) => {
    await expect(ran('keys', 'revoke', ...args)).rejects.toMatchObject({ name: 'CommandError' });
  });

  it('does not repeat a key that was sent as an argument', async () => {
    const { key } = await newCaller();
    const error: Error = await ran('keys', 'revoke', key, '--account', 'acct_demo').catch((thrown) => thrown);
    expect(error.message).toContain('That is a key itself');
    expect(error.message).not.toContain(key);
  });
});

describe('settings', () => {
  it('are shown, changed one by one, and then hold for the next minute’s requests', async () => {
    const { id, key } = await newAccount();
    const shown = await ranJson('settings', '--account', id);
    expect(shown).toEqual({ id, name: 'A shop', settings_changed_at: null, settings: defaultSettings(currentVersion) });
    await get(key.secret);
    expect(await ran('settings', '--account', id, 'rate_limit=321', 'rounding=line')).toBe(
      'rate_limit is now 321; before it was 2000.\nrounding is line already.\nRunning instances notice within 60 seconds.\n',
    );
    expect((await later(minuteMs, () => get(key.secret))).headers.get('x-ratelimit-limit')).toBe('321');
    const { settings, settings_changed_at } = await ranJson('settings', '--account', id);
    expect(settings).toEqual({ ...defaultSettings(currentVersion), rate_limit: 321 });
    expect(Math.abs(Date.parse(settings_changed_at) - now())).toBeLessThan(minuteMs);
    const text = await ran('settings', '--account', id);
    expect(text).toContain(`${id} (A shop), settings changed at ${settings_changed_at}\n`);
    expect(text).toContain('\nrate_limit           321\n');
  });

  it('that are the same as before write nothing', async () => {
    const { id } = await newAccount();
    expect(await ran('settings', '--account', id, 'rate_limit=2000')).toBe('rate_limit is 2000 already.\n');
    expect((await findAccount(id))?.settings_changed_at).toBeUndefined();
  });

  it('of every kind are stored as they were sent, also where there were some before', async () => {
    const { id } = await newAccount();
    const registrations = [{ state: 'MI', from: '2026-01-01', to: null, frequency: 'quarter' }];
    const ship_from = { city: 'Detroit', state: 'MI', postal_code: '48226' };
    for (const [name, value] of [
      ['registrations', registrations],
      ['ship_from', ship_from],
      ['registrations', [{ ...registrations[0], to: '2026-12-31' }]],
      ['ship_from', null],
      ['registrations', null],
    ] as const) {
      await ran('settings', '--account', id, `${name}=${JSON.stringify(value)}`);
      expect((await findAccount(id))?.settings[name]).toEqual(value);
    }
  });

  it('are never lost: of two changes of one setting the later gives way, and of two settings both hold', async () => {
    const { id } = await newAccount();
    const read = (await findAccount(id)) as NonNullable<Awaited<ReturnType<typeof findAccount>>>;
    await ran('settings', '--account', id, 'rate_limit=100', 'ambiguous_address=reject');
    expect(await changeSettings(read, { rate_limit: 200 })).toBe(false);
    expect(await changeSettings(read, { rate_limit: 200, rounding: 'invoice' })).toBe(false);
    expect(await changeSettings(read, { rounding: 'invoice', rate_limit: 200 })).toBe(false);
    expect((await findAccount(id))?.settings).toMatchObject({ rate_limit: 100, rounding: 'line' });
    expect(await changeSettings(read, { rounding: 'invoice' })).toBe(true);
    expect((await findAccount(id))?.settings).toMatchObject({
      rate_limit: 100,
      ambiguous_address: 'reject',
      rounding: 'invoice',
    });
    expect(await changeSettings({ ...read, id: 'acct_none' }, { rate_limit: 200 })).toBe(false);
    expect(await findAccount('acct_none')).toBeUndefined();
  });

  it('leave the service version to an option of its own, which takes a supported one', async () => {
    const { id } = await newAccount();
    const change = (...args: string[]) => ran('settings', '--account', id, ...args);
    await expect(change(`service_version=${currentVersion}`)).rejects.toThrow('settings --service-version');
    await expect(change('--service-version', 'aspen.1999-01-01')).rejects.toThrow(
      '--service-version cannot be "aspen.1999-01-01". Send a version that is supported: aspen.2026-10-01',
    );
    expect(await change('--service-version', currentVersion)).toBe(`service_version is ${currentVersion} already.\n`);
  });

  it('of an account that is not there are no settings', async () => {
    await expect(ran('settings', '--account', 'acct_none')).rejects.toThrow('There is no account acct_none.');
  });
});

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
    expect(noTable.err).toContain('There is no table "nowhere". Make the tables with `npm run tables`');
    const nobody = await accounts(['list'], { env: { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' } });
    expect(nobody).toMatchObject({ code: 1, out: '' });
    expect(nobody.err).toContain('No DynamoDB answers at http://127.0.0.1:1.');
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
