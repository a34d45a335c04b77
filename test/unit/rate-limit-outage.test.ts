import { afterEach, expect, it, vi } from 'vitest';

// Nobody listens there, and the client reads it when it is imported.
vi.hoisted(() => {
  Object.assign(process.env, {
    DYNAMODB_ENDPOINT: 'http://127.0.0.1:1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
});

import { defaultSettings } from '../../shared/accounts/account.ts';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { authenticate } from '../../shared/http/authenticate.ts';
import { type Exchange, exchangeOf, Refusal } from '../../shared/http/exchange.ts';
import { limitRate } from '../../shared/http/limit-rate.ts';

afterEach(() => vi.restoreAllMocks());

const exchange = (headers: Record<string, string>): Exchange =>
  exchangeOf({ requestContext: { requestId: 'request' }, httpMethod: 'GET', path: '/', headers } as any, () => 1000);

const account = (id: string) => ({
  id,
  name: id,
  created_at: '2026-10-01T00:00:00.000Z',
  cursor_secret: 'secret',
  settings: { ...defaultSettings('aspen.2026-10-01'), rate_limit: 2 },
});

it('lets requests pass while the database is down, says so once a second, and shows the limit', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const asked = exchange({});
  asked.caller = { account: account('acc_outage'), credential: 'key', scopes: new Set() };
  const before = performance.now();
  for (let times = 0; times < 5; times++) await limitRate(asked);
  expect(performance.now() - before).toBeLessThan(900);
  expect(asked.replyHeaders).toMatchObject({ 'X-RateLimit-Limit': '2', 'X-RateLimit-Remaining': '2' });
  expect(warn.mock.calls).toEqual([[{ metric: 'rate_limit_open', error: expect.any(String) }]]);
});

it('does not take an outage of the database for a wrong key', async () => {
  const thrown = await authenticate(exchange({ 'X-API-Key': newApiKey() })).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Error);
  expect(thrown).not.toBeInstanceOf(Refusal);
});
