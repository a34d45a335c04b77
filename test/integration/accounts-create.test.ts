import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Account, defaultSettings } from '../../shared/accounts/account.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { now } from '../../shared/config/clock.ts';
import { findAccount } from '../../shared/store/accounts/account-store.ts';
import {
  accounts,
  answerTo,
  dayMs,
  get,
  hourMs,
  keysOf,
  minuteMs,
  newAccount,
  ranJson,
  refusedInOneLine,
  waitForDatabase,
} from '../support/accounts-cli.ts';
import { anonymous } from '../support/api.ts';

waitForDatabase();

describe('create', () => {
  it('creates an account with the defaults and the current version; --quiet prints only its id', async () => {
    const { code, out, err } = await accounts('create', '--name', ' A shop ', '--quiet');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^acct_[0-9A-HJKMNP-TV-Z]{26}\n$/);
    const account = await findAccount(out.trim());
    expect(account).toMatchObject({ name: 'A shop', settings: defaultSettings(currentVersion) });
    expect(account?.cursor_secret).toMatch(/^[\w-]{43}$/);
    expect(Math.abs(Date.parse(account?.created_at ?? '') - now())).toBeLessThan(minuteMs);
    const list = await ranJson<Account[]>('list');
    expect(list.find(({ id }) => id === account?.id)).toEqual({
      id: account?.id,
      name: 'A shop',
      created_at: account?.created_at,
      settings_changed_at: null,
      closed_at: null,
      settings: account?.settings,
    });
    expect(JSON.stringify(list)).not.toContain(account?.cursor_secret);
    expect(await keysOf(out.trim())).toEqual([]);
  });

  it('--key creates the first key, shown once, valid at once for 90 days', async () => {
    const { out, err } = await accounts('create', '--name', 'A shop', '--key', 'read', 'rate_limit=7');
    expect(err).toBe('');
    const [secret = ''] = out.match(/levy_\w+/g) ?? [];
    expect(secret).toMatch(/^levy_[0-9A-Za-z]{39}$/);
    expect(out.split(secret)).toHaveLength(2);
    const { status, headers } = await get(secret);
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, '7']);
    const [id = ''] = out.match(/acct_\w+/) ?? [];
    const [key] = await keysOf(id);
    expect(key).toMatchObject({ label: null, scopes: ['read'], state: 'active', revoked_at: null, replaced_by: null });
    expect(Date.parse(key?.expires_at ?? '') - Date.parse(key?.created_at ?? '')).toBe(90 * dayMs);
    const write = await anonymous.call('POST', '/transactions', { headers: { 'X-API-Key': secret }, body: {} });
    expect(write.status).toBe(403);
  });

  it('--json prints one object with the secret', async () => {
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

  it('creates nothing if an argument is wrong', async () => {
    // Other tests create accounts as well.
    const name = randomUUID();
    for (const args of [
      ['--name', ''],
      ['--name', name, 'rate_limit=x'],
      ['--name', name, '--key', 'admin'],
      ['--name', name, '--key', 'read', '--expires', '1y'],
      ['--name', name, '--key', 'read', '--label', '\n'],
      ['--name', name, '--key', 'read', '--quiet'],
    ])
      expect(await accounts('create', ...args)).toMatchObject(refusedInOneLine);
    const named = (await ranJson<Account[]>('list')).filter((account) => ['', name].includes(account.name));
    expect(named).toEqual([]);
  });
});
