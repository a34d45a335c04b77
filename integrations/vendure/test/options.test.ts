import { expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { levyFromEnvironment } from '../options.ts';
import { LevyPlugin } from '../plugin.ts';
import { backoff } from '../record.ts';

const levy = createClient({ url: 'http://127.0.0.1:9', apiKey: 'levy_none' });

it.each([
  [{ shop: 'müller' }, 'Set shop to'],
  [{ shop: 'my-shop', fallback: 'Block' as 'block' }, 'Set fallback to "shop_rate" or "block", not "Block".'],
])('refuses to start with %j', (options, message) => {
  expect(() => LevyPlugin.init({ levy, ...options })).toThrow(message);
});

it.each([
  [{}, 'Set LEVY_URL'],
  [{ LEVY_URL: 'levy.example', LEVY_API_KEY: 'k' }, 'Set LEVY_URL'],
  [{ LEVY_URL: 'https://levy.example' }, 'Set LEVY_API_KEY'],
])('refuses to create a client from %j', (env, message) => {
  expect(() => levyFromEnvironment(env)).toThrow(message);
  expect(levyFromEnvironment({ LEVY_URL: 'https://levy.example', LEVY_API_KEY: 'k' })).toHaveProperty('post');
});

it('retries a job for longer than an hour', () => {
  const pauses = Array.from({ length: 20 }, (_, at) => backoff('levy-record', at + 1));
  expect(pauses[0]).toBe(1000);
  expect(Math.max(...pauses)).toBe(600_000);
  expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(3_600_000);
});
