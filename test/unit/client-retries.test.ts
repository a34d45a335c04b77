/**
 * Retries of the TypeScript client against a scripted `fetch`. test/contract/client.test.ts runs the client against the
 * service.
 */
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CallOptions, createClient, type Levy, LevyUnavailable, orThrow } from '../../shared/client/client.ts';

type Responder = (signal: AbortSignal) => Response | Promise<Response>;

const body = { status: 'draft' as const, line_items: [{ quantity: '1', unit_price: '1.00' }] };
const error = (status: number, headers: Record<string, string> = {}): Responder => {
  const errors = [{ status: String(status), code: 'x', detail: 'Detail' }];
  return () => Response.json({ errors }, { status, headers });
};
const failing = (cause?: Error): Responder => {
  return () => {
    throw new TypeError('fetch failed', { cause });
  };
};
const networkFailure = failing();
const brokenBody: Responder = () =>
  new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) }));
const noResponse: Responder = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const timeout = { cause: { name: 'TimeoutError' } };

const timeoutMs = 77;
let pauses: number[];
beforeEach(() => {
  pauses = [];
  const { setTimeout } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
    // The timeout of an attempt runs in real time. Pauses end immediately.
    if (ms === timeoutMs) return setTimeout(run, ms);
    pauses.push(ms);
    return setTimeout(run, 0);
  }) as typeof setTimeout);
});
afterEach(() => vi.restoreAllMocks());

/** A client whose requests get the responses in order, and 200 after that. */
const scripted = (responses: readonly Responder[], options: CallOptions = {}) => {
  const sent: Headers[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(new Headers(init?.headers));
    const response = responses[sent.length - 1] ?? (() => Response.json({ id: 'txn_1' }));
    return response(init?.signal as AbortSignal);
  };
  const levy = createClient({ url: 'http://levy.test', apiKey: 'levy_key', fetch, timeoutMs, ...options });
  return { levy, sent, fetch };
};
const listValues = (sent: readonly Headers[], name: string) => sent.map((headers) => headers.get(name));
const create = (levy: Levy, call: CallOptions = {}) => levy.post('/transactions', { body, ...call });

describe('requests of the client', () => {
  it("sends the API key, the version and, for a POST, the caller's or a generated Idempotency-Key", async () => {
    const { levy, sent } = scripted([]);
    await create(levy);
    await create(levy);
    await create(levy, { idempotencyKey: 'mine' });
    await create(levy, { headers: { 'idempotency-key': 'in a header' } });
    await levy.get('/transactions');
    const [first, second, ...rest] = listValues(sent, 'Idempotency-Key');
    expect(first).toMatch(/^[\da-f-]{36}$/);
    expect(second).not.toBe(first);
    expect(rest).toEqual(['mine', 'in a header', null]);
    expect(new Set(listValues(sent, 'X-API-Key'))).toEqual(new Set(['levy_key']));
    expect(new Set(listValues(sent, 'Service-Version'))).toEqual(new Set(['aspen.2026-10-01']));
  });

  it('gets a bearer token for every attempt', async () => {
    let calls = 0;
    const { fetch, sent } = scripted([networkFailure, error(503)]);
    await createClient({ url: 'http://levy.test', fetch, token: () => `token_${++calls}` }).get('/transactions');
    expect(listValues(sent, 'Authorization')).toEqual([1, 2, 3].map((n) => `Bearer token_${n}`));
    expect(listValues(sent, 'X-API-Key')).toEqual([null, null, null]);
  });

  it('fails without credentials and a URL, or with an id that would change the path', async () => {
    expect(() => createClient({ url: 'http://levy.test', apiKey: '' })).toThrow('apiKey');
    for (const url of ['levy.test', '127.0.0.1:3000', ''])
      expect(() => createClient({ url, apiKey: 'levy_key' })).toThrow('with http:// or https://');
    const { levy, sent } = scripted([]);
    for (const id of ['', '.', '..'])
      await expect(levy.get('/transactions/{id}', { path: { id } })).rejects.toThrow('path.id');
    expect(sent).toEqual([]);
  });
});

