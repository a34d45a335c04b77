/** Requests over HTTP: security headers, raw bytes, media types, and the number of errors. */

import { request as startRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Context } from 'aws-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { handlers } from '../../infra/local/handlers.ts';
import type { Endpoint } from '../../shared/api/endpoint.ts';
import { safetyHeaders } from '../../shared/api/response.ts';
import { anonymous, type Caller, newCaller, startApi } from '../support/api.ts';
import { getEvent } from '../support/handler-calls.ts';
import { type Refused, sendBytes } from '../support/http.ts';
import { sale } from '../support/sales.ts';

const publicRoutes = Object.values<Endpoint>(endpoints).filter(({ scope }) => scope === null);

it('forbids caching, MIME sniffing, framing, scripts, embedding, referrers and plain HTTP', () => {
  expect(safetyHeaders).toEqual({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Strict-Transport-Security': expect.stringMatching(/^max-age=\d{8,}; includeSubDomains$/),
    'X-Content-Type-Options': 'nosniff',
  });
});

// Each response in the tests has them (test/support/setup-api.ts).
describe('the security headers', () => {
  it.each(publicRoutes)(
    'sets the headers on $method $path, which is cacheable and has a separate policy',
    async ({ method, path }) => {
      const { status, headers } = await anonymous.call(method, path);
      expect(status).toBe(200);
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
      expect(headers.get('cache-control')).toMatch(/^public/);
    },
  );

  it('sends no CORS header, even for a preflight', async () => {
    const { call } = await newCaller();
    const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' };
    for (const [method, path] of [
      ['OPTIONS', '/calculations'],
      ['GET', '/coverage'],
    ] as const) {
      const response = await call(method, path, { headers });
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

describe('invalid HTTP requests', () => {
  it.each([
    ['not HTTP', 'hello\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    [
      'both a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['more than 10 KiB of headers', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(10_241)}\r\n\r\n`],
    ['more than 10 KiB of path', `GET /${'a'.repeat(10_241)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])(
    'returns 400 with the error envelope and the security headers, and closes the connection: %s',
    async (_what, bytes) => {
      const [head = '', body = ''] = (await sendBytes((await startApi()).url, bytes)).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      for (const [name, value] of Object.entries(safetyHeaders)) expect(head).toContain(`\r\n${name}: ${value}`);
      expect(JSON.parse(body).errors).toMatchObject([{ status: '400', code: 'validation_malformed_json' }]);
    },
  );
});

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

it('accepts a body in two chunks, split at any byte', async () => {
  const { url } = await startApi();
  const body = { metadata: { 税: 'é👍' }, line_items: [{ quantity: '1', unit_price: 'é' }], 'x/~税': 1 };
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'X-API-Key': caller.key, 'Content-Type': 'application/json', Prefer: 'handling=strict' };
  const readPointers = async (cut: number): Promise<string> => {
    const response = Promise.withResolvers<string>();
    const outgoing = startRequest(`${url}/calculations`, { method: 'POST', headers }, (incoming) =>
      readText(incoming).then(response.resolve, response.reject),
    );
    outgoing.on('error', response.reject);
    outgoing.write(bytes.subarray(0, cut), () => outgoing.end(bytes.subarray(cut)));
    const { errors }: { errors: Refused[] } = JSON.parse(await response.promise);
    return errors.map(({ source }) => source.pointer).join(' ');
  };
  const results = await Promise.all(Array.from({ length: bytes.length - 1 }, (_, at) => readPointers(at + 1)));
  expect(new Set(results)).toEqual(new Set(['/line_items/0/unit_price /x~1~0税 /customer/address']));
});

const body = JSON.stringify(sale());
const json = 'application/json';

// Other charsets and codings are tested in test/unit/http-requests.test.ts.
it.each<[headers: Record<string, string>, rawBody: string | Uint8Array, refused: string | null]>([
  [{ 'Content-Type': `${json};charset="UTF-8"` }, body, null],
  [{ 'Content-Encoding': 'gzip' }, gzipSync(body), 'Content-Encoding'],
  [{ 'Content-Type': `${json}; charset=utf-16` }, Buffer.from(body, 'utf16le'), 'Content-Type'],
])(
  'reads a body with %j as UTF-8 or rejects it, over HTTP and in Lambda: case %#',
  async (headers, rawBody, refused) => {
    const getOutcome = (status: number, { errors: [error] = [] }: { readonly errors?: readonly Refused[] }) =>
      error ? [status, error.code, error.source.header] : [status];
    const response = await caller.call('POST', '/calculations', { headers, rawBody });
    // Calls the function as Lambda does; `isBase64Encoded` is set as for a binary media type.
    const all = { 'Content-Type': json, ...headers, 'X-API-Key': caller.key };
    const sent = { body: Buffer.from(rawBody).toString('base64'), isBase64Encoded: true };
    const event = { ...getEvent('POST', '/calculations', { headers: all }), ...sent };
    const context = { getRemainingTimeInMillis: () => 9000 } as Context;
    const result = await handlers.endpoints['create-calculation'](event, context);
    const expected = refused === null ? [200] : [415, 'validation_unsupported_media_type', refused];
    expect(getOutcome(response.status, response.body)).toEqual(expected);
    expect(getOutcome(result.statusCode, JSON.parse(result.body))).toEqual(expected);
  },
);

const many = Array.from({ length: 400 }, (_, at) => `a${at}`);

it.each(['/product-attributes', '/docs', '/openapi.json'])('returns the first 20 of 400 errors at %s', async (path) => {
  const { call } = path === '/product-attributes' ? caller : anonymous;
  const { status, body, text } = await call('GET', `${path}?${many.join('=1&')}=1`);
  expect([status, body.errors.map(({ source }) => source.parameter)]).toEqual([422, many.slice(0, 20)]);
  expect(text.length).toBeLessThan(8000);
});

it("returns at most 20 errors, first the query's and then the body's", async () => {
  const body = sale({ ...Object.fromEntries(many.map((name) => [name, 1])), quantity: 1 });
  const response = await caller.call('POST', '/calculations?a=1&b=2', { body, headers: { Prefer: 'handling=strict' } });
  const sources = response.body.errors.map(({ source }) => source.parameter ?? source.pointer);
  expect([sources.length, ...sources.slice(0, 3)]).toEqual([20, 'a', 'b', '/a0']);
});
