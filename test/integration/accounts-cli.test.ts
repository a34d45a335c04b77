/** `npm run accounts -- …`: accounts, settings, API keys and the check before production, against the tables and the API. */
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { type Account, defaultSettings } from '../../shared/accounts/account.ts';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { addDays, toDay } from '../../shared/base/calendar.ts';
import { contentProgram } from '../../shared/cli/content.ts';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { zeroSum } from '../../shared/ledger/entries/entry.ts';
import { closeAccount } from '../../shared/store/accounts/account-closing.ts';
import { changeSettings, findAccount, listSettingChanges } from '../../shared/store/accounts/account-store.ts';
import { findNamedKey, newKey, rotateKey } from '../../shared/store/accounts/api-key-store.ts';
import { rowItem } from '../../shared/store/report-store.ts';
import { putItems } from '../bench/database.ts';
import { anonymous } from '../support/api.ts';
import { runCommand } from '../support/child-process.ts';
import { failSends, intercept, noFaults } from '../support/faults.ts';
import { monthly } from '../support/filings.ts';
import { scannedItems } from '../support/raw-items.ts';
import {
  accounts,
  expectFailure,
  get,
  listKeys,
  newAccount,
  type PrintedKey,
  ran,
  ranJson,
  responseTo,
  runInProcess,
  waitForDatabase,
} from '../support/run-command.ts';
import { dayMs, hourMs, later, minuteMs } from '../support/sales.ts';

waitForDatabase();

const loseResponses = () =>
  failSends({
    sends: 3,
    error: () => new TransactionInProgressException({ message: 'In progress.', $metadata: {} }),
    where: 'on the way back',
    of: ['TransactWriteItems'],
  });

const msBetween = (from: string | undefined, to: string | undefined) => Date.parse(to ?? '') - Date.parse(from ?? '');
const expectNow = (instant: string | undefined) =>
  expect(Math.abs(Date.parse(instant ?? '') - now())).toBeLessThan(minuteMs);

/** Returns the stored account. */
const storedAccount = async (id: string): Promise<Account> => (await findAccount(id)) as Account;

describe('create', () => {
  it('creates an account with the defaults and the current version; --quiet prints only its id', async () => {
    const { code, out, err } = await accounts('create', '--name', ' A shop ', '--quiet');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^acct_[0-9A-HJKMNP-TV-Z]{26}\n$/);
    const { id, created_at, cursor_secret, settings, ...account } = await storedAccount(out.trim());
    expect({ ...account, settings }).toEqual({ name: 'A shop', settings: defaultSettings(currentVersion) });
    expect(cursor_secret).toMatch(/^[\w-]{43}$/);
    expectNow(created_at);
    const list = await ranJson<Account[]>('list');
    const listed = { id, name: 'A shop', created_at, settings_changed_at: null, closed_at: null, settings };
    expect(list.find((one) => one.id === id)).toEqual(listed);
    expect(JSON.stringify(list)).not.toContain(cursor_secret);
    expect(await listKeys(id)).toEqual([]);
  });

  it('creates the first key with --key, prints it once, and makes it valid immediately, for 90 days', async () => {
    const { out, err } = await accounts('create', '--name', 'A shop', '--key', 'read', 'rate_limit=7');
    expect(err).toBe('');
    const [secret = ''] = out.match(/levy_\w+/g) ?? [];
    expect(secret).toMatch(/^levy_[0-9A-Za-z]{39}$/);
    expect(out.split(secret)).toHaveLength(2);
    const { status, headers } = await get(secret);
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, '7']);
    const [key] = await listKeys(/acct_\w+/.exec(out)?.[0] ?? '');
    expect(key).toMatchObject({ label: null, scopes: ['read'], state: 'active', revoked_at: null, replaced_by: null });
    expect(msBetween(key?.created_at, key?.expires_at)).toBe(90 * dayMs);
    const write = await anonymous.call('POST', '/transactions', { headers: { 'X-API-Key': secret }, body: {} });
    expect(write.status).toBe(403);
  });

  it('prints one object with the secret with --json', async () => {
    const made = await newAccount('--label', 'shop', '--expires', '12h', 'rounding=invoice');
    const { id, created_at, key } = made;
    const settings = { ...defaultSettings(currentVersion), rounding: 'invoice' };
    expect(made).toEqual({ id: expect.stringMatching(/^acct_/), name: 'A shop', created_at, settings, key });
    const secret = expect.stringMatching(/^levy_/);
    const expires_at = new Date(Date.parse(created_at) + 12 * hourMs).toISOString();
    const terms = { account: id, label: 'shop', scopes: ['read', 'write'], created_at, secret, expires_at };
    expect(key).toEqual({ id: expect.stringMatching(/^key_/), ...terms });
    expect(await responseTo(made.key.secret)).toBe('200');
  });

  it('creates nothing if an argument is wrong', async () => {
    // Other tests create accounts concurrently.
    const name = randomUUID();
    for (const args of [
      ['--name', ''],
      ['--name', name, 'rate_limit=x'],
      ['--name', name, '--key', 'admin'],
      ['--name', name, '--key', 'read', '--expires', '1y'],
      ['--name', name, '--key', 'read', '--label', '\n'],
      ['--name', name, '--key', 'read', '--quiet'],
    ])
      expect(await accounts('create', ...args)).toMatchObject({ code: 1, out: '' });
    expect((await ranJson<Account[]>('list')).filter((account) => ['', name].includes(account.name))).toEqual([]);
  });
});

