/** The last use of an API key is recorded in parallel with the request and never delays or fails it. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpoint as getCoverage } from '../../functions/get-coverage.ts';
import { json } from '../../infra/local/proxy-event.ts';
import { windowMs } from '../../shared/accounts/rate-limiter.ts';
import { lambdaHandler } from '../../shared/api/lambda-handler.ts';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { listKeys, recordKeyUse } from '../../shared/store/accounts/api-key-store.ts';
import { database } from '../../shared/store/client/client.ts';
import { keyUseKey } from '../../shared/store/keys.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { intercept, noFaults, useSdk } from '../support/faults.ts';
import { getEvent } from '../support/handler-calls.ts';
import { later, minuteMs } from '../support/sales.ts';

/** The calls to the accounts table, and the injected fault in the write of a key's use. */
let calls: string[] = [];
let interfere: () => Promise<void> = async () => {};

beforeEach(() => {
  calls = [];
  // A slow machine must not count as an unresponsive database.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  intercept(async ({ command, input, pass }) => {
    const { TableName, Key } = input as { TableName?: string; Key?: { pk: string } };
    if (TableName !== environment.tables.accounts) return pass();
    calls.push(`${command} ${Key?.pk.split('#')[0]}`);
    if (Key?.pk.startsWith('USE#')) await interfere();
    return pass();
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  interfere = async () => {};
  noFaults();
});

const lastUse = async ({ account }: Caller): Promise<string | null | undefined> =>
  (await listKeys(account.id))[0]?.last_used_at;
const get = (caller: Caller) => caller.call('GET', '/product-attributes');

describe("the record of a key's use", () => {
  it('never moves the time of use back, and writes it once if several instances record it', async () => {
    const { account } = await newCaller();
    const Key = keyUseKey(account.id, 'key_1');
    const get = new GetCommand({ TableName: environment.tables.accounts, Key, ConsistentRead: true });
    const stored = async () => (await database.send(get)).Item?.['used_at'];
    await later(minuteMs, () => recordKeyUse(account.id, 'key_1'));
    const first = await stored();
    await recordKeyUse(account.id, 'key_1');
    await later(30 * minuteMs, () => Promise.all(Array.from({ length: 5 }, () => recordKeyUse(account.id, 'key_1'))));
    expect(await stored()).toBe(first);
    await later(31.1 * minuteMs, () => recordKeyUse(account.id, 'key_1'));
    expect(Date.parse(await stored()) - Date.parse(first)).toBeGreaterThanOrEqual(30 * minuteMs);
  });

  it('makes one call for a cold request, started before the rate limit, and none for a warm request', async () => {
    const caller = await newCaller();
    // Starts at the beginning of a rate limit window, because a new window during the test would restart the count.
    const inWindow = windowMs - (now() % windowMs) + 1;
    await later(inWindow, async () => {
      calls = [];
      await get(caller);
      expect(calls.slice(0, 2)).toEqual(['GetItem KEY', 'GetItem ACCOUNT']);
      expect(calls.slice(2)).toEqual(['UpdateItem USE', 'UpdateItem RATE']);
      calls = [];
      for (let times = 0; times < 10; times++) await get(caller);
      expect(calls.filter((call) => call !== 'UpdateItem RATE')).toEqual([]);
    });
  });

  it.each(['ThrottlingException', 'AccessDeniedException', 'AbortError'])(
    'does not fail the request on a %s, and counts it in a metric',
    async (error) => {
      const caller = await newCaller();
      const lines: string[] = [];
      const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
      interfere = async () => {
        throw Object.assign(new Error(`No ${caller.key}`), { name: error });
      };
      expect((await get(caller)).status).toBe(200);
      interfere = async () => {};
      expect((await get(caller)).status).toBe(200);
      write.mockRestore();
      expect(await lastUse(caller)).toBeNull();
      const others = lines.map((line) => JSON.parse(line)).filter(({ operation }) => operation === undefined);
      expect(others).toMatchObject([{ KeyUseUnrecorded: 1, error }]);
      expect(lines.join()).not.toContain(caller.key);
    },
  );

  it('times out after 250 ms', async () => {
    useSdk();
    const timeout = vi.mocked(AbortSignal.timeout).mockImplementation(() => AbortSignal.abort());
    await expect(recordKeyUse('acct_silent', 'key_1')).rejects.toMatchObject({ name: 'AbortError' });
    expect(timeout.mock.calls).toEqual([[250]]);
  });
});

describe('invocations', () => {
  const invoked = ({ key }: Caller, serve: () => Promise<ReturnType<typeof json>>) => {
    const event = getEvent('GET', '/coverage', { headers: { 'X-API-Key': key } });
    return lambdaHandler({ ...getCoverage, serve })(event, { getRemainingTimeInMillis: () => 9000 } as Context);
  };

  it.each([200, 500])(
    "returns %i after the operation and the recording of the key's use, which run in parallel",
    async (status) => {
      vi.spyOn(console, 'error').mockImplementation(() => {});
      const caller = await newCaller();
      const done: string[] = [];
      const served = Promise.withResolvers<void>();
      interfere = async () => {
        await served.promise;
        await new Promise(setImmediate);
        done.push('recorded');
      };
      const invocation = invoked(caller, async () => {
        done.push('served');
        served.resolve();
        if (status === 500) throw new Error('A bug.');
        return json(200, {}, 'request_1');
      }).then(({ statusCode }) => {
        done.push('ended');
        return statusCode;
      });
      expect(await invocation).toBe(status);
      expect(done).toEqual(['served', 'recorded', 'ended']);
      expect(await lastUse(caller)).not.toBeNull();
      vi.restoreAllMocks();
    },
  );
});
