import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { type Account, defaultSettings } from '../../shared/accounts/account.ts';
import { hashKey, newApiKey } from '../../shared/accounts/api-key.ts';
import { windowMs } from '../../shared/accounts/rate-limiter.ts';
import { readPages } from '../../shared/base/collections.ts';
import { advanceClock, now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { findAccount, listAccountIds, provisionAccount } from '../../shared/store/accounts/account-store.ts';
import { findKey, provisionKey, revokeKey } from '../../shared/store/accounts/api-key-store.ts';
import { takeRequests } from '../../shared/store/accounts/rate-window.ts';
import { database } from '../../shared/store/client/client.ts';
import { apiKeyKey, rateWindowKey } from '../../shared/store/keys.ts';
import { type Caller, connectClient, newCaller } from '../support/api.ts';
import { intercept, noFaults } from '../support/faults.ts';
import { monthly } from '../support/filings.ts';
import type { ApiResponse } from '../support/http.ts';
import { accounts, expectFailure } from '../support/run-command.ts';
import { getMeta, getRefusal, made, sold } from '../support/sales.ts';

const scopes = ['read', 'write', 'settings'] as const;
const owner = () => newCaller({ scopes, settings: { registrations: null } });
const change = ({ call }: Caller, body: object, headers = {}) => call('POST', '/account', { body, headers });
const read = ({ call }: Caller) => call('GET', '/account');
const getTag = ({ headers }: ApiResponse) => ({ 'If-Match': headers.get('ETag') ?? '' });

const tin = { type: 'FEIN' as const, number: '123456789' };
const identity = { legal_name: 'A shop', sst_id: null, state_ids: { MN: '1234567' }, tin };

describe('POST /account', () => {
  it('changes only the settings that are sent, and records who changed them', async () => {
    const caller = await owner();
    const secret = newApiKey();
    const terms = { scopes: [...scopes], expires_at: null, label: 'Controller' };
    const { id } = await provisionKey({ account: caller.account.id, secret, ...terms });
    const as = { 'X-API-Key': secret };
    const changed = await made(change(caller, { registrations: [monthly('MI'), monthly('OH')] }, as));
    expect(changed).toMatchObject({ collects_in: 'registered_states', time_zone: 'UTC' });
    expect(changed.registrations.map(({ state }) => state)).toEqual(['US-MI', 'US-OH']);
    await made(change(caller, { time_zone: 'America/New_York', return_identity: identity }));
    await made(change(caller, { filing_reminder_days: [1, 5, 1] }));
    const after = await made(read(caller));
    expect(after).toMatchObject({ time_zone: 'America/New_York', filing_reminder_days: [5, 1] });
    expect(after.registrations).toEqual(changed.registrations);
    expect(after.return_identity).toEqual(identity);
    expect(after.changes?.map(({ setting, before, after }) => [setting, before, after])).toEqual([
      ['filing_reminder_days', '[7,2]', '[5,1]'],
      ['time_zone', '"UTC"', '"America/New_York"'],
      // The taxpayer and account numbers are left out.
      ['return_identity', 'null', '"set"'],
      ['registrations', 'null', JSON.stringify([monthly('MI'), monthly('OH')])],
    ]);
    const authors = after.changes?.map(({ by }) => by);
    expect([authors?.at(-1), authors?.[0] === id]).toEqual([id, false]);
    // The instance that changed the settings does not use its cached account.
    const { data } = await made(caller.call('GET', '/filing-periods'));
    expect(new Set(data.map(({ state }) => state))).toEqual(new Set(['US-MI', 'US-OH']));
  });

  it('records nothing if the values are already set, and accepts its response as a request', async () => {
    const caller = await owner();
    const { collects_in } = await made(change(caller, { collects_in: 'every_state' }));
    expect(collects_in).toBe('every_state');
    const before = await made(read(caller));
    const { books_open_from: _, ...same } = before;
    expect((await made(change(caller, same))).settings_changed_at).toBe(before.settings_changed_at);
    expect((await made(read(caller))).changes).toHaveLength(1);
    const list = { registrations: [monthly('MI', '2026-01-01', '2026-06-30'), monthly('MI', '2026-07-01')] };
    await made(change(caller, list));
    expect((await made(change(caller, { collects_in: 'not_set', registrations: [] }))).registrations).toEqual([]);
  });

  it('refuses a change of settings that changed after they were read', async () => {
    const caller = await owner();
    const tag = getTag(await read(caller));
    const next = getTag(await change(caller, { review_days: 5 }, tag));
    const refused = await change(caller, { review_days: 6 }, tag);
    expect(getRefusal(refused)).toBe('412 | precondition_failed If-Match');
    expect((await made(change(caller, { review_days: 6 }, next))).review_days).toBe(6);
  });

  it('accepts a repeated change whose first response was lost, although its If-Match is outdated', async () => {
    const caller = await owner();
    const tag = getTag(await read(caller));
    const list = { review_days: 5, registrations: [monthly('MI')] };
    const first = await change(caller, list, tag);
    const second = await change(caller, list, tag);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('ETag')).toBe(first.headers.get('ETag'));
    expect((await made(read(caller))).changes).toHaveLength(2);
    // The repeat is refused if somebody else changed one of the settings in the meantime.
    await made(change(caller, { review_days: 7 }));
    expect(getRefusal(await change(caller, list, tag))).toBe('412 | precondition_failed If-Match');
    expect((await made(read(caller))).review_days).toBe(7);
  });

  it('treats a different spelling of a state as the same registration', async () => {
    const caller = await owner();
    for (const state of ['US-MI', 'MI', 'mi', 'michigan'])
      await made(change(caller, { registrations: [monthly(state)] }));
    const { registrations, changes } = await made(read(caller));
    expect([registrations.map(({ state }) => state), changes?.length]).toEqual([['US-MI'], 1]);
  });

  it('accepts one of two concurrent changes to the same settings', async () => {
    const caller = await owner();
    const tag = getTag(await read(caller));
    const responses = await Promise.all([
      change(caller, { review_days: 5 }, tag),
      change(caller, { time_zone: 'America/Chicago' }, tag),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('applies concurrent changes of different settings, and one of two changes of the same setting', async () => {
    const caller = await owner();
    const days4to7 = [4, 5, 6, 7].map((review_days) => ({ review_days }));
    const sent = [{ time_zone: 'America/Chicago' }, { ambiguous_address: 'reject' }, ...days4to7];
    const responses = await Promise.all(sent.map((body) => change(caller, body)));
    // Under contention, the service returns a retryable error.
    expect(responses.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    const { time_zone, ambiguous_address, review_days, changes = [] } = await made(read(caller));
    expect([time_zone, ambiguous_address]).toEqual(['America/Chicago', 'reject']);
    const days = changes.filter(({ setting }) => setting === 'review_days');
    // The history is a chain from the default to the value now.
    for (const { before } of days) expect([String(3), ...days.map(({ after }) => after)]).toContain(before);
    expect(days.map(({ after }) => after)).toContain(String(review_days));
    expect(days).toHaveLength(responses.slice(2).filter(({ status }) => status === 200).length);
  });

  it('refuses a change that would skip open periods with sales', async () => {
    const caller = await owner();
    await made(change(caller, { registrations: [monthly('MI'), monthly('OH')] }));
    await made(change(caller, { registrations: [monthly('MI')] }));
    await sold(connectClient(caller), { tax_date: '2026-03-15' });
    for (const [body, field] of [
      [{ registrations: [monthly('OH')] }, 'registrations'],
      [{ collects_in: 'every_state' }, 'registrations'],
      [{ books_open_from: '2026-04-01' }, 'books_open_from'],
    ] as const) {
      const refused = await change(caller, body);
      expect(getRefusal(refused)).toBe(`409 | conflict_period_order /${field}`);
      expect(getMeta(refused)).toEqual({ state: 'US-MI', period_end: '2026-03-31' });
    }
    await made(change(caller, { registrations: [monthly('MI', '2026-01-01', '2026-03-31')] }));
    await made(change(caller, { books_open_from: '2026-03-01' }));
    const { data } = await made(caller.call('GET', '/filing-periods'));
    expect(data.map(({ state, period_end }) => [state, period_end])).toEqual([['US-MI', '2026-03-31']]);
  });

  it('refuses the same change by the operator command, and changes nothing', async () => {
    const caller = await owner();
    const { id } = caller.account;
    const run = (...assignments: string[]) => accounts('settings', '--account', id, ...assignments);
    const list = (...registrations: object[]) => `registrations=${JSON.stringify(registrations)}`;
    expect(await run(list(monthly('MI'), monthly('OH')))).toMatchObject({ code: 0 });
    await sold(connectClient(caller), { tax_date: '2026-03-15' });
    for (const assignment of [list(monthly('OH')), 'registrations=[]', 'registrations=null', 'registrations=all'])
      expectFailure(await run('rate_limit=7', assignment), /^registrations cannot .* US-MI .* 2026-03 /);
    expectFailure(await run('rate_limit=7', 'books_open_from=2026-04-01'), /^books_open_from cannot .* 2026-03-01 or/);
    const { rate_limit, registrations, books_open_from } = (await findAccount(id))?.settings ?? {};
    expect([rate_limit, books_open_from]).toEqual([2000, null]);
    expect(registrations).toMatchObject([{ state: 'MI' }, { state: 'OH' }]);
    // Ohio has no sales, so its registration can be removed. The registration of Michigan can end.
    const ended = list(monthly('MI', '2026-01-01', '2026-03-31'));
    expect(await run(ended, 'books_open_from=2026-03-01')).toMatchObject({ code: 0 });
  });

  it('lists the changes of the operator', async () => {
    const caller = await owner();
    const options = ['settings', '--account', caller.account.id, 'rate_limit=500'];
    expect(await accounts(...options)).toMatchObject({ code: 0 });
    expect((await made(read(caller))).changes).toMatchObject([
      { by: 'operator', setting: 'rate_limit', before: '2000', after: '500' },
    ]);
  });

  it('refuses a key without the scope settings, and hides the identity from it', async () => {
    const caller = await newCaller({ scopes: ['read', 'write'], settings: { return_identity: identity } });
    expect(await made(read(caller))).not.toHaveProperty('return_identity');
    expect(getRefusal(await change(caller, { review_days: 5 }))).toBe('403 | auth_forbidden');
  });
});

describe('account store', () => {
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

  describe('provisioned accounts', () => {
    it('returns an account as provisioned and never overwrites it with a different account', async () => {
      const made = account();
      await provisionAccount(made);
      await provisionAccount(made);
      await expect(provisionAccount({ ...made, name: 'Another' })).rejects.toThrow(made.id);
      expect(await findAccount(made.id)).toEqual(made);
    });

    it('registers an account at creation, once for any number of provisions', async () => {
      const all = Array.from({ length: 120 }, () => account());
      // Runs a few at a time, because each call opens a connection to the emulator.
      for (let at = 0; at < all.length; at += 10)
        await Promise.all(all.slice(at, at + 10).map((account) => provisionAccount(account)));
      await provisionAccount(all[0] as Account);
      const pages = await Array.fromAsync(readPages(listAccountIds));
      expect(pages.length).toBeGreaterThan(1);
      const ids = pages.flatMap(({ rows }) => rows);
      expect(ids).toEqual([...new Set(ids)].sort());
      expect(ids).toEqual(expect.arrayContaining(all.map(({ id }) => id)));
    });
  });

  describe('API keys', () => {
    it('rejects an API key if the database returns a different key', async () => {
      const { secret } = await accountWithKey();
      intercept(async ({ pass }) => {
        const response = await pass();
        const { Item } = response.output as { Item?: { pk: string } };
        if (Item) Item.pk = apiKeyKey(hashKey('another')).pk;
        return response;
      });
      await expect(findKey(hashKey(secret)).finally(noFaults)).rejects.toThrow('different API key');
    });

    it('keeps the id of a key that is provisioned again on the same terms, even concurrently', async () => {
      const { account: owner, secret, id } = await accountWithKey();
      const responses = await Promise.all([1, 2, 3].map(() => provision(owner.id, secret)));
      expect(responses.map((key) => key.id)).toEqual([id, id, id]);
    });

    it.each<Terms>([{ scopes: ['read', 'write'] }, { expires_at: '2030-01-01T00:00:00.000Z' }])(
      'cannot be provisioned again with %o',
      async (terms) => {
        const { account: owner, secret, id } = await accountWithKey();
        await expect(provision(owner.id, secret, terms)).rejects.toThrow(id);
      },
    );

    it('assigns a key to exactly one existing account', async () => {
      const [first, second] = await Promise.all([accountWithKey(), accountWithKey()]);
      await expect(provision(second.account.id, first.secret)).rejects.toThrow('whose terms differ');
      await expect(provision('acc_none', newApiKey())).rejects.toThrow('acc_none');
    });

    it('keeps a key revoked as of the first date, and refuses to provision it again', async () => {
      const { account: owner, secret, id } = await accountWithKey();
      expect(await revokeKey(owner.id, id)).toBe(true);
      const revoked = await findKey(hashKey(secret));
      expect(Date.parse(revoked?.revoked_at ?? '')).toBeCloseTo(now(), -4);
      advanceClock(1000);
      expect(await revokeKey(owner.id, id)).toBe(true);
      expect(await findKey(hashKey(secret))).toEqual(revoked);
      await expect(provision(owner.id, secret)).rejects.toThrow('whose terms differ');
    });

    it('cannot revoke a key through another account', async () => {
      const { secret, id } = await accountWithKey();
      expect(await revokeKey((await accountWithKey()).account.id, id)).toBe(false);
      expect((await findKey(hashKey(secret)))?.revoked_at).toBeUndefined();
    });
  });

  describe('the request counter of a rate-limit window', () => {
    const windowStart = 1_800_000_000_000;
    const stored = async (Key: Record<string, string>) =>
      (await database.send(new GetCommand({ TableName: environment.tables.accounts, Key, ConsistentRead: true }))).Item;

    it('counts all requests of a batch or none', async () => {
      const { id } = account();
      expect(await takeRequests(id, windowStart, 7, 10)).toEqual({ taken: true, used: 7 });
      expect(await takeRequests(id, windowStart, 4, 10)).toEqual({ taken: false, used: 7 });
      expect(await takeRequests(id, windowStart, 3, 10)).toEqual({ taken: true, used: 10 });
      expect(await takeRequests(id, windowStart, 1, 10)).toEqual({ taken: false, used: 10 });
      expect(await takeRequests(id, windowStart + windowMs, 1, 10)).toEqual({ taken: true, used: 1 });
      await expect(takeRequests(id, windowStart + 2 * windowMs, 11, 10)).rejects.toThrow(RangeError);
    });

    it('deletes a counter after an hour', async () => {
      const { id } = account();
      await takeRequests(id, windowStart, 1, 10);
      const item = await stored(rateWindowKey(id, windowStart));
      expect(item).toMatchObject({ requests: 1, ttl: windowStart / 1000 + 3600 });
    });
  });
});
