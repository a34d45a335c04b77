/** The endpoints that return one static document to everybody: the OpenAPI document, the documentation and the console. */
// @isolated: resets modules.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as getConsole from '../../functions/get-console.ts';
import * as getDocs from '../../functions/get-docs.ts';
import * as getOpenapi from '../../functions/get-openapi.ts';
import { bundle } from '../../infra/bundling.ts';
import type { Handler } from '../../shared/api/lambda-handler.ts';
import { consolePage } from '../../shared/console/console.ts';
import { docs } from '../../shared/docs/docs.ts';
import { getEvent } from '../support/handler-calls.ts';
import { createFolder } from '../support/temporary-files.ts';
import { listProblems } from './validate-response.ts';

type Request = { readonly headers?: Record<string, string>; readonly query?: string };

/** Returns the response of a public function, checked against the OpenAPI document. */
const readResponse = async (serve: Handler, path: string, { query = '', ...request }: Request = {}) => {
  const result = await serve(getEvent('GET', `${path}${query}`, request), {} as Parameters<Handler>[1]);
  const own = new Headers(result.headers as Record<string, string>);
  const response = { status: result.statusCode, headers: own, text: result.body };
  const isJson = own.get('Content-Type') === 'application/json';
  const body = response.text === '' ? null : isJson ? JSON.parse(response.text) : response.text;
  expect(listProblems({ method: 'GET', path, ...response, body })).toEqual([]);
  return { ...response, body };
};
const openapi = (request?: Request) => readResponse(getOpenapi.handler, '/openapi.json', request);
const committed = readFileSync(new URL('../../shared/api/openapi.json', import.meta.url), 'utf8');

const folder = createFolder();
afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

const { page } = docs();
describe.each([
  ['get-openapi', getOpenapi.handler, '/openapi.json', committed, 'public, no-cache', committed.length],
  ['get-docs', getDocs.handler, '/docs', page, 'public, max-age=300', 20_480],
  ['get-console', getConsole.handler, '/console', consolePage().page, 'public, max-age=300', 20_480],
] as const)('%s', (name, serve, path, expected, cacheControl, sizeMax) => {
  const get = (request?: Request) => readResponse(serve, path, request);

  it('returns the generated document without a credential, and 304 with the same headers if its ETag matches', async () => {
    const whole = await get();
    expect([whole.status, whole.text === expected]).toEqual([200, true]);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'cache-control': cacheControl,
      vary: 'Accept-Encoding, Service-Version',
      'service-version': 'aspen.2026-10-01',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-request-id': expect.any(String),
    });
    const tag = whole.headers.get('ETag') ?? '';
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    for (const value of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const { status, headers, text } = await get({ headers: { 'If-None-Match': value } });
      expect([status, text, headers.get('Content-Type')]).toEqual([304, '', null]);
      // A browser replaces its cached headers with these.
      for (const name of ['Content-Type', 'X-Request-Id']) whole.headers.delete(name);
      headers.delete('X-Request-Id');
      expect([...headers]).toEqual([...whole.headers]);
    }
    expect((await get({ headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  });

  it('builds a small bundle that reads the document from a file next to it, and returns the same document', async () => {
    const own = join(folder, name);
    const inputs = Object.keys(bundle(name, own).inputs);
    expect(inputs.filter((input) => /node_modules|^shared\/(docs|console)\//.test(input))).toEqual([]);
    expect(statSync(join(own, 'index.js')).size).toBeLessThan(sizeMax);
    const packed = name === 'get-openapi' ? 'openapi.js' : `${name.slice(4)}.br`;
    const files = readdirSync(own).map((file) => file.replace(/-[A-Z0-9]{8}(?=\.js$)/, ''));
    expect(files.sort()).toEqual(['index.js', 'package.json', packed].sort());
    const { handler } = createRequire(import.meta.url)(join(own, 'index.js'));
    expect((await readResponse(handler, path)).text === expected).toBe(true);
  });
});

it('lists no loopback server in a deployed document', async () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'Levy-GetOpenapi');
  vi.resetModules();
  const deployed = await import('../../functions/get-openapi.ts');
  const { body, text } = await readResponse(deployed.handler, '/openapi.json');
  expect(text).not.toMatch(/"url": "[^"]*(127\.0\.0\.1|localhost)/);
  expect(body.servers.length).toBeGreaterThan(0);
  for (const { url } of body.servers) expect(url).toMatch(/^https:/);
  const { servers: _, ...rest } = JSON.parse(committed);
  expect(body).toMatchObject(rest);
});

it('rejects an unknown version and an unknown parameter of a public document with the error envelope', async () => {
  const version = await openapi({ headers: { 'service-version': 'oak.2020-01-01' } });
  expect([version.status, version.body.errors[0].code]).toEqual([422, 'validation_unknown_service_version']);
  const parameter = await openapi({ query: '?pretty=1' });
  expect([parameter.status, parameter.body.errors[0].source]).toEqual([422, { pointer: null, parameter: 'pretty' }]);
});

it('sends the pages with a strict Content-Security-Policy, and forbids framing', () => {
  for (const { headers } of [getDocs.read(), getConsole.read()]) {
    expect(headers).toMatchObject({ 'X-Frame-Options': 'DENY', 'Content-Type': 'text/html; charset=utf-8' });
    expect(headers['Content-Security-Policy']).toContain("connect-src 'self';");
    expect(headers['Content-Security-Policy']).not.toContain('unsafe');
  }
  const { text } = getConsole.read();
  expect(gzipSync(text).length).toBeLessThan(180_000);
  expect(text).not.toMatch(/<(?:script|img|link)[^>]+(?:src|href)="(?!data:)/);
});

it('includes the issuer and the client id in the console, and allows connections to the issuer', async () => {
  const settings = {
    OIDC_ISSUER: 'https://login.example/realms/shop"<',
    OIDC_AUDIENCE: 'levy',
    OIDC_CLIENT_ID: 'levy-console',
    OIDC_TOKEN_ORIGIN: 'https://token.example',
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  vi.resetModules();
  const { text, headers } = (await import('../../functions/get-console.ts')).read();
  const origins = ['https://login.example', 'https://token.example'];
  expect(headers['Content-Security-Policy']).toContain(`connect-src 'self' ${origins.join(' ')};`);
  const [, content = ''] = /name="levy-issuer" content="([^"]*)"/.exec(text) ?? [];
  expect(content).not.toContain('<');
  expect(JSON.parse(content.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'))).toEqual({
    issuer: settings.OIDC_ISSUER,
    client_id: 'levy-console',
    scope: 'openid levy/read levy/write',
    origins,
  });
});
