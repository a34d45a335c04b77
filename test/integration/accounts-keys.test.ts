import { createHash } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import {
  accounts,
  answerTo,
  get,
  hourMs,
  keysOf,
  minuteMs,
  newAccount,
  ran,
  waitForDatabase,
} from '../support/accounts-cli.ts';
import { newCaller } from '../support/api.ts';
import { later } from '../support/sales.ts';

waitForDatabase();

describe('a key', () => {
  it('is printed once, and is neither in the table nor in a list', async () => {
    const { account } = await newCaller();
    const { code, out, err } = await accounts(
      ...['keys', 'create', '--account', account.id, '--scopes', 'write,read', '--expires', 'never', '--quiet'],
    );
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^levy_[0-9A-Za-z]{39}\n$/);
    const secret = out.trim();
    expect(await answerTo(secret)).toBe('200');
    const [, key] = await keysOf(account.id);
    expect(key).toMatchObject({ scopes: ['read', 'write'], expires_at: null, state: 'active' });
    const digest = createHash('sha256').update(secret).digest('hex');
    const items: string[] = [];
    let ExclusiveStartKey: Record<string, unknown> | undefined;
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

  it('is listed with its last use and state', async () => {
    const { id, key } = await newAccount('--label', 'shop');
    expect((await keysOf(id))[0]?.last_used_at).toBeNull();
    await get(key.secret);
    const [{ last_used_at = '', ...others } = {}] = await keysOf(id);
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
  });

  it('expires at its expiry', async () => {
    const { id, key } = await newAccount('--expires', '2h');
    expect(await answerTo(key.secret)).toBe('200');
    expect(await later(2 * hourMs - minuteMs, () => answerTo(key.secret))).toBe('200');
    expect(await later(2 * hourMs, () => answerTo(key.secret))).toBe('401 auth_api_key_expired');
    expect(await later(2 * hourMs, () => keysOf(id))).toMatchObject([{ state: 'expired' }]);
  });

  it('needs an existing account', async () => {
    await expect(ran('keys', 'create', '--account', 'acct_none', '--scopes', 'read')).rejects.toThrow('acct_none');
  });
});
