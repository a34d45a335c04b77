import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { handler } from '../../functions/get-docs.ts';
import { bundle } from '../../infra/bundling.ts';
import { docs } from '../../shared/docs/docs.ts';
import { publicAnswer, type Request } from './public-answer.ts';

const answerOf = (serve: typeof handler, request?: Request) => publicAnswer(serve, '/docs', request);
const get = (request: Request = {}) => answerOf(handler, request);

const folder = mkdtempSync(join(tmpdir(), 'levy-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('GET /docs', () => {
  it('returns the page and its policy without a key', async () => {
    const { page, policy } = docs();
    const { status, headers, text } = await get();
    expect([status, text === page]).toEqual([200, true]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'public, max-age=300',
      vary: 'Accept-Encoding, Service-Version',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-request-id': 'request_1',
    });
  });

  it('returns 304 without a body for its strong tag, its weak form and *', async () => {
    const whole = await get();
    const tag = whole.headers.get('ETag') ?? '';
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    for (const value of [tag, `W/${tag}`, '*']) {
      const { status, headers, text } = await get({ headers: { 'If-None-Match': value } });
      expect([status, text, headers.get('ETag'), headers.get('Content-Type')]).toEqual([304, '', tag, null]);
      // A browser replaces the cached headers with these, and the page must still run.
      const kept = ['Cache-Control', 'Vary', 'Content-Security-Policy', 'X-Frame-Options', 'Referrer-Policy'];
      expect(kept.map((name) => headers.get(name))).toEqual(kept.map((name) => whole.headers.get(name)));
    }
    expect((await get({ headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  });

  it('refuses an unknown version and an unknown parameter', async () => {
    const version = await get({ headers: { 'service-version': 'oak.2020-01-01' } });
    expect([version.status, version.body.errors[0].code]).toEqual([422, 'validation_unknown_service_version']);
    const parameter = await get({ query: { pretty: ['1'] } });
    expect([parameter.status, parameter.body.errors[0].source]).toEqual([422, { pointer: null, parameter: 'pretty' }]);
  });

  it('is a small bundle with the page beside it, and returns the same page', async () => {
    const inputs = Object.keys(bundle('get-docs', folder).inputs);
    expect(inputs.filter((input) => input.includes('node_modules') || input.startsWith('shared/docs/'))).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['docs.br', 'index.js', 'index.js.map', 'package.json']);
    expect(statSync(join(folder, 'index.js')).size).toBeLessThan(20_480);
    const bundled = createRequire(import.meta.url)(join(folder, 'index.js'));
    expect((await answerOf(bundled.handler)).text).toBe((await get()).text);
  });
});
