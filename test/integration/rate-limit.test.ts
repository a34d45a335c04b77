// @isolated: resets modules.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newAccount } from '../../shared/accounts/account.ts';
import type { RequestContext } from '../../shared/api/request-context.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { now } from '../../shared/config/clock.ts';
import { changeSettings } from '../../shared/store/accounts/account-store.ts';
import { connectClient, newCaller } from '../support/api.ts';
import { requestContext } from '../support/handler-calls.ts';
import type { ApiResponse } from '../support/http.ts';
import { getRefusal, later } from '../support/sales.ts';

const getRate = ({ headers }: ApiResponse) => ['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`));

describe("the account's setting", () => {
  it('rejects every request with a limit of 0, and applies a changed limit within a minute', async () => {
    const { account, call } = await newCaller({ settings: { rate_limit: 0 } });
    const client = connectClient({ call });
    for (let times = 0; times < 3; times += 1) {
      const response = await client.list();
      expect([getRefusal(response), ...getRate(response)]).toEqual(['429 | rate_limit_error', '0', '0']);
      expect(response.headers.has('x-ratelimit-reset')).toBe(false);
    }
    expect(await changeSettings(account, { rate_limit: 3 })).toBe(true);
    await later(60_000, async () => {
      const response = await client.list();
      expect([response.status, getRate(response)[0]]).toEqual([200, '3']);
    });
  });
});

describe('database outages', () => {
  let limitRate: typeof import('../../shared/api/limit-rate.ts').limitRate;
  beforeAll(async () => {
    // No server listens at this address. The modules read the environment at import.
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
      expect(asked.responseHeaders).toMatchObject({ 'X-RateLimit-Limit': '2', 'X-RateLimit-Remaining': '2' });
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

  it('returns the limit in a response that does not wait for the count', () => {
    const asked = limited('acc_waiting');
    void limitRate(asked);
    expect(asked.responseHeaders).toMatchObject({ 'X-RateLimit-Limit': '2', 'X-RateLimit-Remaining': '2' });
  });
});