describe('settings', () => {
  it('prints and changes settings, which apply within a minute', async () => {
    const { id, key } = await newAccount();
    const shown = await ranJson('settings', '--account', id);
    expect(shown).toEqual({ id, name: 'A shop', settings_changed_at: null, settings: defaultSettings(currentVersion) });
    await get(key.secret);
    expect(await ran('settings', '--account', id, 'rate_limit=321', 'rounding=line')).toMatch(
      /^rate_limit .*321.*2000.*\nrounding .*already line.*\n/,
    );
    expect((await later(minuteMs, () => get(key.secret))).headers.get('x-ratelimit-limit')).toBe('321');
    const changed = await ranJson<Account>('settings', '--account', id);
    expect(changed.settings).toEqual({ ...defaultSettings(currentVersion), rate_limit: 321 });
    expectNow(changed.settings_changed_at);
    const text = await ran('settings', '--account', id);
    expect(text).toContain(`${id} (A shop), settings changed at ${changed.settings_changed_at}\n`);
    expect(text).toMatch(/\nrate_limit +321\n/);
  });

  it('does not write unchanged settings', async () => {
    const { id } = await newAccount();
    expect(await ran('settings', '--account', id, 'rate_limit=2000')).toMatch(/^rate_limit .*already 2000.*\n$/);
    expect((await storedAccount(id)).settings_changed_at).toBeUndefined();
  });

  it('changes settings once if the responses of the write are lost', async () => {
    const { id } = await newAccount();
    const read = await storedAccount(id);
    const lost = loseResponses();
    expect(await changeSettings(read, { rate_limit: 200 }, { isUnchanged: true })).toBe(true);
    noFaults();
    expect(lost.sends).toBe(4);
    expect((await storedAccount(id)).settings.rate_limit).toBe(200);
    expect(await listSettingChanges(id)).toHaveLength(1);
    expect(await changeSettings(read, { rate_limit: 300 }, { isUnchanged: true })).toBe(false);
  });

  it('refuses a change if another operator changes the same setting after the command has read it', async () => {
    const { id } = await newAccount();
    const read = await storedAccount(id);
    let writes = 0;
    intercept(async ({ command, pass }) => {
      if (command === 'TransactWriteItems' && ++writes === 1) await changeSettings(read, { rate_limit: 100 });
      return pass();
    });
    const refused = await accounts('settings', '--account', id, 'rate_limit=200', 'rounding=invoice').finally(noFaults);
    const isUnchanged = 'Another operator has just changed the same settings; nothing was changed.';
    expectFailure(refused, `${isUnchanged} Check the settings and run this again.\n`);
    expect(writes).toBe(2);
    expect((await storedAccount(id)).settings).toMatchObject({ rate_limit: 100, rounding: 'line' });
  });

  it('changes the service version only with --service-version', async () => {
    const { id } = await newAccount();
    const change = (...args: string[]) => ran('settings', '--account', id, ...args);
    await expect(change(`service_version=${currentVersion}`)).rejects.toThrow('settings --service-version');
    await expect(change('--service-version', 'aspen.1999-01-01')).rejects.toThrow(
      /'--service-version <version>' argument 'aspen\.1999-01-01' is invalid\. Pass .*aspen\.2026-10-01/,
    );
    expect(await change('--service-version', currentVersion)).toContain(`service_version is already ${currentVersion}`);
  });
});

