import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { endpoints, schedules } from '../../functions/endpoints.ts';

const root = new URL('../../', import.meta.url);
// Functions that are neither an endpoint with a definition nor scheduled, and the list itself.
const others = [
  'announce-changes',
  'count-transactions',
  'endpoints',
  'method-not-allowed',
  'taxjar',
  'update-content',
];

it('lists every file of functions/ by name', () => {
  const files = readdirSync(new URL('functions', root)).map((file) => basename(file, '.ts'));
  expect([...Object.keys(endpoints), ...Object.keys(schedules), ...others].sort()).toEqual(files.sort());
});

it('assigns each method of a path to one endpoint', () => {
  const offered = Object.values(endpoints).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(offered).size).toBe(offered.length);
});

it.each(Object.values(endpoints).filter(({ scope }) => scope !== null))(
  '$name has an example of its request body',
  ({ body, requests = {} }) => {
    expect(Object.keys(requests).length > 0).toBe(body !== undefined);
  },
);

it('can be imported without environment variables, and leaves nothing open that keeps the process alive', () => {
  const script = "await import('./functions/endpoints.ts');";
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    env: {},
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect([status, stderr]).toEqual([0, '']);
});
