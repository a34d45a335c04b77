import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { handler } from '../../functions/get-openapi.ts';
import { bundle } from '../../infra/bundling.ts';
import { publicAnswer, type Request } from './public-answer.ts';

const get = (request?: Request) => publicAnswer(handler, '/openapi.json', request);

const committed = readFileSync(new URL('../../shared/api/openapi.json', import.meta.url), 'utf8');

describe('GET /openapi.json', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });

  it('names no server on loopback in a deployment, and is the committed document otherwise', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'Levy-GetOpenapi');
    vi.resetModules();
    const deployed = await import('../../functions/get-openapi.ts');
    const { body, text } = await publicAnswer(deployed.handler, '/openapi.json');
    expect(text).not.toMatch(/"url": "[^"]*(127\.0\.0\.1|localhost)/);
    expect(body.servers.length).toBeGreaterThan(0);
    for (const { url } of body.servers) expect(url).toMatch(/^https:/);
    const { servers: _, ...rest } = JSON.parse(committed);
    expect(body).toMatchObject(rest);
  });

  it('returns the committed bytes without a credential', async () => {
    const { status, headers, text } = await get();
    expect(status).toBe(200);
    expect(text === committed).toBe(true);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json',
      'x-request-id': 'request_1',
      'service-version': 'aspen.2026-10-01',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, no-cache',
    });
  });

  it('answers 304 without a body to its strong tag, its weak form and *', async () => {
    const tag = (await get()).headers.get('ETag') ?? '';
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    for (const value of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const { status, headers, text } = await get({ headers: { 'If-None-Match': value } });
      expect([status, text, headers.get('ETag'), headers.get('Content-Type')]).toEqual([304, '', tag, null]);
    }
    expect((await get({ headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  });

  it('refuses an unknown version and an unknown parameter, in the envelope', async () => {
    const version = await get({ headers: { 'service-version': 'oak.2020-01-01' } });
    expect([version.status, version.body.errors[0].code]).toEqual([422, 'validation_unknown_service_version']);
    const parameter = await get({ query: { pretty: ['1'] } });
    expect([parameter.status, parameter.body.errors[0].source]).toEqual([422, { pointer: null, parameter: 'pretty' }]);
  });

  it('is a small function: the document and little else', () => {
    const folder = mkdtempSync(join(tmpdir(), 'levy-'));
    try {
      const inputs = Object.keys(bundle('get-openapi', folder).inputs);
      expect(inputs.filter((input) => input.includes('node_modules'))).toEqual([]);
      expect(statSync(join(folder, 'index.js')).size).toBeLessThan(committed.length);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