describe('keys', () => {
  it('prints a key once and stores only its digest', async () => {
    const { id } = await newAccount();
    const args = ['--scopes', 'write,read', '--expires', 'never', '--quiet'];
    const { code, out, err } = await accounts('keys', 'create', '--account', id, ...args);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^levy_[0-9A-Za-z]{39}\n$/);
    const secret = out.trim();
    expect(await responseTo(secret)).toBe('200');
    const listed = await listKeys(id);
    expect(listed[1]).toMatchObject({ scopes: ['read', 'write'], expires_at: null, state: 'active' });
    const digest = createHash('sha256').update(secret).digest('hex');
    const items = (await scannedItems(environment.tables.accounts)).map((item) => JSON.stringify(item));
    expect(items.filter((item) => item.includes(secret))).toEqual([]);
    expect(items.filter((item) => item.includes(digest))).toHaveLength(2);
    const printed = (await ran('keys', 'list', '--account', id)) + JSON.stringify(listed);
    for (const text of [digest, secret]) expect(printed).not.toContain(text);
  });

  it('lists a key with its last use and state', async () => {
    const { id, key } = await newAccount('--label', 'shop');
    expect((await listKeys(id))[0]?.last_used_at).toBeNull();
    await get(key.secret);
    const [{ last_used_at = '', ...others } = {}] = await listKeys(id);
    const { account: _, secret: _secret, ...terms } = key as PrintedKey & { readonly account: string };
    expect(others).toEqual({ ...terms, state: 'active', revoked_at: null, replaced_by: null });
    expectNow(last_used_at);
    const text = await ran('keys', 'list', '--account', id);
    expect(text).toMatch(/^key +label +scopes +created +expires +last used +state\n/);
    const instants = [key.created_at, key.expires_at, last_used_at];
    expect(text.split('\n')[1]?.split(/ {2,}/)).toEqual([
      ...[key.id, 'shop', 'read, write'],
      ...instants.map((instant) => instant.slice(0, 16).replace('T', ' ')),
      'active',
    ]);
  });
});

