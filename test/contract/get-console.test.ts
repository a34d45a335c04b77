import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it, vi } from 'vitest';
import { read } from '../../functions/get-console.ts';
import { bundle } from '../../infra/bundling.ts';
import { consolePage } from '../../shared/console/console.ts';

const settings = {
  OIDC_ISSUER: 'https://login.example/realms/shop"<',
  OIDC_AUDIENCE: 'levy',
  OIDC_CLIENT_ID: 'levy-console',
  OIDC_TOKEN_ORIGIN: 'https://token.example',
};
afterEach(() => {
  vi.unstubAllEnvs();
});
const policyOf = ({ headers } = read()) => headers['Content-Security-Policy'] ?? '';

it('is the built page, which connects to the service only', () => {
  expect(read().text).toBe(consolePage().page);
  expect(policyOf()).toContain("connect-src 'self';");
  expect(policyOf()).not.toContain('unsafe');
});

it('names the issuer with a client, and allows connections to it', async () => {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  vi.resetModules();
  const page = (await import('../../functions/get-console.ts')).read();
  expect(policyOf(page)).toContain("connect-src 'self' https://login.example https://token.example;");
  const [, content = ''] = /name="levy-issuer" content="([^"]*)"/.exec(page.text) ?? [];
  expect(content).not.toContain('<');
  expect(JSON.parse(content.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'))).toEqual({
    issuer: settings.OIDC_ISSUER,
    client_id: 'levy-console',
    scope: 'openid levy/read levy/write',
    origins: ['https://login.example', 'https://token.example'],
  });
});

it('is at most 180 KB gzipped, and loads nothing', () => {
  const { text } = read();
  expect(gzipSync(text).length).toBeLessThan(180_000);
  expect(text).not.toMatch(/<(?:script|img|link)[^>]+(?:src|href)="(?!data:)/);
});

it('is a small bundle with the page beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'levy-'));
  expect(Object.keys(bundle('get-console', folder).inputs).filter((input) => input.includes('node_modules'))).toEqual(
    [],
  );
  expect(statSync(join(folder, 'index.js')).size).toBeLessThan(20_480);
  rmSync(folder, { recursive: true });
});
