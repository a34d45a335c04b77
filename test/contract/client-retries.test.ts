import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { clientText } from '../../shared/cli/client/client-text.ts';
import document from '../../shared/http/openapi.json' with { type: 'json' };
import { newCaller, startApi } from '../support/api.ts';
import { Storefront } from '../support/typed-client.ts';

let storefront: Storefront;
let made: any;
let url: string;

beforeAll(async () => {
  storefront = await Storefront.open();
  await storefront.write('levy-client.ts', clientText(document));
  made = await storefront.load('levy-client.ts');
  ({ url } = await startApi());
});
afterAll(() => storefront.close());

type Sent = { readonly path: string; readonly headers: Headers };
type Fault = (send: () => Promise<Response>, signal: AbortSignal) => Promise<Response>;

const envelope = (status: number, code: string) => JSON.stringify({ errors: [{ status: String(status), code }] });
const refused =
  (status: 429 | 503, retryAfter?: string): Fault =>
  async () =>
    new Response(envelope(status, status === 429 ? 'rate_limit_error' : 'system_service_unavailable'), {
      status,
      headers: { 'Content-Type': 'application/json', ...(retryAfter !== undefined && { 'Retry-After': retryAfter }) },
    });
const cutOff: Fault = async () => {
  throw new TypeError('fetch failed');
};
const lostReply: Fault = async (send) => {
  await (await send()).text();
  throw new TypeError('terminated');
};

/** The service has done what it was asked, and the connection breaks in the middle of its answer. */
const cutInHalf: Fault = async (send) => {
  const { status, headers } = await send();
  const body = new ReadableStream({
    start: (half) => half.enqueue(new TextEncoder().encode('{"object":')),
    pull: (half) => half.error(new TypeError('terminated')),
  });
  return new Response(body, { status, headers });
};
/** The service has done what it was asked, and its answer never comes. */
const silent: Fault = async (send, signal) => {
  await (await send()).text();
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
};

/** A client of somebody new, whose requests meet these faults, one each, before they reach the service undisturbed. */
const faultyClient = async (faults: readonly Fault[], others: object = {}, createClient = made.createClient) => {
  const { key } = await newCaller();
  const sent: Sent[] = [];
  const pauses: number[] = [];
  const fetch = (address: string, options: RequestInit & { headers: Headers; signal: AbortSignal }) => {
    sent.push({ path: new URL(address).pathname, headers: new Headers(options.headers) });
    const send = () => globalThis.fetch(address, options);
    return faults[sent.length - 1]?.(send, options.signal) ?? send();
  };
  const pause = async (ms: number) => void pauses.push(ms);
  const levy = createClient({ url, apiKey: key, fetch, pause, ...others });
  return { levy, sent, pauses };
};

const keysOf = (sent: readonly Sent[]) => sent.map(({ headers }) => headers.get('Idempotency-Key'));
const body = {
  status: 'finalized',
  customer: { address: { state: 'MI' } },
  line_items: [{ quantity: '1', unit_price: '1.00' }],
};

describe('a request', () => {
  it('carries the key, the version, and an Idempotency-Key of its own where it writes', async () => {
    const { levy, sent } = await faultyClient(Array(4).fill(async () => Response.json({})));
    await levy.createTransaction({ body });
    await levy.createTransaction({ body });
    await levy.createTransaction({ body, headers: { 'Idempotency-Key': 'mine' } });
    await levy.createCalculation({ body: { ...body, status: undefined } });
    const [first, second, ...others] = keysOf(sent);
    expect(first).toMatch(/^[\da-f-]{36}$/);
    expect(second).toMatch(/^[\da-f-]{36}$/);
    expect(second).not.toBe(first);
    expect(others).toEqual(['mine', null]);
    for (const { headers } of sent) {
      expect(headers.get('X-API-Key')).toMatch(/^levy_/);
      expect(headers.get('Service-Version')).toBe('aspen.2026-10-01');
    }
  });

  it('asks for a bearer token before every attempt', async () => {
    let asked = 0;
    const token = () => `token_${++asked}`;
    const { levy, sent } = await faultyClient([cutOff, refused(503)], { token, apiKey: undefined });
    const answer = await levy.listTransactions();
    expect([answer.status, answer.errors[0].code]).toEqual([401, 'auth_token_invalid']);
    expect(sent.map(({ headers }) => headers.get('Authorization'))).toEqual(
      [1, 2, 3].map((at) => `Bearer token_${at}`),
    );
  });
});

