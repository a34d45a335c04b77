import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { type Account, defaultSettings } from '../../shared/accounts/account.ts';
import { hashKey, newApiKey } from '../../shared/accounts/api-key.ts';
import { windowMs } from '../../shared/accounts/rate-limiter.ts';
import { pagesOf } from '../../shared/base/collections.ts';
import { advanceClock, now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { findAccount, listAccountIds, provisionAccount } from '../../shared/store/accounts/account-store.ts';
import { findKey, provisionKey, revokeKey } from '../../shared/store/accounts/api-key-store.ts';
import { takeRequests } from '../../shared/store/accounts/rate-window.ts';
import { database } from '../../shared/store/client/client.ts';
import { apiKeyKey, rateWindowKey } from '../../shared/store/keys.ts';

const account = (): Account => ({
  id: `acc_${ulid()}`,
  name: 'A shop',
  created_at: '2026-10-01T00:00:00.000Z',
  cursor_secret: 'secret',
  settings: defaultSettings('aspen.2026-10-01'),
});

type Terms = Partial<Parameters<typeof provisionKey>[0]>;

/** Provisions an account's API key, by default with the read scope and no expiry. */
const provision = (owner: string, secret: string, terms: Terms = {}) =>
  provisionKey({ account: owner, secret, scopes: ['read'], expires_at: null, ...terms });

const accountWithKey = async () => {
  const made = account();
  await provisionAccount(made);
  const secret = newApiKey();
  const { id } = await provision(made.id, secret);
  return { account: made, secret, id };
};

const stored = async (Key: Record<string, string>) =>
  (await database.send(new GetCommand({ TableName: environment.tables.accounts, Key, ConsistentRead: true }))).Item;

describe('an account', () => {
  it('is returned as provisioned and never overwritten by a different account', async () => {
    const made = account();
    await provisionAccount(made);
    await provisionAccount(made);
    await expect(provisionAccount({ ...made, name: 'Another' })).rejects.toThrow(made.id);
    expect(await findAccount(made.id)).toEqual(made);
  });

  it('is registered at creation, once for any number of provisions', async () => {
    const all = Array.from({ length: 120 }, () => account());
    // Runs a few at a time, because each call opens a connection to the emulator.
    for (let at = 0; at < all.length; at += 10)
      await Promise.all(all.slice(at, at + 10).map((account) => provisionAccount(account)));
    await provisionAccount(all[0] as Account);
    const pages = await Array.fromAsync(pagesOf(listAccountIds));
    expect(pages.length).toBeGreaterThan(1);
    const ids = pages.flatMap((page) => page.ids);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(ids).toEqual(expect.arrayContaining(all.map(({ id }) => id)));
  });
});

describe('an API key', () => {
  it('is found by its digest, and its secret is not stored', async () => {
    const { account: owner, secret, id } = await accountWithKey();
    const key = { id, account: owner.id, scopes: ['read'], created_at: expect.any(String), expires_at: null };
    expect(id).toMatch(/^key_[0-9A-Z]{26}$/);
    expect(await findKey(hashKey(secret))).toEqual(key);
    expect(JSON.stringify(await stored(apiKeyKey(hashKey(secret))))).not.toContain(secret);
    expect(await findKey(hashKey('nobody'))).toBeUndefined();
  });

  it('is rejected if the database returns a different key', async () => {
    const { secret } = await accountWithKey();
    database.middlewareStack.add(
      (next) => async (sent) => {
        const answer = await next(sent);
        const { Item } = answer.output as { Item?: { pk: string } };
        if (Item) Item.pk = apiKeyKey(hashKey('another')).pk;
        return answer;
      },
      { step: 'initialize', name: 'another' },
    );
    try {
      await expect(findKey(hashKey(secret))).rejects.toThrow('different API key');
    } finally {
      database.middlewareStack.remove('another');
    }
  });

  it('keeps its id if it is provisioned again on the same terms, even concurrently', async () => {
    const { account: owner, secret, id } = await accountWithKey();
    const answers = await Promise.all([1, 2, 3].map(() => provision(owner.id, secret)));
    expect(answers.map((key) => key.id)).toEqual([id, id, id]);
  });

  it.each<Terms>([{ scopes: ['read', 'write'] }, { expires_at: '2030-01-01T00:00:00.000Z' }])(
    'cannot be provisioned again with %o',
    async (terms) => {
      const { account: owner, secret, id } = await accountWithKey();
      await expect(provision(owner.id, secret, terms)).rejects.toThrow(id);
    },
  );

  it('belongs to exactly one existing account', async () => {
    const [first, second] = await Promise.all([accountWithKey(), accountWithKey()]);
    await expect(provision(second.account.id, first.secret)).rejects.toThrow('whose terms differ');
    await expect(provision('acc_none', newApiKey())).rejects.toThrow('acc_none');
  });

  it('remains revoked as of the first date and cannot be provisioned again', async () => {
    const { account: owner, secret, id } = await accountWithKey();
    expect(await revokeKey(owner.id, id)).toBe(true);
    const revoked = await findKey(hashKey(secret));
    expect(Date.parse(revoked?.revoked_at ?? '')).toBeCloseTo(now(), -4);
    advanceClock(1000);
    expect(await revokeKey(owner.id, id)).toBe(true);
    expect(await findKey(hashKey(secret))).toEqual(revoked);
    await expect(provision(owner.id, secret)).rejects.toThrow('whose terms differ');
  });

  it('cannot be revoked through another account', async () => {
    const { secret, id } = await accountWithKey();
    expect(await revokeKey((await accountWithKey()).account.id, id)).toBe(false);
    expect((await findKey(hashKey(secret)))?.revoked_at).toBeUndefined();
  });
});

describe('the request counter of a rate-limit window', () => {
  const windowStart = 1_800_000_000_000;

  it('adds requests completely or not at all', async () => {
    const { id } = account();
    expect(await takeRequests(id, windowStart, 7, 10)).toEqual({ taken: true, used: 7 });
    expect(await takeRequests(id, windowStart, 4, 10)).toEqual({ taken: false, used: 7 });
    expect(await takeRequests(id, windowStart, 3, 10)).toEqual({ taken: true, used: 10 });
    expect(await takeRequests(id, windowStart, 1, 10)).toEqual({ taken: false, used: 10 });
    expect(await takeRequests(id, windowStart + windowMs, 1, 10)).toEqual({ taken: true, used: 1 });
    await expect(takeRequests(id, windowStart + 2 * windowMs, 11, 10)).rejects.toThrow(RangeError);
  });

  it('expires after an hour', async () => {
    const { id } = account();
    await takeRequests(id, windowStart, 1, 10);
    expect(await stored(rateWindowKey(id, windowStart))).toMatchObject({ requests: 1, ttl: windowStart / 1000 + 3600 });
  });
});
