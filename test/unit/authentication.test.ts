import { beforeEach, describe, expect, it } from 'vitest';
import { type Account, defaultSettings } from '../../shared/accounts/account.ts';
import { type ApiKey, hashKey, newApiKey } from '../../shared/accounts/api-key.ts';
import { authenticator } from '../../shared/api/authenticate.ts';
import type { Token } from '../../shared/api/jwt.ts';
import { Refusal, type RequestContext } from '../../shared/api/request-context.ts';
import { instanceCache } from '../../shared/base/instance-cache.ts';
import { accept, refuse } from '../../shared/base/result.ts';
import { advanceClock, now } from '../../shared/config/clock.ts';
import type { Session, SessionSource } from '../../shared/store/accounts/session-store.ts';
import { requestContext } from '../support/handler-calls.ts';

const account = (id: string): Account => ({
  id,
  name: id,
  created_at: '2026-10-01T00:00:00.000Z',
  cursor_secret: 'secret',
  settings: defaultSettings('aspen.2026-10-01'),
});

const key = (id: string, terms: Partial<ApiKey> = {}): ApiKey => ({
  id,
  account: 'acc_a',
  scopes: ['read', 'write'],
  created_at: '2026-10-01T00:00:00.000Z',
  expires_at: null,
  ...terms,
});

const context = (headers: Record<string, string | string[]>): RequestContext =>
  requestContext({ headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value].flat()])) });

const good = newApiKey();
const secret = newApiKey();
const createSession = (source: SessionSource, ms = 3_600_000): Session => {
  const expires_at = new Date(now() + ms).toISOString();
  return { account: 'acc_a', source, expires_at, ends_at: expires_at };
};
/** A request of the console: what a browser sends with the cookie of its session. */
const inConsole = (cookie = secret, others: Record<string, string> = {}) => ({
  'console-session': '1',
  'sec-fetch-site': 'same-origin',
  host: '127.0.0.1:3000',
  cookie: `theme=dark; levy_session=${cookie}`,
  ...others,
});
let reads: string[];
let keys: Map<string, ApiKey>;
let sessions: Map<string, Session>;
let broken: boolean;
let uses: string[];
let recordKeyUse: (account: string, id: string) => Promise<void>;
let authenticate: (context: RequestContext) => Promise<void>;

beforeEach(() => {
  reads = [];
  broken = false;
  uses = [];
  recordKeyUse = async (owner, id) => void uses.push(`${owner} ${id}`);
  keys = new Map();
  keys.set(hashKey(good), key('key_good'));
  keys.set(hashKey('other'), key('key_other', { account: 'acc_b' }));
  keys.set(hashKey('orphan'), key('key_orphan', { account: 'acc_gone' }));
  keys.set(hashKey('old'), key('key_old', { expires_at: new Date(now() + 1000).toISOString() }));
  keys.set(hashKey('revoked'), key('key_revoked', { revoked_at: '2026-10-02T00:00:00.000Z' }));
  keys.set(hashKey('of closed'), key('key_of_closed', { account: 'acc_closed' }));
  sessions = new Map([
    [hashKey(secret), createSession({ key_digest: hashKey(good) })],
    [hashKey('revoked'), createSession({ key_digest: hashKey('revoked') })],
    [hashKey('expired'), createSession({ key_digest: hashKey(good) }, -1)],
    [
      hashKey('of token'),
      createSession({ subject: 'ann', scopes: ['read'], token_ends_at: '2030-01-01T00:00:00.000Z' }),
    ],
  ]);
  const accounts = new Map(['acc_a', 'acc_b', 'acc_closed'].map((id) => [id, account(id)]));
  accounts.set('acc_closed', { ...account('acc_closed'), closed_at: '2026-10-02T00:00:00.000Z' });
  const find =
    <Value>(kind: string, map: Map<string, Value>) =>
    async (id: string) => {
      reads.push(kind);
      if (broken) throw Object.assign(new Error('down'), { name: 'TimeoutError' });
      return map.get(id);
    };
  authenticate = authenticator({
    findKey: find('key', keys),
    findAccount: find('account', accounts),
    findSession: find('session', sessions),
    recordKeyUse: (owner, id) => recordKeyUse(owner, id),
    verifyToken: async (token) =>
      token.startsWith('acc_')
        ? accept<Token>({ account: token, subject: 'shop', scopes: ['read'], endsMs: now() + 300_000 })
        : refuse({ code: 'auth_token_invalid', title: 'Invalid Token', detail: 'No.' }),
  });
});

const readRefusal = async (headers: Record<string, string | string[]>): Promise<Refusal> => {
  const thrown = await authenticate(context(headers)).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Refusal)) throw new Error('It was not refused.', { cause: thrown });
  return thrown;
};

const createCaller = async (headers: Record<string, string | string[]>) => {
  const asked = context(headers);
  await authenticate(asked);
  return asked.caller;
};