describe('a request that failed', () => {
  it.each([
    { title: 'too many requests', fault: refused(429, '2') },
    { title: 'a busy service', fault: refused(503, '1') },
    { title: 'a network that is down', fault: cutOff },
  ])('is sent again under its key: $title', async ({ fault }) => {
    const { levy, sent } = await faultyClient([fault, fault]);
    const answer = await levy.createTransaction({ body });
    expect([answer.status, sent.length, new Set(keysOf(sent)).size]).toEqual([201, 3, 1]);
  });

  it.each([
    { title: 'its reply was lost', fault: lostReply, others: {} },
    { title: 'its reply broke off after the headers', fault: cutInHalf, others: {} },
    { title: 'its reply did not come in time', fault: silent, others: { timeoutMs: 1500, attempts: 9 } },
  ])('writes once, though twice $title', async ({ fault, others }) => {
    const { levy } = await faultyClient([fault, fault], others);
    const answer = await levy.createTransaction({ body });
    expect([answer.status, answer.headers.get('Idempotent-Replayed')]).toEqual([201, 'true']);
    const list = await levy.listTransactions();
    expect(list.data.data.map(({ id }: { id: string }) => id)).toEqual([answer.data.id]);
  });

  it('waits at least as long as Retry-After says, and not exactly as long', async () => {
    const { levy, pauses } = await faultyClient([refused(429, '7'), refused(503, '7'), refused(429, '0')]);
    expect((await levy.getCoverage()).status).toBe(200);
    const [first = 0, second = 0, third = -1] = pauses;
    for (const ms of [first, second]) expect(ms >= 7000 && ms <= 8000).toBe(true);
    expect(third >= 0 && third <= 1000).toBe(true);
    expect(first).not.toBe(second);
  });

  it('waits until the date that Retry-After says, by the clock of whoever says it', async () => {
    const by = (date: string | null, until: string): Fault => {
      const headers = { 'Content-Type': 'application/json', 'Retry-After': until, ...(date && { Date: date }) };
      return async () => new Response(envelope(503, 'x'), { status: 503, headers });
    };
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    const faults = [
      by('Sun, 06 Nov 1994 08:49:30 GMT', 'Sun, 06 Nov 1994 08:49:37 GMT'),
      by('Sun, 06 Nov 1994 08:49:30 GMT', 'Sun, 06 Nov 1994 08:49:29 GMT'),
      by(null, inAMinute),
    ];
    const { levy, pauses } = await faultyClient(faults, { pauseMsMax: 100_000 });
    expect((await levy.getCoverage()).status).toBe(200);
    const [first = 0, second = -1, third = 0] = pauses;
    expect(first >= 7000 && first <= 8000).toBe(true);
    expect(second >= 0 && second <= 1000).toBe(true);
    // Some time has passed by now; but no more than 4 s are waited where nothing is said.
    expect(third > 4000 && third <= 61_000).toBe(true);
    const { levy: other, sent } = await faultyClient([by(null, new Date(Date.now() + 3_600_000).toUTCString())]);
    expect([(await other.getCoverage()).status, sent.length]).toEqual([503, 1]);
  });

  it('waits a random while, longer each time, where nothing says how long', async () => {
    const { levy, pauses } = await faultyClient(Array(9).fill(cutOff), { attempts: 10 });
    expect((await levy.listFilings()).status).toBe(200);
    expect(pauses).toHaveLength(9);
    const longest = pauses.map((_, at) => Math.min(15_000, 500 * 2 ** (at + 1)));
    expect(pauses.filter((ms, at) => ms < 0 || ms > (longest[at] ?? 0))).toEqual([]);
    expect(new Set(pauses).size).toBe(9);
  });

  it('is given up after the fourth attempt: the refusal is answered, and the failure thrown', async () => {
    const busy = await faultyClient(Array(9).fill(refused(503, '1')));
    const answer = await busy.levy.getTransaction({ path: { id: 'txn_1' } });
    expect([answer.ok, answer.status, answer.errors[0].code]).toEqual([false, 503, 'system_service_unavailable']);
    expect(busy.sent).toHaveLength(4);
    const down = await faultyClient(Array(9).fill(cutOff));
    await expect(down.levy.createTransaction({ body })).rejects.toThrow('fetch failed');
    expect(down.sent).toHaveLength(4);
  });

  it('is not waited for longer than the client wants', async () => {
    const { levy, sent, pauses } = await faultyClient([refused(429, '60')]);
    expect((await levy.listFilings()).status).toBe(429);
    expect([sent.length, pauses]).toEqual([1, []]);
  });

  it('is not sent again where it writes and takes no key', async () => {
    const { parameters: _taken, ...post } = document.paths['/transactions'].post;
    const paths = { ...document.paths, '/transactions': { ...document.paths['/transactions'], post } };
    await storefront.write('keyless.ts', clientText({ ...document, paths }));
    const { createClient } = await storefront.load('keyless.ts');
    for (const fault of [refused(429, '1'), refused(503, '1')]) {
      const { levy, sent } = await faultyClient([fault], {}, createClient);
      expect([(await levy.createTransaction({ body })).ok, sent.length]).toEqual([false, 1]);
    }
    const { levy, sent } = await faultyClient([lostReply], {}, createClient);
    await expect(levy.createTransaction({ body })).rejects.toThrow('terminated');
    expect(sent).toHaveLength(1);
  });

  it('is not sent again once its caller has given up', async () => {
    const throwContention = new AbortController();
    const { levy, sent } = await faultyClient([
      async () => {
        throwContention.abort();
        throw throwContention.signal.reason;
      },
    ]);
    await expect(levy.listFilings({}, { signal: throwContention.signal })).rejects.toThrow('abort');
    expect(sent).toHaveLength(1);
  });

  it('is given up at once while it pauses, and leaves no timer behind', async () => {
    const throwContention = new AbortController();
    const { levy, sent } = await faultyClient([refused(429, '14')], { pause: undefined });
    const [starts, clears] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
    // Nothing else here waits for so long.
    const pause = () => starts.mock.calls.findIndex(([, ms = 0]) => ms >= 14_000 && ms <= 15_000);
    const answer = levy.listFilings({}, { signal: throwContention.signal });
    const refusal = expect(answer).rejects.toThrow('enough');
    await vi.waitUntil(() => pause() >= 0, 20_000);
    throwContention.abort(new Error('enough'));
    await refusal;
    expect(sent).toHaveLength(1);
    expect(clears).toHaveBeenCalledWith(starts.mock.results[pause()]?.value);
    vi.restoreAllMocks();
  });

  it('is thrown when no attempt is answered in time, and only then', async () => {
    const { levy, sent } = await faultyClient(Array(9).fill(silent), { timeoutMs: 300, attempts: 2 });
    await expect(levy.listFilings()).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(sent).toHaveLength(2);
  });

  it.each([400, 404, 409, 412, 422, 500, 502])('is not sent again for a %i', async (status) => {
    const { levy, sent } = await faultyClient([
      async () => new Response(envelope(status, 'x'), { status, headers: { 'Content-Type': 'application/json' } }),
    ]);
    expect((await levy.createTransaction({ body })).status).toBe(status);
    expect(sent).toHaveLength(1);
  });

  it.each([
    { title: 'a page of a proxy', answer: () => new Response('<html>', { status: 502 }) },
    { title: 'other JSON', answer: () => Response.json({ message: 'Forbidden' }, { status: 403 }) },
    {
      title: 'half an answer',
      answer: () => new Response('{"errors":', { status: 422, headers: { 'Content-Type': 'application/json' } }),
    },
  ])('throws where this API did not answer: $title', async ({ answer }) => {
    const { levy } = await faultyClient([async () => answer()]);
    await expect(levy.createTransaction({ body })).rejects.toMatchObject({ name: 'UnexpectedAnswer' });
  });
});