describe('rotate', () => {
  const rotated = (account: string, id: string, ...others: string[]) =>
    ranJson<PrintedKey & { readonly replaces: PrintedKey }>('keys', 'rotate', id, '--account', account, ...others);
  const named = async (account: string, id: string) =>
    (await findNamedKey(account, id)) as NonNullable<Awaited<ReturnType<typeof findNamedKey>>>;
  const rotate = (old: Awaited<ReturnType<typeof named>>, secret = newApiKey()) =>
    rotateKey({ old, key: newKey(old.key, now()), secret, oldEndsAt: new Date(now() + dayMs).toISOString() });

  it('creates a key with the same scopes and label; both are valid for a day, then only the new one', async () => {
    const { id, key } = await newAccount('--label', 'shop', '--expires', 'never');
    const fresh = await rotated(id, key.id);
    expect(fresh).toMatchObject({ account: id, scopes: ['read', 'write'], label: 'shop', replaces: { id: key.id } });
    const ends = Date.parse(fresh.replaces.expires_at);
    expect(ends - Date.parse(fresh.created_at)).toBe(dayMs);
    for (const secret of [key.secret, fresh.secret]) expect(await responseTo(secret)).toBe('200');
    expect(await later(ends - now() - minuteMs, () => responseTo(key.secret))).toBe('200');
    expect(await listKeys(id)).toMatchObject([
      { id: key.id, state: 'overlapping', replaced_by: fresh.id, expires_at: fresh.replaces.expires_at },
      { id: fresh.id, state: 'active', replaced_by: null },
    ]);
    expect(await ran('keys', 'list', '--account', id)).toContain(
      `overlapping until ${fresh.replaces.expires_at.slice(0, 16).replace('T', ' ')}\n`,
    );
    await later(ends - now(), async () => {
      expect(await responseTo(key.secret)).toBe('401 auth_api_key_expired');
      expect(await responseTo(fresh.secret)).toBe('200');
      expect(await listKeys(id)).toMatchObject([{ state: 'expired' }, { state: 'active' }]);
    });
  });

  it('succeeds if the responses of its write are lost', async () => {
    const { id, key } = await newAccount();
    const old = await named(id, key.id);
    const secret = newApiKey();
    const lost = loseResponses();
    expect(await rotate(old, secret)).toBe(true);
    noFaults();
    expect(lost.sends).toBe(4);
    expect(await responseTo(secret)).toBe('200');
    expect(await rotate(old)).toBe(false);
  });

  it('expires the old key within a minute with --overlap 0, even in a warm instance, and never extends it', async () => {
    const { id, key } = await newAccount('--expires', '1h');
    expect(await responseTo(key.secret)).toBe('200');
    const fresh = await rotated(id, key.id, '--overlap', '0', '--expires', '1h');
    expect(await later(minuteMs, () => responseTo(key.secret))).toBe('401 auth_api_key_expired');
    expect(await responseTo(fresh.secret)).toBe('200');
    expect((await rotated(id, fresh.id, '--overlap', '7d')).replaces.expires_at).toBe(fresh.expires_at);
  });

  it.each([
    [[], /had no expiry, but the new key expires at \S+\. Pass --expires never/, 90 * dayMs],
    [['--expires', 'never'], /^$/, null],
  ])('creates the successor of a key that never expires, with %j', async (args, printed, lifetime) => {
    const { id, key } = await newAccount('--expires', 'never');
    const { out, err } = await accounts('keys', 'rotate', key.id, '--account', id, ...args, '--json');
    const { created_at, expires_at }: PrintedKey = JSON.parse(out);
    expect(expires_at === null ? null : msBetween(created_at, expires_at)).toBe(lifetime);
    expect(err).toMatch(printed);
  });

  it('applies --label, --expires and --quiet to the new key', async () => {
    const { id, key } = await newAccount('--label', 'shop');
    const out = await ran('keys', 'rotate', key.id, '--account', id, '--label', 'till', '--expires', '30d', '--quiet');
    expect(out).toMatch(/^levy_[0-9A-Za-z]{39}\n$/);
    const [, fresh] = await listKeys(id);
    expect(fresh?.label).toBe('till');
    expect(msBetween(fresh?.created_at, fresh?.expires_at)).toBe(30 * dayMs);
    expect(await responseTo(out.trim())).toBe('200');
  });

  it('rejects a rotated, expired, revoked or unknown key', async () => {
    const { id, key } = await newAccount('--expires', '1h');
    const fresh = await rotated(id, key.id);
    const again = (name: string) => ran('keys', 'rotate', name, '--account', id);
    await expect(again(key.id)).rejects.toThrow(fresh.id);
    await expect(again('key_none')).rejects.toThrow('no key key_none');
    await expect(later(91 * dayMs, () => again(fresh.id))).rejects.toThrow(`${fresh.id} is expired`);
    await ran('keys', 'revoke', fresh.id, '--account', id);
    await expect(again(fresh.id)).rejects.toThrow(`${fresh.id} is revoked`);
    await expect(again((await newAccount()).key.id)).rejects.toThrow('has no key');
    expect(await listKeys(id)).toHaveLength(2);
  });

  it('creates one key if several operators rotate concurrently, and none for a revoked key or a closed account', async () => {
    const first = await newAccount();
    const old = await named(first.id, first.key.id);
    const done = await Promise.all([1, 2, 3].map(() => rotate(old).catch(() => false)));
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await listKeys(first.id)).toHaveLength(2);
    const second = await newAccount();
    const revoked = await named(second.id, second.key.id);
    await ran('keys', 'revoke', second.key.id, '--account', second.id);
    expect(await rotate(revoked)).toBe(false);
    expect(await listKeys(second.id)).toMatchObject([{ state: 'revoked', expires_at: second.key.expires_at }]);
    // Closing an account revokes its existing keys.
    const third = await newAccount();
    const closed = await named(third.id, third.key.id);
    expect(await closeAccount(third.id, new Date(now()).toISOString())).toBe(true);
    expect(await rotate(closed)).toBe(false);
    expect(await listKeys(third.id)).toMatchObject([{ id: third.key.id, replaced_by: null }]);
  });
});