describe('callers', () => {
  it('authenticates a caller by an API key', async () => {
    const caller = await createCaller({ 'x-api-key': good });
    expect(caller).toEqual({ account: account('acc_a'), credential: 'key_good', scopes: new Set(['read', 'write']) });
  });

  it.each(['Bearer acc_b', 'bearer  acc_b'])('authenticates a caller by a bearer token: %s', async (authorization) => {
    const caller = await createCaller({ authorization });
    expect(caller).toEqual({ account: account('acc_b'), credential: 'token:shop', scopes: new Set(['read']) });
  });

  it('accepts the same value twice, and a key and a token of the same account', async () => {
    const caller = await createCaller({ 'x-api-key': [good, good], authorization: 'Bearer acc_a' });
    expect(caller?.credential).toBe('key_good');
  });

  it('makes two reads per minute for any number of concurrent requests', async () => {
    await Promise.all(Array.from({ length: 20 }, () => createCaller({ 'x-api-key': good })));
    await createCaller({ 'x-api-key': good });
    expect(reads).toEqual(['key', 'account']);
    advanceClock(60_000);
    await createCaller({ 'x-api-key': good });
    expect(reads).toHaveLength(4);
  });
});

describe('rejected credentials', () => {
  const [none, unknown, invalid] = ['auth_error', 'auth_api_key_not_found', 'auth_token_invalid'];
  it.each<[string, Record<string, string | string[]>, string | undefined, number]>([
    ['no credential', {}, none, 0],
    ['an empty key', { 'x-api-key': '' }, none, 0],
    ['two different keys', { 'x-api-key': [good, 'other'] }, none, 0],
    ['two different tokens', { authorization: ['Bearer a', 'Bearer b'] }, none, 0],
    ['an unknown key', { 'x-api-key': 'nobody' }, unknown, 1],
    ['a key in a different format', { 'x-api-key': `${good}!` }, unknown, 1],
    ['a control character', { 'x-api-key': 'a\u0007b' }, unknown, 0],
    ['513 characters', { 'x-api-key': 'k'.repeat(513) }, unknown, 0],
    ['a key with a wrong checksum', { 'x-api-key': good.slice(0, -1) + (good.endsWith('a') ? 'b' : 'a') }, unknown, 0],
    ['a revoked key', { 'x-api-key': 'revoked' }, unknown, 1],
    ['a key without an account', { 'x-api-key': 'orphan' }, unknown, 2],
    ['a key of a closed account', { 'x-api-key': 'of closed' }, unknown, 2],
    ['a token of a closed account', { authorization: 'Bearer acc_closed' }, invalid, 1],
    ['an invalid token', { authorization: 'Bearer nonsense' }, invalid, 0],
    ['a different scheme', { authorization: 'Basic acc_a' }, invalid, 0],
    ['no token', { authorization: 'Bearer' }, invalid, 0],
    ['two tokens in one', { authorization: 'Bearer acc_a acc_a' }, invalid, 0],
    ['an endless token', { authorization: `Bearer acc_${'t'.repeat(8192)}` }, invalid, 0],
    ['a token without an account', { authorization: 'Bearer acc_c' }, invalid, 1],
    ['a key and a token of different accounts', { 'x-api-key': good, authorization: 'Bearer acc_b' }, none, 3],
    ['a valid key and an invalid token', { 'x-api-key': good, authorization: 'Bearer x' }, invalid, 2],
  ])('rejects %s with 401 and records no use of a key', async (_case, headers, code, calls) => {
    const { problems, headers: replied } = await readRefusal(headers);
    const header = code === invalid || Array.isArray(headers['authorization']) ? 'Authorization' : 'X-API-Key';
    expect(problems).toMatchObject([{ code, source: { header } }]);
    expect(replied['WWW-Authenticate']).toMatch(/^ApiKey realm="levy", header="X-API-Key", Bearer realm="levy"/);
    expect(reads).toHaveLength(calls);
    expect(uses).toEqual([]);
  });

  it('rejects a key from the moment it expires, even if it is cached', async () => {
    expect((await createCaller({ 'x-api-key': 'old' }))?.credential).toBe('key_old');
    advanceClock(1000);
    expect((await readRefusal({ 'x-api-key': 'old' })).message).toBe('auth_api_key_expired');
  });

  it('rejects a revoked key within a minute', async () => {
    await createCaller({ 'x-api-key': good });
    keys.set(hashKey(good), key('key_good', { revoked_at: new Date(now()).toISOString() }));
    advanceClock(60_000);
    expect((await readRefusal({ 'x-api-key': good })).message).toBe('auth_api_key_not_found');
  });

  it('caches an unknown key', async () => {
    for (let times = 0; times < 5; times++) await readRefusal({ 'x-api-key': 'nobody' });
    expect(reads).toEqual(['key']);
  });

  it('returns 503 if the database is down, and does not cache the failure', async () => {
    broken = true;
    await expect(authenticate(context({ 'x-api-key': good }))).rejects.toMatchObject({ name: 'TimeoutError' });
    broken = false;
    expect((await createCaller({ 'x-api-key': good }))?.credential).toBe('key_good');
  });
});