describe('retries', () => {
  it.each([
    ['429', error(429, { 'Retry-After': '2' })],
    ['500', error(500)],
    ['503', error(503)],
    ['an HTML page with 502', () => new Response('<html>', { status: 502 })],
    ['a network failure', networkFailure],
    ['a timeout', noResponse],
    ['an interrupted body', brokenBody],
    ['a truncated body', () => new Response('{"id":', { headers: { 'Content-Type': 'application/json' } })],
  ])('retries with the same Idempotency-Key after %s', async (_, response) => {
    const { levy, sent } = scripted([response, response]);
    expect(await create(levy)).toMatchObject({ ok: true, status: 200, data: { id: 'txn_1' } });
    expect([sent.length, new Set(listValues(sent, 'Idempotency-Key')).size]).toEqual([3, 1]);
  });

  it('waits for Retry-After and up to a second more, otherwise exponentially with jitter', async () => {
    await scripted([error(429, { 'Retry-After': '7' }), error(503, { 'Retry-After': '0' })]).levy.get('/filings');
    const [first = 0, second = -1] = pauses;
    expect([first >= 7000 && first <= 8000, second >= 0 && second <= 1000]).toEqual([true, true]);
    pauses = [];
    await scripted(Array(9).fill(networkFailure), { maxTries: 10 }).levy.get('/filings');
    const limits = pauses.map((_, at) => Math.min(15_000, 500 * 2 ** (at + 1)));
    expect(pauses.filter((ms, at) => ms < 0 || ms > (limits[at] ?? 0))).toEqual([]);
    expect(new Set(pauses).size).toBe(9);
  });

  it('throws after the fourth attempt, with the status, the key and the cause', async () => {
    const busy = scripted(Array(9).fill(error(503)));
    const thrown = await create(busy.levy).catch((reason) => reason);
    expect(thrown).toBeInstanceOf(LevyUnavailable);
    expect(thrown).toMatchObject({ status: 503, idempotencyKey: listValues(busy.sent, 'Idempotency-Key')[0] });
    const down = scripted(Array(9).fill(failing(Object.assign(new Error(), { code: 'ECONNREFUSED' }))));
    const refused = await create(down.levy).catch((reason) => reason);
    expect(refused).toMatchObject({ status: null, cause: { message: 'fetch failed' } });
    expect(refused.message).toContain('fetch failed (ECONNREFUSED)');
    expect([busy.sent.length, down.sent.length]).toEqual([4, 4]);
  });

  it.each([
    ['in the call', {}, { maxTries: 1 }, noResponse, timeout],
    // The client's limits apply if the call sets none.
    ['in the client', { maxTries: 1 }, { maxTries: undefined, timeoutMs: undefined } as object, noResponse, timeout],
    ['and Retry-After exceeds 15 s', {}, {}, error(429, { 'Retry-After': '60' }), { status: 429 }],
  ])('does not retry with maxTries 1 %s', async (_, options, call, response, expected) => {
    const { levy, sent } = scripted([response], options);
    await expect(create(levy, call)).rejects.toMatchObject(expected);
    expect([sent.length, pauses]).toEqual([1, []]);
  });

  it.each([400, 404, 409, 412, 422])('returns a refusal on %i without a retry', async (status) => {
    const { levy, sent } = scripted([error(status)]);
    const refusal = { status, code: 'x', detail: 'Detail', errors: [{ code: 'x' }] };
    expect(await create(levy)).toMatchObject({ ok: false, refusal });
    expect(sent).toHaveLength(1);
  });

  it('lists each error with its field in the message, and only the first error in `detail`', async () => {
    const errors = [
      { code: 'x', detail: 'Send a decimal.', source: { pointer: '/line_items/0/quantity' } },
      { code: 'y', detail: 'Send a state.', source: { pointer: '/customer/address/state' } },
      { code: 'z', detail: 'Other.', source: null },
    ];
    const result = await create(scripted([() => Response.json({ errors }, { status: 422 })]).levy);
    expect(result).toMatchObject({ refusal: { detail: 'Send a decimal.' } });
    expect(() => orThrow(result)).toThrow(
      'x: /line_items/0/quantity: Send a decimal.\n/customer/address/state: Send a state.\nOther.',
    );
  });

  it.each([
    ['during an attempt', noResponse],
    ['during a pause', error(503)],
  ])('ends the request when its caller aborts %s', async (_, response) => {
    const abort = new AbortController();
    vi.mocked(setTimeout).mockImplementation((() => queueMicrotask(() => abort.abort(new Error('stopped')))) as never);
    const { levy, sent } = scripted([response]);
    await expect(levy.get('/filings', { signal: abort.signal })).rejects.toThrow('stopped');
    expect(sent).toHaveLength(1);
  });

  it('leaves no timer or listener behind that would keep a process or a signal alive', async () => {
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    const { signal } = new AbortController();
    await scripted([error(503), networkFailure]).levy.get('/filings', { signal });
    const timers = vi.mocked(setTimeout).mock.results.map(({ value }) => value);
    expect(timers).toHaveLength(5);
    for (const timer of timers) expect(clear).toHaveBeenCalledWith(timer);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('times out even if the token request or fetch never settles', async () => {
    const never = () => new Promise<never>(() => {});
    for (const hanging of [{ fetch: never, apiKey: 'levy_key' }, { token: never }]) {
      const levy = createClient({ url: 'http://levy.test', timeoutMs, maxTries: 1, ...hanging });
      await expect(levy.get('/filings')).rejects.toMatchObject(timeout);
    }
  });

  it.each([
    ['an HTML page', () => new Response('<html>')],
    ['other JSON', () => Response.json({ message: 'Forbidden' }, { status: 403 })],
    ['an empty JSON', () => Response.json(null)],
    ['a redirect', () => new Response(null, { status: 302, headers: { Location: 'http://other.test' } })],
  ])('throws for %s, which is not a Levy response', async (_, response) => {
    const { levy, sent } = scripted([response]);
    await expect(levy.get('/filings')).rejects.toBeInstanceOf(LevyUnavailable);
    expect(sent).toHaveLength(1);
  });
});
