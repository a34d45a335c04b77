import { expect, it } from 'vitest';
import { readSettings } from '../../infra/local/settings.ts';

it('refuses a value of LOG that would do nothing', () => {
  for (const LOG of ['requests', 'off', '', undefined]) expect(() => readSettings({ LOG })).not.toThrow();
  expect(() => readSettings({ LOG: 'yes' })).toThrow('LOG must be requests or off, not "yes".');
});

it('listens on loopback, and on every interface only with HOST', () => {
  expect(readSettings({}).host).toBe('127.0.0.1');
  expect(readSettings({ HOST: '' }).host).toBe('127.0.0.1');
  expect(readSettings({ HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
  for (const HOST of ['localhost', '::', '192.168.0.1', '0.0.0.0 '])
    expect(() => readSettings({ HOST })).toThrow(`not "${HOST}"`);
});
