/** Retries of the TypeScript client, against a scripted `fetch`. test/contract/client.test.ts runs it against the service. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ClientOptions, createClient } from '../../shared/cli/client/runtime.ts';

type Reply = (signal: AbortSignal) => Response | Promise<Response>;

const body = { status: 'draft' as const, line_items: [{ quantity: '1', unit_price: '1.00' }] };
const error = (status: number, headers: Record<string, string> = {}): Reply => {
  const errors = [{ status: String(status), code: 'x', detail: 'Detail' }];
  return () => Response.json({ errors }, { status, headers });
};
const networkFailure: Reply = () => {
  throw new TypeError('fetch failed');
};
const brokenBody: Reply = () =>
  new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) }));
const noReply: Reply = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

let pauses: number[];
beforeEach(() => {
  pauses = [];
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
    pauses.push(ms);
    queueMicrotask(run);
  }) as typeof setTimeout);
});
afterEach(() => vi.restoreAllMocks());

/** A client whose requests get the replies in order, and 200 afterwards. */
const scripted = (replies: readonly Reply[], options: Partial<ClientOptions> = {}) => {
  const sent: Headers[] = [];
  const fetch: ClientOptions['fetch'] = async (_, init) => {
    sent.push(new Headers(init?.headers));
    const reply = replies[sent.length - 1] ?? (() => Response.json({ id: 'txn_1' }));
    return reply(init?.signal as AbortSignal);
  };
  return { levy: createClient({ url: 'http://levy.test', apiKey: 'levy_key', fetch, ...options }), sent };
};
const keysOf = (sent: readonly Headers[]) => sent.map((headers) => headers.get('Idempotency-Key'));

describe('a request', () => {
  it('has the API key, the version and, for a POST, an Idempotency-Key of its own', async () => {
    const { levy, sent } = scripted([]);
    await levy.POST('/transactions', { body });
    await levy.POST('/transactions', { body });
    await levy.POST('/transactions', { body, params: { header: { 'Idempotency-Key': 'mine' } } });
    await levy.GET('/transactions');
    const [first, second, ...rest] = keysOf(sent);
    expect(first).toMatch(/^[\da-f-]{36}$/);
    expect(second).not.toBe(first);
    expect(rest).toEqual(['mine', null]);
    for (const headers of sent) {
      expect(headers.get('X-API-Key')).toBe('levy_key');
      expect(headers.get('Service-Version')).toBe('aspen.2026-10-01');
    }
  });

  it('requests a bearer token for every attempt', async () => {
    let calls = 0;
    const { levy, sent } = scripted([networkFailure, error(503)], { token: () => `token_${++calls}` });
    await levy.GET('/transactions');
    expect(sent.map((headers) => headers.get('Authorization'))).toEqual([1, 2, 3].map((n) => `Bearer token_${n}`));
  });
});

describe('a failed request', () => {
  it.each([
    ['429', error(429, { 'Retry-After': '2' })],
    ['503', error(503)],
    ['a network failure', networkFailure],
    ['a broken body', brokenBody],
  ])('is retried with the same Idempotency-Key after %s', async (_, reply) => {
    const { levy, sent } = scripted([reply, reply]);
    expect((await levy.POST('/transactions', { body })).data).toEqual({ id: 'txn_1' });
    expect([sent.length, new Set(keysOf(sent)).size]).toEqual([3, 1]);
  });

  it('waits for Retry-After and up to a second more', async () => {
    const { levy } = scripted([error(429, { 'Retry-After': '7' }), error(503, { 'Retry-After': '0' })]);
    await levy.GET('/filings');
    const [first = 0, second = -1] = pauses;
    expect(first >= 7000 && first <= 8000).toBe(true);
    expect(second >= 0 && second <= 1000).toBe(true);
  });

  it('backs off exponentially with jitter without Retry-After', async () => {
    const { levy } = scripted(Array(9).fill(networkFailure), { attempts: 10 });
    await levy.GET('/filings');
    const limits = pauses.map((_, at) => Math.min(15_000, 500 * 2 ** (at + 1)));
    expect(pauses.filter((ms, at) => ms < 0 || ms > (limits[at] ?? 0))).toEqual([]);
    expect(new Set(pauses).size).toBe(9);
  });

  it('returns the error, or throws the failure, of the fourth attempt', async () => {
    const busy = scripted(Array(9).fill(error(503)));
    const { error: returned, response } = await busy.levy.GET('/filings');
    expect([response.status, returned?.errors[0]?.code, busy.sent.length]).toEqual([503, 'x', 4]);
    const down = scripted(Array(9).fill(networkFailure));
    await expect(down.levy.POST('/transactions', { body })).rejects.toThrow('fetch failed');
    expect(down.sent).toHaveLength(4);
  });

  it('returns an error whose Retry-After exceeds the maximum pause', async () => {
    const { levy, sent } = scripted([error(429, { 'Retry-After': '60' })]);
    expect((await levy.GET('/filings')).response.status).toBe(429);
    expect([sent.length, pauses]).toEqual([1, []]);
  });

  it.each([400, 404, 409, 412, 422, 500])('is not retried after %i', async (status) => {
    const { levy, sent } = scripted([error(status)]);
    expect((await levy.POST('/transactions', { body })).response.status).toBe(status);
    expect(sent).toHaveLength(1);
  });

  it('is not retried after its caller aborts', async () => {
    const abort = new AbortController();
    const reply: Reply = () => {
      abort.abort(new Error('stopped'));
      throw abort.signal.reason;
    };
    const { levy, sent } = scripted([reply]);
    await expect(levy.GET('/filings', { signal: abort.signal })).rejects.toThrow('stopped');
    expect(sent).toHaveLength(1);
  });

  it('ends its pause when its caller aborts', async () => {
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    const abort = new AbortController();
    vi.mocked(setTimeout).mockImplementation((() => {
      queueMicrotask(() => abort.abort(new Error('stopped')));
      return 42;
    }) as unknown as typeof setTimeout);
    const { levy, sent } = scripted([error(503)]);
    await expect(levy.GET('/filings', { signal: abort.signal })).rejects.toThrow('stopped');
    expect(sent).toHaveLength(1);
    expect(clear).toHaveBeenCalledWith(42);
  });

  it('times out each attempt', async () => {
    const { levy, sent } = scripted([noReply, noReply], { timeoutMs: 20, attempts: 2 });
    await expect(levy.GET('/filings')).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(sent).toHaveLength(2);
  });

  it.each([
    ['an HTML page', () => new Response('<html>', { status: 502 })],
    ['other JSON', () => Response.json({ message: 'Forbidden' }, { status: 403 })],
    ['a truncated body', () => new Response('{"errors":[', { status: 422 })],
  ])('throws UnexpectedResponse for %s', async (_, reply) => {
    const { levy } = scripted([reply]);
    await expect(levy.GET('/filings')).rejects.toMatchObject({ name: 'UnexpectedResponse' });
  });
});