describe('revoke', () => {
  it('takes effect within a minute, and keeps the date of the first revocation', async () => {
    const { id, key } = await newAccount('--label', 'shop');
    expect(await responseTo(key.secret)).toBe('200');
    expect(await ran('keys', 'revoke', key.id, '--account', id)).toContain(`${key.id} (shop) of ${id}`);
    expect(await later(minuteMs, () => responseTo(key.secret))).toBe('401 auth_api_key_not_found');
    const [{ revoked_at, state } = {}] = await listKeys(id);
    expect(state).toBe('revoked');
    const again = await later(hourMs, () => ran('keys', 'revoke', key.id, '--account', id));
    expect(again).toContain(`already revoked at ${revoked_at}`);
    expect((await listKeys(id))[0]?.revoked_at).toBe(revoked_at);
  });

  it.each([
    [true, /Ctrl-D.*\n.*No account has the key/],
    [undefined, /^No account has the key/],
  ])('prints a prompt for the leaked key only on a terminal (isTTY: %s)', async (isTTY, printed) => {
    const typed = Object.assign(Readable.from(['levy_nothing\n']), { isTTY }) as unknown as typeof process.stdin;
    const input = vi.spyOn(process, 'stdin', 'get').mockReturnValue(typed);
    expectFailure(await accounts('keys', 'revoke', '--leaked').finally(() => input.mockRestore()), printed);
  });

  it('accepts a leaked key on standard input, without its id and account', async () => {
    const { id, key } = await newAccount();
    const command = ['shared/cli/accounts.ts', 'keys', 'revoke', '--leaked'];
    const { code, out } = await runCommand(command, { input: `${key.secret}\n` });
    expect([code, out]).toEqual([0, expect.stringContaining(`${key.id} of ${id}`)]);
    expect(await responseTo(key.secret)).toBe('401 auth_api_key_not_found');
  });

  it('revokes only a key of the given account', async () => {
    const [a, b] = [await newAccount(), await newAccount()];
    await expect(ran('keys', 'revoke', b.key.id, '--account', a.id)).rejects.toThrow(`has no key ${b.key.id}`);
    expect(await later(minuteMs, () => responseTo(b.key.secret))).toBe('200');
  });
});

