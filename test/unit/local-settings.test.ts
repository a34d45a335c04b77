import { expect, it } from 'vitest';
import { readSettings } from '../../infra/local/settings.ts';

it('listens on loopback, and on every interface only where a container says so', () => {
  expect(readSettings({}).host).toBe('127.0.0.1');
  expect(readSettings({ HOST: '' }).host).toBe('127.0.0.1');
  expect(readSettings({ HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
  for (const HOST of ['localhost', '::', '192.168.0.1', '0.0.0.0 '])
    expect(() => readSettings({ HOST })).toThrow(`not "${HOST}"`);
});
