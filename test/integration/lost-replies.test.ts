import { randomBytes } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { type Account, defaultSettings } from '../../shared/accounts/account.ts';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { windowMs } from '../../shared/accounts/rate-limiter.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { provisionAccount } from '../../shared/store/accounts/account-store.ts';
import { provisionKey, revokeKey } from '../../shared/store/accounts/api-key-store.ts';
import { takeRequests } from '../../shared/store/accounts/rate-window.ts';
import { database } from '../../shared/store/client/client.ts';
import { rateWindowKey } from '../../shared/store/keys.ts';
import { failSends, lostReply, noFaults } from '../support/faults.ts';

afterEach(noFaults);

/** The SDK's attempts at one call, all of which are written and lose their replies. */
const allAttempts = 3;
const loseReplies = (of: string | null, sends = allAttempts) =>
  failSends({ sends, error: lostReply, where: 'on the way back', ...(of && { of: [of] }) });

describe('an account', () => {
  const account = (): Account => ({
    id: `acct_${randomBytes(16).toString('hex')}`,
    name: 'Test',
    created_at: new Date(now()).toISOString(),
    cursor_secret: 'secret',
    settings: defaultSettings(currentVersion),
  });

  it('is provisioned once: the next attempt and the next operator find it', async () => {
    const asked = account();
    loseReplies(null, 2);
    await provisionAccount(asked);
    noFaults();
    const other = account();
    loseReplies(null);
    await expect(provisionAccount(other)).rejects.toMatchObject({ name: 'TimeoutError' });
    await provisionAccount(other);
  });

  it('has one key per secret, with one id', async () => {
    const asked = account();
    await provisionAccount(asked);
    const key = { account: asked.id, secret: newApiKey(), scopes: ['read' as const], expires_at: null };
    loseReplies('TransactWriteItems', 2);
    const { id } = await provisionKey(key);
    noFaults();
    expect((await provisionKey(key)).id).toBe(id);
    const another = { ...key, secret: newApiKey() };
    loseReplies('TransactWriteItems');
    await expect(provisionKey(another)).rejects.toMatchObject({ name: 'TimeoutError' });
    const found = await provisionKey(another);
    expect(await provisionKey(another)).toEqual(found);
    loseReplies('UpdateItem', 2);
    expect(await revokeKey(asked.id, found.id)).toBe(true);
  });
});

it('counts a request at most as often as the count was sent, and never exceeds the limit', async () => {
  const start = windowMs * 1000;
  const account = `acct_${randomBytes(16).toString('hex')}`;
  const counted = async () => {
    const Key = rateWindowKey(account, start);
    const { Item } = await database.send(
      new GetCommand({ TableName: environment.tables.accounts, Key, ConsistentRead: true }),
    );
    return Item?.['requests'];
  };
  loseReplies('UpdateItem', 1);
  // A repeated addition counts twice, so part of the limit is wasted, and the response shows it.
  expect(await takeRequests(account, start, 4, 10)).toEqual({ taken: true, used: 8 });
  noFaults();
  expect(await counted()).toBe(8);
  loseReplies('UpdateItem', 1);
  expect(await takeRequests(account, start, 2, 10)).toEqual({ taken: false, used: 10 });
  noFaults();
  expect(await counted()).toBe(10);
});