describe('check', () => {
  type Finding = { readonly status: string; readonly subject: string; readonly found: string; readonly action: string };
  const readFinding = async (account: string, subject: string): Promise<Finding | undefined> => {
    const { out } = await accounts('check', '--account', account, '--json');
    return (JSON.parse(out).findings as Finding[]).find((one) => one.subject === subject);
  };
  const registeredIn = (state: string) => `registrations=${JSON.stringify([monthly(state)])}`;

  it('prints a working import command for a registered state, and its missing account number', async () => {
    const { id } = await newAccount(registeredIn('MI'));
    const { action = '' } = (await readFinding(id, 'content US-MI')) ?? {};
    expect(await readFinding(id, 'return_identity')).toMatchObject({ status: 'check', found: 'no id for US-MI' });
    const [, words = ''] = /npm run content -- (.+)$/.exec(action) ?? [];
    // The mirror's address is rejected after the states are read.
    const { err } = await runInProcess(contentProgram(), [...words.split(' '), '--mirror', 'none']);
    expect(err).toContain('--mirror cannot be "none"');
  });

  it('prints the next return only for current registrations', async () => {
    const registrations = [
      monthly('MI', '2024-01-01', '2024-03-31'),
      monthly('OH', '2024-01-01'),
      monthly('WI', '2024-01-01'),
      monthly('NV', '2026-11-01'),
    ];
    const { id } = await newAccount(`registrations=${JSON.stringify(registrations)}`);
    const find = async (state: string) => (await readFinding(id, `registration US-${state}`))?.found;
    expect(await find('MI')).toBe('from 2024-01-01 to 2024-03-31, files each month');
    // Today is 24 November. Ohio's returns are due on day 23, Wisconsin's and Nevada's on the last day.
    expect(await find('OH')).toMatch(/month; the return of the period to 2026-11-30 is due 2026-12-23$/);
    expect(await find('WI')).toMatch(/month; the return of the period to 2026-10-31 is due 2026-11-30$/);
    expect(await find('NV')).toMatch(/month; the return of the period to 2026-11-30 is due 2026-12-31$/);
  });

  // New Jersey has only quarterly returns. Indiana has two due dates for monthly returns (filing-calendar.json).
  it.each([
    ['NJ', /^Enter the due dates in your own calendar: .*: the calendar has quarter\.$/],
    ['IN', /^Enter the due dates \(day 20 \(.* or day 30 of the following month/],
  ])('reports a registration in %s whose due dates are not known', async (state, action) => {
    const { id } = await newAccount(registeredIn(state));
    expect(await readFinding(id, `registration US-${state}`)).toMatchObject({
      status: 'check',
      found: expect.stringMatching(/, files each month; no due date is known$/),
      action: expect.stringMatching(action),
    });
  });

  it('reports tax collected, after credits, in months without a registration', async () => {
    const { id } = await newAccount(`registrations=${JSON.stringify([monthly('MI', '2026-03-10')])}`);
    const counted = (tax: bigint) => ({ ...zeroSum, taxable: tax * 20n, tax, count: 1 });
    const rows = [
      { state: 'US-MI', month: '2026-02', sales: counted(600n), credits: counted(500n) },
      { state: 'US-MI', month: '2026-03', sales: counted(700n), credits: zeroSum },
      { state: 'US-OH', month: '2026-03', sales: counted(725n), credits: zeroSum },
      { state: 'US-OH', month: '2026-04', sales: zeroSum, credits: counted(725n) },
    ];
    const place = { currency: 'USD', seen: 0 };
    const table = environment.tables.transactions;
    await putItems(table, rows.length, (at) =>
      rowItem(id, { ...place, ...(rows[at] as (typeof rows)[0]) }, '2026-04-01T00:00:00.000Z'),
    );
    expect(await readFinding(id, 'collected US-MI')).toMatchObject({
      status: 'check',
      found: '1.00 USD of tax collected without a registration since 2026-02',
      action: expect.stringContaining('--state MI --period-end'),
    });
    expect(await readFinding(id, 'collected US-OH')).toBeUndefined();
  });

  it('reports returns that lack the sales before the first day of the books', async () => {
    const registrations = [
      { ...monthly('TX', '2025-01-01'), frequency: 'quarter' },
      monthly('MI', '2025-01-01'),
      monthly('WI', '2025-09-01'),
    ];
    const { id } = await newAccount(`registrations=${JSON.stringify(registrations)}`, 'books_open_from=2025-08-01');
    expect(await readFinding(id, 'books_open_from')).toMatchObject({
      status: 'check',
      found: '2025-08-01 is within a period of US-TX (2025-07-01 to 2025-09-30)',
    });
    const { id: whole } = await newAccount(
      `registrations=${JSON.stringify(registrations)}`,
      'books_open_from=2025-07-01',
    );
    expect(await readFinding(whole, 'books_open_from')).toBeUndefined();
  });

  it("lists a remote seller's election in a registered state, and an election that cannot apply", async () => {
    const { id } = await newAccount(registeredIn('TX'));
    expect(await readFinding(id, 'election US-TX')).toMatchObject({ status: 'check', found: 'none' });
    expect(await readFinding(id, 'election US-AL')).toBeUndefined();
    // Texas is not a member of the Streamlined Sales Tax Agreement.
    expect(await readFinding(id, 'return_identity')).toBeUndefined();
    const election = { state: 'TX', election: 'single_local_use_tax', from: '2026-01-01' };
    await ran('settings', '--account', id, `remote_seller_elections=${JSON.stringify([election])}`);
    const found = 'single_local_use_tax from 2026-01-01';
    expect(await readFinding(id, 'election US-TX')).toMatchObject({ status: 'ok', found });
    await ran('settings', '--account', id, 'ship_from={"state":"TX","postal_code":"78701"}');
    expect(await readFinding(id, 'election US-TX')).toMatchObject({ status: 'check' });
  });

  it.each([
    [0, 'ok', /^1 active key; the last one expires 2/, /^$/],
    [61, 'missing', /^1 active key/, /^Rotate it before .* accounts -- keys rotate key_\w+ --account acct_\w+$/],
    [91, 'check', /^none$/, /./],
  ])('prints the expiry of the last key after %i days', async (days, status, found, action) => {
    const { id } = await newAccount('--expires', '90d');
    const finding = await later(days * dayMs, () => readFinding(id, 'API keys'));
    const texts = { found: expect.stringMatching(found), action: expect.stringMatching(action) };
    expect(finding).toMatchObject({ status, ...texts });
    if (days === 0) expect(finding?.found).toContain(addDays(toDay(now()), 90));
  });
});

const key = `levy_${'k'.repeat(39)}`;
const noAccount = ['--account', 'acct_none'];

it.each([
  [['create'], "required option '--name <name>'"],
  [['keys', 'create', ...noAccount], "required option '--scopes <scopes>'"],
  [
    ['keys', 'create', ...noAccount, '--scopes', 'all'],
    'Pass one or more of read, write and settings, separated by commas.',
  ],
  [['keys', 'create', ...noAccount, '--scopes', 'read'], 'The account acct_none does not exist.'],
  [['keys', 'list', '--account', 'acct_none'], 'The account acct_none does not exist.'],
  // The message does not repeat the key.
  [['keys', 'revoke', key, '--account', 'acct_demo'], 'key_…'],
  [['keys', 'revoke'], 'Pass the id of the key and --account'],
  [['keys', 'revoke', 'key_1'], 'Pass the id of the key and --account'],
  [['keys', 'revoke', 'key_1', '--leaked'], '--leaked reads the key from standard input.'],
  [['keys', 'revoke', '--leaked', '--account', 'acct_1'], '--leaked reads the key from standard input.'],
  [['settings', '--account', 'acct_none', 'registrations=@nowhere.json'], '/nowhere.json does not exist.'],
  [['remove'], 'See the options with --help.'],
])('rejects %j with one line and exit code 1', async (args, message) => {
  const ran = await accounts(...args);
  expectFailure(ran, message);
  expect(ran.err).not.toContain('levy_k');
});

it.each([
  [{ TABLE_ACCOUNTS: 'nowhere' }, 'nowhere'],
  [{ DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1'],
])('names a missing table or the address of an unreachable database: %o', async (env, message) => {
  const command = ['shared/cli/accounts.ts', 'list'];
  expectFailure(await runCommand(command, { env: { ...process.env, ...env } }), message);
});
