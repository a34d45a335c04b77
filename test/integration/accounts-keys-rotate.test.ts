import { describe, expect, it } from 'vitest';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { now } from '../../shared/config/clock.ts';
import { closeAccount } from '../../shared/store/accounts/account-closing.ts';
import { findNamedKey, newKey, rotateKey } from '../../shared/store/accounts/api-key-store.ts';
import {
  accounts,
  answerTo,
  dayMs,
  keysOf,
  minuteMs,
  newAccount,
  type PrintedKey,
  ran,
  ranJson,
  waitForDatabase,
} from '../support/accounts-cli.ts';
import { later } from '../support/sales.ts';

waitForDatabase();

describe('rotate', () => {
  const rotated = (account: string, id: string, ...others: string[]) =>
    ranJson<PrintedKey & { readonly replaces: PrintedKey }>('keys', 'rotate', id, '--account', account, ...others);

  it('creates a key with the same scopes and label; both are valid for a day, then only the new one', async () => {
    const { id, key } = await newAccount('--label', 'shop', '--expires', 'never');
    const fresh = await rotated(id, key.id);
    expect(fresh).toMatchObject({ account: id, scopes: ['read', 'write'], label: 'shop', replaces: { id: key.id } });
    const ends = Date.parse(fresh.replaces.expires_at);
    expect(ends - Date.parse(fresh.created_at)).toBe(dayMs);
    for (const secret of [key.secret, fresh.secret]) expect(await answerTo(secret)).toBe('200');
    expect(await later(ends - now() - minuteMs, () => answerTo(key.secret))).toBe('200');
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

  it('--overlap 0 expires the old key within a minute, even in a warm instance', async () => {
    const { id, key } = await newAccount();
    expect(await answerTo(key.secret)).toBe('200');
    const fresh = await rotated(id, key.id, '--overlap', '0');
    expect(await later(minuteMs, () => answerTo(key.secret))).toBe('401 auth_api_key_expired');
    expect(await answerTo(fresh.secret)).toBe('200');
  });

  it('expires the successor of a key that never expires after 90 days, with a warning, unless --expires is never', async () => {
    const { id, key } = await newAccount('--expires', 'never');
    const { out, err } = await accounts('keys', 'rotate', key.id, '--account', id, '--json');
    const fresh: PrintedKey = JSON.parse(out);
    expect(Date.parse(fresh.expires_at) - Date.parse(fresh.created_at)).toBe(90 * dayMs);
    for (const words of [key.id, fresh.expires_at, '--expires never']) expect(err).toContain(words);
    const never = ['--expires', 'never'];
    const other = await newAccount(...never);
    const rotation = await accounts('keys', 'rotate', other.key.id, '--account', other.id, ...never, '--json');
    expect(rotation.err).toBe('');
    expect(JSON.parse(rotation.out).expires_at).toBeNull();
  });

  it('never extends the old key', async () => {
    const { id, key } = await newAccount('--expires', '1h');
    expect((await rotated(id, key.id, '--overlap', '7d')).replaces.expires_at).toBe(key.expires_at);
  });

  it('--label, --expires and --quiet apply to the new key', async () => {
    const { id, key } = await newAccount('--label', 'shop');
    const out = await ran('keys', 'rotate', key.id, '--account', id, '--label', 'till', '--expires', '30d', '--quiet');
    expect(out).toMatch(/^levy_[0-9A-Za-z]{39}\n$/);
    const fresh = (await keysOf(id))[1] as PrintedKey;
    expect(fresh.label).toBe('till');
    expect(Date.parse(fresh.expires_at) - Date.parse(fresh.created_at)).toBe(30 * dayMs);
    expect(await answerTo(out.trim())).toBe('200');
  });

  it('refuses a rotated, expired, revoked or unknown key', async () => {
    const { id, key } = await newAccount('--expires', '1h');
    const fresh = await rotated(id, key.id);
    const again = (named: string) => ran('keys', 'rotate', named, '--account', id);
    await expect(again(key.id)).rejects.toThrow(fresh.id);
    await expect(again('key_none')).rejects.toThrow('no key key_none');
    await expect(later(91 * dayMs, () => again(fresh.id))).rejects.toThrow(`${fresh.id} is expired`);
    await ran('keys', 'revoke', fresh.id, '--account', id);
    await expect(again(fresh.id)).rejects.toThrow(`${fresh.id} is revoked`);
    const other = await newAccount();
    await expect(ran('keys', 'rotate', other.key.id, '--account', id)).rejects.toThrow('has no key');
    expect(await keysOf(id)).toHaveLength(2);
  });

  it('creates one key if several operators rotate at once, and none if the key was revoked meanwhile', async () => {
    const { id, key } = await newAccount();
    const old = (await findNamedKey(id, key.id)) as NonNullable<Awaited<ReturnType<typeof findNamedKey>>>;
    const rotate = (secret: string) =>
      rotateKey({ old, key: newKey(old.key, now()), secret, oldEndsAt: new Date(now() + dayMs).toISOString() });
    expect(
      (await Promise.all(['a1', 'b1', 'c1'].map((secret) => rotate(secret).catch(() => false)))).filter(Boolean),
    ).toHaveLength(1);
    expect(await keysOf(id)).toHaveLength(2);
    const second = await newAccount();
    const seen = (await findNamedKey(second.id, second.key.id)) as typeof old;
    await ran('keys', 'revoke', second.key.id, '--account', second.id);
    const late = {
      old: seen,
      key: newKey(seen.key, now()),
      secret: 'd1',
      oldEndsAt: new Date(now() + dayMs).toISOString(),
    };
    expect(await rotateKey(late)).toBe(false);
    expect(await keysOf(second.id)).toMatchObject([{ state: 'revoked', expires_at: second.key.expires_at }]);
  });

  it('creates no key of an account that was closed meanwhile: a closing revokes the keys that it finds', async () => {
    const { id, key } = await newAccount();
    const old = (await findNamedKey(id, key.id)) as NonNullable<Awaited<ReturnType<typeof findNamedKey>>>;
    expect(await closeAccount(id, new Date(now()).toISOString())).toBe(true);
    const rotation = {
      old,
      key: newKey(old.key, now()),
      secret: newApiKey(),
      oldEndsAt: new Date(now()).toISOString(),
    };
    expect(await rotateKey(rotation)).toBe(false);
    expect(await keysOf(id)).toMatchObject([{ id: key.id, replaced_by: null }]);
  });
});
