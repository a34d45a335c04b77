import { mkdtempSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle, type Entry } from '../../infra/bundling.ts';
import { type Operation, routes, schedules } from '../../shared/http/routes.ts';

const entries = [
  ...Object.keys(routes),
  ...Object.keys(schedules),
  'method-not-allowed',
  'announce-changes',
] as Entry[];
const operations = (Object.keys(routes) as Operation[]).filter((operation) => routes[operation].scope !== null);
const require = createRequire(import.meta.url);
const newFolder = () => mkdtempSync(join(tmpdir(), 'levy-bundle-'));

// By hand: what calculates, and the rates of an address.
const locating = new Set<Entry>([
  'create-calculation',
  'create-transaction',
  'update-transaction',
  'replay-transaction',
  'get-rates',
]);
const isTable = (name: string) => /^(rates|zips)-/.test(name);
const allTables = ['rates', 'zips'].flatMap((kind) =>
  readdirSync(new URL(`../../shared/content/local/${kind}`, import.meta.url)),
);

const codeIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.js'));

describe.each(entries)('the bundle of %s', (entry) => {
  const folder = newFolder();
  const { inputs } = bundle(entry, folder);

  const files = readdirSync(folder);
  const kibibytes = (isMeant: (name: string) => boolean) =>
    files.filter(isMeant).reduce((sum, name) => sum + statSync(join(folder, name)).size / 1024, 0);

  it('is at most 480 KiB of code, with at most 64 KiB of packed data beside it and the local tables', () => {
    expect(kibibytes((name) => name.endsWith('.js'))).toBeLessThanOrEqual(480);
    const isOther = (name: string) => name.endsWith('.br') && !isTable(name);
    expect(kibibytes(isOther)).toBeLessThanOrEqual(64);
  });

  it('has the local tables of all states, at most 1 MB, if it locates addresses, and else none', () => {
    const tables = files.filter(isTable);
    expect(tables.length).toBe(locating.has(entry) ? allTables.length : 0);
    expect(kibibytes(isTable) * 1024).toBeLessThanOrEqual(1_000_000);
    expect(files.includes('rate-summaries.br')).toBe(entry === 'get-coverage');
  });

  it('is CommonJS that exports its handler, and imports no ES module later', () => {
    expect(require(join(folder, 'index.js'))).toHaveProperty('handler', expect.any(Function));
    for (const name of codeIn(folder)) {
      expect(readFileSync(join(folder, name), 'utf8')).not.toMatch(/[^\w.$]import\(/);
    }
  });

  it('builds no schemas of responses', () => {
    expect(Object.keys(inputs).filter((path) => /(^|[/-])response\.ts$/.test(path))).toEqual([]);
  });

  it('takes its credentials from the environment only', () => {
    const inTheChain = Object.keys(inputs).filter((path) =>
      /client-(sso|sts)|credential-provider-(?!env)|nested-clients/.test(path),
    );
    expect(inTheChain).toEqual([]);
  });
});

describe.each(operations)('the bundle of %s, once it has started,', (operation) => {
  // By its real name, which is what Node knows a loaded file by.
  const folder = realpathSync(newFolder());
  bundle(operation, folder);
  const { handler } = require(join(folder, 'index.js'));
  const loaded = () => codeIn(folder).filter((name) => join(folder, name) in require.cache);
  const later = () => codeIn(folder).filter((name) => !loaded().includes(name));
  const answer = (headers: Record<string, string>) =>
    handler(
      { httpMethod: 'POST', resource: '/', headers, requestContext: { requestId: 'request_1' } },
      { getRemainingTimeInMillis: () => 9000 },
    );

  it('loads nothing for a stranger: the operation waits for a caller', async () => {
    const atStart = loaded();
    expect(await answer({})).toHaveProperty('statusCode', 401);
    expect(loaded()).toEqual(atStart);
    expect(later()).toContainEqual(expect.stringMatching(`^${operation}-`));
  });

  it('has the library for bearer tokens in a file of its own, which waits for the first token', async () => {
    expect(await answer({ Authorization: 'Bearer token' })).toHaveProperty('statusCode', 401);
    const library = later().find((name) => /^jwt-/.test(name)) as string;
    expect(require(join(folder, library))).toMatchObject({ createCheck: expect.any(Function) });
  });
});

it('refuses a wrong method without any package', () => {
  const { inputs } = bundle('method-not-allowed', newFolder());
  expect(Object.keys(inputs).filter((path) => path.includes('node_modules'))).toEqual([]);
});

it('builds the same bytes in any folder', () => {
  const [one, other] = [newFolder(), join(newFolder(), 'deeper', 'down')];
  bundle('create-calculation', one);
  bundle('create-calculation', other);
  expect(readdirSync(one)).toEqual(readdirSync(other));
  for (const file of readdirSync(one)) {
    expect(readFileSync(join(one, file)).equals(readFileSync(join(other, file)))).toBe(true);
  }
});
