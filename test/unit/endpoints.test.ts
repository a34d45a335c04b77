import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { endpoints, schedules } from '../../functions/endpoints.ts';
import { examplesOf } from '../../shared/http/openapi/examples.ts';
import { versions } from '../../shared/http/versions/shape.ts';

const root = new URL('../../', import.meta.url);
// Neither an endpoint nor a schedule at a rate, and the list itself.
const others = ['announce-changes', 'count-transactions', 'endpoints', 'method-not-allowed', 'update-content'];

it('lists every file of functions/ under its name', () => {
  const files = readdirSync(new URL('functions', root)).map((file) => basename(file, '.ts'));
  expect([...Object.keys(endpoints), ...Object.keys(schedules), ...others].sort()).toEqual(files.sort());
});

it('assigns each method of a path to one endpoint', () => {
  const offered = Object.values(endpoints).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(offered).size).toBe(offered.length);
});

it.each(Object.values(endpoints).filter(({ scope }) => scope !== null))(
  '$name has an example of each request body and response',
  ({ name, body, responses }) => {
    const { requests = {}, responses: examples = {} } = examplesOf(name);
    expect(Object.keys(examples)).toEqual(responses.map(({ status }) => String(status)).sort());
    expect(Object.keys(requests).length > 0).toBe(body !== undefined);
  },
);

it('can be imported without an environment, and opens nothing that keeps the process alive', () => {
  const script = "await import('./functions/endpoints.ts');";
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    env: {},
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect([status, stderr]).toEqual([0, '']);
});

it('has only versions of the API that change endpoints which exist', () => {
  const changed = versions.flatMap(({ changes }) => changes.flatMap(({ of }) => Object.keys(of)));
  expect(changed.filter((name) => !(name in endpoints))).toEqual([]);
});
