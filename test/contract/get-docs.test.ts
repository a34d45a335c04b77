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

  // The rest of a public document is tested in get-openapi.test.ts.
  it('repeats the policy in a 304, because a browser replaces the cached headers with its headers', async () => {
    const whole = await get();
    const { status, text, headers } = await get({ headers: { 'If-None-Match': whole.headers.get('ETag') ?? '' } });
    expect([status, text]).toEqual([304, '']);
    for (const name of ['Cache-Control', 'Vary', 'Content-Security-Policy', 'X-Frame-Options', 'Referrer-Policy'])
      expect(headers.get(name)).toBe(whole.headers.get(name));
  });

  it('is a small bundle with the page beside it, and returns the same page', async () => {
    const inputs = Object.keys(bundle('get-docs', folder).inputs);
    expect(inputs.filter((input) => input.includes('node_modules') || input.startsWith('shared/docs/'))).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['docs.br', 'index.js', 'package.json']);
    expect(statSync(join(folder, 'index.js')).size).toBeLessThan(20_480);
    const bundled = createRequire(import.meta.url)(join(folder, 'index.js'));
    expect((await answerOf(bundled.handler)).text).toBe((await get()).text);
  });
});
