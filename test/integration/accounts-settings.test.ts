import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { now } from '../../shared/config/clock.ts';
import { changeSettings, findAccount } from '../../shared/store/accounts/account-store.ts';
import { get, minuteMs, newAccount, ran, ranJson, waitForDatabase } from '../support/accounts-cli.ts';
import { failSends, lostReply, noFaults } from '../support/faults.ts';
import { later } from '../support/sales.ts';

waitForDatabase();

type Printed = { readonly settings: object; readonly settings_changed_at: string };

describe('settings', () => {
  it('are shown and changed, and apply within a minute', async () => {
    const { id, key } = await newAccount();
    const shown = await ranJson('settings', '--account', id);
    expect(shown).toEqual({ id, name: 'A shop', settings_changed_at: null, settings: defaultSettings(currentVersion) });
    await get(key.secret);
    expect(await ran('settings', '--account', id, 'rate_limit=321', 'rounding=line')).toMatch(
      /^rate_limit .*321.*2000.*\nrounding .*already line.*\n/,
    );
    expect((await later(minuteMs, () => get(key.secret))).headers.get('x-ratelimit-limit')).toBe('321');
    const { settings, settings_changed_at } = await ranJson<Printed>('settings', '--account', id);
    expect(settings).toEqual({ ...defaultSettings(currentVersion), rate_limit: 321 });
    expect(Math.abs(Date.parse(settings_changed_at) - now())).toBeLessThan(minuteMs);
    const text = await ran('settings', '--account', id);
    expect(text).toContain(`${id} (A shop), settings changed at ${settings_changed_at}\n`);
    expect(text).toMatch(/\nrate_limit +321\n/);
  });

  it('are not written if they are the same', async () => {
    const { id } = await newAccount();
    expect(await ran('settings', '--account', id, 'rate_limit=2000')).toMatch(/^rate_limit .*already 2000.*\n$/);
    expect((await findAccount(id))?.settings_changed_at).toBeUndefined();
  });

  it('settings of every type are stored and replaced', async () => {
    const { id } = await newAccount();
    const registrations = [{ state: 'MI', from: '2026-01-01', to: null, frequency: 'quarter' }];
    const ship_from = { city: 'Detroit', state: 'MI', postal_code: '48226' };
    const elections = [{ state: 'TX', election: 'single_local_use_tax', from: '2026-01-01', to: null }];
    for (const [name, value] of [
      ['registrations', registrations],
      ['ship_from', ship_from],
      ['registrations', [{ ...registrations[0], to: '2026-12-31' }]],
      ['ship_from', null],
      ['registrations', null],
      ['remote_seller_elections', elections],
      ['remote_seller_elections', []],
    ] as const) {
      await ran('settings', '--account', id, `${name}=${JSON.stringify(value)}`);
      expect((await findAccount(id))?.settings[name]).toEqual(value);
    }
  });

  it('are never lost: concurrent changes of one setting conflict, and of two settings both apply', async () => {
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

  it('are changed once if a response is lost, with a note in the output', async () => {
    const { id } = await newAccount();
    const seen = failSends({ sends: 1, error: lostReply, where: 'on the way back', of: ['TransactWriteItems'] });
    try {
      expect(await ran('settings', '--account', id, 'rate_limit=321', 'ship_from={"state":"MI"}')).toMatch(
        /^rate_limit .*321.*2000/,
      );
    } finally {
      noFaults();
    }
    expect(seen.sends).toBe(2);
    expect((await findAccount(id))?.settings).toMatchObject({ rate_limit: 321, ship_from: { state: 'MI' } });
  });

  it('change the service version only with --service-version', async () => {
    const { id } = await newAccount();
    const change = (...args: string[]) => ran('settings', '--account', id, ...args);
    await expect(change(`service_version=${currentVersion}`)).rejects.toThrow('settings --service-version');
    await expect(change('--service-version', 'aspen.1999-01-01')).rejects.toThrow(
      /^--service-version .*"aspen\.1999-01-01".*aspen\.2026-10-01/,
    );
    expect(await change('--service-version', currentVersion)).toContain(`service_version is already ${currentVersion}`);
  });
});
