// @isolated: resets modules.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { newAccount } from '../../shared/accounts/account.ts';
import type { Endpoint } from '../../shared/api/endpoint.ts';
import { lambdaHandler } from '../../shared/api/lambda-handler.ts';
import type { RequestContext } from '../../shared/api/request-context.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { now } from '../../shared/config/clock.ts';
import { changeSettings } from '../../shared/store/accounts/account-store.ts';
import { connectClient, newCaller, newClient } from '../support/api.ts';
import { startGateway } from '../support/gateway.ts';
import { requestContext } from '../support/handler-calls.ts';
import { type Answer, send } from '../support/http.ts';
import { getRefusal, later, made, sale, sold } from '../support/sales.ts';

const unknown = 'txn_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const getRate = ({ headers }: Answer) => ['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`));

it('every kind of response to a known account has its limit and the remaining requests', async () => {
  const client = await newClient({ settings: { rate_limit: 1000 } });
  const reader = await newCaller({ scopes: ['read'], settings: { rate_limit: 1000 } });
  const full = await newCaller({ settings: { rate_limit: 0 } });
  const { id } = await sold(client, { reference_id: 'taken' });
  const attributes = await client.call('GET', '/product-attributes');
  const tag = { 'If-None-Match': attributes.headers.get('etag') ?? '' };
  const answers: Record<number, Answer> = {
    200: await client.get(id),
    201: await client.create(sale()),
    304: await client.call('GET', '/product-attributes', { headers: tag }),
    400: await client.call('POST', '/transactions', { rawBody: '{' }),
    403: await connectClient(reader).create(sale()),
    404: await client.get(unknown),
    409: await client.create(sale({ reference_id: 'taken' })),
    412: await client.update(id, { status: 'void' }, { 'If-Match': '"7"' }),
    413: await client.call('POST', '/transactions', { rawBody: '1'.repeat(1024 * 1024 + 1) }),
    415: await client.create(sale(), { 'Content-Type': 'text/plain' }),
    422: await client.create({}),
    429: await connectClient(full).list(),
  };
  const failing = (endpoint: Endpoint, error: Error) =>
    lambdaHandler({ ...endpoint, serve: () => Promise.reject(error) });
  const outage = Object.assign(new Error('Gone.'), { name: 'TimeoutError' });
  const { url, close } = await startGateway({
    'get-transaction': failing(endpoints['get-transaction'], new Error('A bug.')),
    'list-transactions': failing(endpoints['list-transactions'], outage),
  });
  const headers = { 'X-API-Key': client.key };
  const failures = [
    await send(url, 'GET', `/transactions/${id}`, { headers }),
    await send(url, 'GET', '/transactions', { headers }),
  ];
  close();
  expect(failures.map(({ status }) => status)).toEqual([500, 503]);

  for (const [status, answer] of [
    ...Object.entries(answers),
    ...failures.map((answer) => [answer.status, answer] as const),
  ]) {
    const [limit, remaining] = getRate(answer);
    const isFull = Number(status) === 429;
    expect([answer.status, limit]).toEqual([Number(status), isFull ? '0' : '1000']);
    expect(remaining).toMatch(/^\d+$/);
    expect(Number(remaining)).toBeLessThanOrEqual(isFull ? 0 : 1000);
    expect([status, answer.headers.has('retry-after')]).toEqual([status, isFull || Number(status) === 503]);
    // A window is ten seconds.
    if (isFull) expect(answer.headers.get('retry-after')).toMatch(/^([1-9]|10)$/);
    expect(answer.headers.has('x-ratelimit-reset')).toBe(false);
    expect([status, answer.headers.get('vary')?.includes('Service-Version')]).toEqual([status, true]);
  }
});

describe('the setting of an account', () => {
  it('a limit of 0 rejects every request, and a changed limit applies within a minute', async () => {
    const { account, call } = await newCaller({ settings: { rate_limit: 0 } });
    const client = connectClient({ call });
    for (let times = 0; times < 3; times += 1) {
      const answer = await client.list();
      expect([getRefusal(answer), ...getRate(answer)]).toEqual(['429 | rate_limit_error', '0', '0']);
    }
    expect(await changeSettings(account, { rate_limit: 3 })).toBe(true);
    await later(60_000, async () => {
      const answer = await client.list();
      expect([answer.status, getRate(answer)[0]]).toEqual([200, '3']);
    });
  });

  it('a lowered limit applies in each window from then on', async () => {
    const { account, call } = await newCaller({ settings: { rate_limit: 500 } });
    const client = connectClient({ call });
    await made(client.list());
    await changeSettings(account, { rate_limit: 2 });
    await later(60_000, async () => {
      const answers = [];
      for (let times = 0; times < 8; times += 1) answers.push(await client.list());
      // At most one window ends meanwhile.
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(4);
      expect(answers.map((answer) => getRate(answer)[0])).toEqual(Array(8).fill('2'));
    });
  });
});

describe('while the database is down', () => {
  let limitRate: typeof import('../../shared/api/limit-rate.ts').limitRate;
  beforeAll(async () => {
    // No server listens there. The modules read the environment at import.
    vi.stubEnv('DYNAMODB_ENDPOINT', 'http://127.0.0.1:1');
    vi.resetModules();
    ({ limitRate } = await import('../../shared/api/limit-rate.ts'));
    vi.unstubAllEnvs();
    vi.resetModules();
  });
  afterEach(() => vi.restoreAllMocks());

  const limited = (id: string): RequestContext => {
    const { settings, ...account } = newAccount({ name: id, serviceVersion: currentVersion, createdMs: now() });
    const caller = { account: { ...account, id, settings: { ...settings, rate_limit: 2 } }, credential: 'key' };
    return requestContext({ caller: { ...caller, scopes: new Set<never>() } });
  };

  it('allows requests, returns the limit, and counts the outage in one metric', async () => {
    // The service's clock is stopped, so all requests are in the same second.
    vi.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000);
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const requests = ['acc_outage', 'acc_outage', 'acc_other', 'acc_outage', 'acc_third'].map(limited);
    for (const asked of requests) {
      await limitRate(asked);
      expect(asked.replyHeaders).toMatchObject({ 'X-RateLimit-Limit': '2', 'X-RateLimit-Remaining': '2' });
    }
    const lines = write.mock.calls.map(([line]) => String(line));
    vi.restoreAllMocks();
    // One metric line, for the request that detected the outage.
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith('}\n')).toBe(true);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          { Namespace: 'Levy', Dimensions: [[]], Metrics: [{ Name: 'RateLimitOpen', Unit: 'Count' }] },
        ],
      },
      RateLimitOpen: 1,
      error: expect.stringMatching(/^\w+$/),
    });
  });

  it('returns the limit from the start, for a response that does not wait for the count', () => {
    const asked = limited('acc_waiting');
    void limitRate(asked);
    expect(asked.replyHeaders).toMatchObject({ 'X-RateLimit-Limit': '2', 'X-RateLimit-Remaining': '2' });
  });
});