describe('console sessions', () => {
  it('returns the name and the scopes of its credential, and counts as a use of its key', async () => {
    expect(await createCaller(inConsole())).toMatchObject({
      credential: 'key_good',
      scopes: new Set(['read', 'write']),
    });
    expect(await createCaller(inConsole('of token'))).toMatchObject({
      credential: 'token:ann',
      scopes: new Set(['read']),
    });
    expect(uses).toEqual(['acc_a key_good']);
  });

  it.each([
    ['another site', inConsole(secret, { 'sec-fetch-site': 'cross-site' })],
    ['another host of the site', inConsole(secret, { 'sec-fetch-site': 'same-site' })],
    ['a typed address', inConsole(secret, { 'sec-fetch-site': 'none' })],
    ['a client that is no browser', { ...inConsole(), 'sec-fetch-site': [] }],
    ['a form, which cannot send the header', { 'sec-fetch-site': 'same-origin', cookie: `levy_session=${secret}` }],
    ['no cookie', { ...inConsole(), cookie: [] }],
    ['two cookies', inConsole(secret, { cookie: `levy_session=${secret}; levy_session=${good}` })],
    ['a cookie that a plain host of https set', inConsole(secret, { host: 'levy.example' })],
    ['a tampered secret', inConsole(secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a'))],
    ['an unknown secret', inConsole(newApiKey())],
    ['an API key as the secret', inConsole(good)],
    ['an expired session', inConsole('expired')],
  ])('rejects a session for %s', async (_case, headers) => {
    expect((await readRefusal(headers)).message).toBe('auth_error');
  });

  it('rejects a session of a revoked key, and its secret as an API key', async () => {
    expect((await readRefusal(inConsole('revoked'))).message).toBe('auth_api_key_not_found');
    expect((await readRefusal({ 'x-api-key': secret })).message).toBe('auth_api_key_not_found');
  });

  it('ends a session at the second it expires, even if it is cached', async () => {
    sessions.set(hashKey('short'), createSession({ key_digest: hashKey('other') }, 1000));
    await createCaller(inConsole('short'));
    advanceClock(1000);
    expect((await readRefusal(inConsole('short'))).message).toBe('auth_error');
  });

  it('rejects a session of a different account than a key in the same request', async () => {
    expect((await readRefusal(inConsole(secret, { 'x-api-key': 'other' }))).message).toBe('auth_error');
    expect(await createCaller(inConsole(secret, { 'x-api-key': good }))).toMatchObject({ credential: 'key_good' });
    // Without the header, the cookie is not read.
    expect(await createCaller({ cookie: `levy_session=${secret}`, 'x-api-key': 'other' })).toMatchObject({
      credential: 'key_other',
    });
  });
});

describe('the use of a key', () => {
  it('records a use on the first request and then every 30 minutes, for any number of requests', async () => {
    await Promise.all(Array.from({ length: 20 }, () => createCaller({ 'x-api-key': good })));
    for (let minute = 0; minute < 29; minute++) {
      advanceClock(60_000);
      await createCaller({ 'x-api-key': good });
    }
    expect(uses).toEqual(['acc_a key_good']);
    advanceClock(60_000);
    await createCaller({ 'x-api-key': good });
    expect(uses).toEqual(['acc_a key_good', 'acc_a key_good']);
  });

  it('records a use of each key, but not of tokens', async () => {
    await createCaller({ 'x-api-key': 'other' });
    await createCaller({ authorization: 'Bearer acc_a' });
    await createCaller({ 'x-api-key': good, authorization: 'Bearer acc_a' });
    expect(uses).toEqual(['acc_b key_other', 'acc_a key_good']);
  });
});

describe('the cache of an instance', () => {
  /** A cache with a TTL of one minute that counts its reads. */
  const counting = () => {
    const reads: string[] = [];
    const cache = instanceCache<undefined>({ lifetimeMs: 60_000, capacity: 3 });
    const get = (key: string) => cache(key, async (read) => void reads.push(read) as undefined);
    return { reads, get };
  };

  it('reads a key once per TTL, even if it does not exist, and again after the clock is set back', async () => {
    const { reads, get } = counting();
    for (const [ms, count] of [
      [0, 1],
      [59_000, 1],
      [1000, 2],
      [-3_600_000, 3],
    ] as const) {
      advanceClock(ms);
      await get('a');
      expect(reads).toHaveLength(count);
    }
  });

  it('limits its size, and evicts the least recently used entry', async () => {
    const { reads, get } = counting();
    const listReads = (key: string) => reads.filter((read) => read === key).length;
    for (let index = 0; index < 100; index++) {
      await get('hot');
      await get(`unknown ${index}`);
    }
    expect(listReads('hot')).toBe(1);
    await get('unknown 0');
    expect(listReads('unknown 0')).toBe(2);
  });
});
