import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
type Fault = (send: () => Promise<Response>) => Promise<Response>;

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

/** A client of somebody new, whose requests meet these faults, one each, before they reach the service undisturbed. */
const faultyClient = async (faults: readonly Fault[], others: object = {}, createClient = made.createClient) => {
  const { key } = await newCaller();
  const sent: Sent[] = [];
  const pauses: number[] = [];
  const fetch = (address: string, options: RequestInit & { headers: Headers }) => {
    sent.push({ path: new URL(address).pathname, headers: new Headers(options.headers) });
    const send = () => globalThis.fetch(address, options);
    return faults[sent.length - 1]?.(send) ?? send();
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

  it('writes once, though its reply was lost twice', async () => {
    const { levy } = await faultyClient([lostReply, lostReply]);
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
    const giveUp = new AbortController();
    const { levy, sent } = await faultyClient([
      async () => {
        giveUp.abort();
        throw giveUp.signal.reason;
      },
    ]);
    await expect(levy.listFilings({}, { signal: giveUp.signal })).rejects.toThrow('abort');
    expect(sent).toHaveLength(1);
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
