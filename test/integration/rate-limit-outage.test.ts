// @isolated: uses a different database endpoint.
import { afterEach, expect, it, vi } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import type { RequestContext } from '../../shared/api/request-context.ts';

// No server listens there. The modules read the environment at import.
process.env['DYNAMODB_ENDPOINT'] = 'http://127.0.0.1:1';
vi.resetModules();
const { requestContext } = await import('../../shared/api/request-context.ts');
const { limitRate } = await import('../../shared/api/limit-rate.ts');

afterEach(() => vi.restoreAllMocks());

const context = (headers: Record<string, string>): RequestContext =>
  requestContext(
    { requestContext: { requestId: 'request' }, httpMethod: 'GET', resource: '/', headers } as unknown as Parameters<
      typeof requestContext
    >[0],
    () => 1000,
  );

const account = (id: string) => ({
  id,
  name: id,
  created_at: '2026-10-01T00:00:00.000Z',
  cursor_secret: 'secret',
  settings: { ...defaultSettings('aspen.2026-10-01'), rate_limit: 2 },
});

const limited = (id: string): RequestContext => {
  const asked = context({});
  asked.caller = { account: account(id), credential: 'key', scopes: new Set() };
  return asked;
};

it('allows requests while the database is down, returns the limit, and counts the outage in one metric', async () => {
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
      CloudWatchMetrics: [{ Namespace: 'Levy', Dimensions: [[]], Metrics: [{ Name: 'RateLimitOpen', Unit: 'Count' }] }],
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
