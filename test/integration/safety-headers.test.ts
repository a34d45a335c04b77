import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import type { Endpoint } from '../../shared/api/endpoint.ts';
import { sale } from '../../shared/api/openapi/sample-requests.ts';
import { safetyHeaders } from '../../shared/api/reply.ts';
import { anonymous, newCaller, startApi } from '../support/api.ts';

const expected = Object.fromEntries(Object.entries(safetyHeaders).map(([name, value]) => [name.toLowerCase(), value]));
const getPath = ({ path }: Endpoint) => path.replace('{id}', 'txn_1');
const isPrivate = ({ scope }: Endpoint) => scope !== null;
const all = Object.values(endpoints);

it('responses forbid caching, MIME sniffing, framing, scripts, embedding, referrers and plain HTTP', () => {
  expect(safetyHeaders).toEqual({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Strict-Transport-Security': expect.stringMatching(/^max-age=\d{8,}; includeSubDomains$/),
    'X-Content-Type-Options': 'nosniff',
  });
});

describe('the safety headers', () => {
  it.each(all.filter(isPrivate))('are on the response of $method $path without a credential', async (route) => {
    const { status, headers } = await anonymous.call(route.method, getPath(route), {});
    expect(status).toBe(401);
    expect(Object.fromEntries(headers)).toMatchObject(expected);
  });

  it.each(all.filter((route) => !isPrivate(route)))(
    'are on $method $path, which is cacheable and has a separate policy',
    async (route) => {
      const { status, headers } = await anonymous.call(route.method, getPath(route), {});
      expect(status).toBe(200);
      for (const name of Object.keys(expected)) expect(headers.get(name), name).not.toBeNull();
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
      expect(headers.get('cache-control')).toMatch(/^public/);
    },
  );

  it.each([
    { title: 'a calculation', method: 'POST', path: '/calculations', body: sale, status: 200 },
    { title: 'a new transaction', method: 'POST', path: '/transactions', body: sale, status: 201 },
    { title: 'a refusal', method: 'POST', path: '/calculations', body: {}, status: 422 },
    { title: 'an unknown path', method: 'GET', path: '/nowhere', status: 404 },
    { title: 'an unknown method', method: 'PATCH', path: '/transactions', status: 405 },
    {
      title: 'a body of more than the gateway takes',
      method: 'POST',
      path: '/calculations',
      mebibytes: 11,
      status: 413,
    },
    { title: 'a control of the local service', method: 'GET', path: '/_local/clock', status: 200 },
  ])('are on $title', async ({ method, path, body, mebibytes, status }) => {
    const { call } = await newCaller();
    const request = mebibytes ? { rawBody: Buffer.alloc(mebibytes * 1024 * 1024, 0x20) } : body ? { body } : {};
    const answer = await call(method, path, request);
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject(expected);
  });

  it('include no CORS header, even for a preflight', async () => {
    const { call } = await newCaller();
    const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' };
    for (const [method, path] of [
      ['OPTIONS', '/calculations'],
      ['GET', '/coverage'],
    ] as const) {
      const answer = await call(method, path, { headers });
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

describe('an invalid HTTP request', () => {
  const answerTo = async (bytes: string): Promise<string> => {
    const { hostname, port } = new URL((await startApi()).url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(bytes);
    return text(socket);
  };

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
    'returns 400 with the error envelope and the safety headers, and closes the connection: %s',
    async (_what, bytes) => {
      const [head = '', body = ''] = (await answerTo(bytes)).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      for (const [name, value] of Object.entries(safetyHeaders)) expect(head).toContain(`\r\n${name}: ${value}`);
      expect(JSON.parse(body).errors).toMatchObject([{ status: '400', code: 'validation_malformed_json' }]);
    },
  );
});
