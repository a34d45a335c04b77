import { spawnSync } from 'node:child_process';
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
const operations: ReadonlySet<string> = new Set(
  (Object.keys(routes) as Operation[]).filter((operation) => routes[operation].scope !== null),
);
const require = createRequire(import.meta.url);
const newFolder = () => mkdtempSync(join(tmpdir(), 'levy-bundle-'));

// Written by hand as an oracle: the functions that calculate, and the rates of an address.
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

describe.each(entries)('the bundle of %s', (entry) => {
  // Node knows a loaded file by its real path.
  const folder = realpathSync(newFolder());
  const { inputs } = bundle(entry, folder);
  const files = readdirSync(folder);
  const code = files.filter((name) => name.endsWith('.js'));
  const kibibytes = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + statSync(join(folder, name)).size / 1024, 0);

  it('has at most 480 KiB of code, and at most 64 KiB of packed data without the local tables', () => {
    expect(kibibytes(code)).toBeLessThanOrEqual(480);
    expect(kibibytes(files.filter((name) => name.endsWith('.br') && !isTable(name)))).toBeLessThanOrEqual(64);
  });

  it('has the local tables of all states, at most 1 MB, if it locates addresses, and otherwise none', () => {
    const tables = files.filter(isTable);
    expect(tables.length).toBe(locating.has(entry) ? allTables.length : 0);
    expect(kibibytes(tables) * 1024).toBeLessThanOrEqual(1_000_000);
    expect(files.includes('rate-summaries.br')).toBe(entry === 'get-coverage');
  });

  it('is CommonJS without import(), and exports a handler', () => {
    expect(require(join(folder, 'index.js'))).toHaveProperty('handler', expect.any(Function));
    for (const name of code) expect(readFileSync(join(folder, name), 'utf8')).not.toMatch(/[^\w.$]import\(/);
  });

  it('has no provider of credentials but the one for the environment', () => {
    const chain = /client-(sso|sts)|credential-provider-(?!env)|nested-clients/;
    expect(Object.keys(inputs).filter((path) => chain.test(path))).toEqual([]);
  });

  if (!operations.has(entry)) return;
  const isLoaded = (name: string) => join(folder, name) in require.cache;
  const answer = (headers: Record<string, string>) =>
    require(join(folder, 'index.js')).handler(
      { httpMethod: 'POST', resource: '/', headers, requestContext: { requestId: 'request_1' } },
      { getRemainingTimeInMillis: () => 9000 },
    );

  it('does not load the operation for an unauthenticated request', async () => {
    expect(await answer({})).toHaveProperty('statusCode', 401);
    expect(code.filter((name) => !isLoaded(name))).toContainEqual(expect.stringMatching(`^${entry}-`));
  });

  it('loads the library for bearer tokens with the first token', async () => {
    const library = code.find((name) => /^jwt-/.test(name)) as string;
    expect(isLoaded(library)).toBe(false);
    expect(await answer({ Authorization: 'Bearer token' })).toHaveProperty('statusCode', 401);
    expect(require(join(folder, library))).toMatchObject({ createCheck: expect.any(Function) });
  });
});

it('method-not-allowed needs no package', () => {
  const { inputs } = bundle('method-not-allowed', newFolder());
  expect(Object.keys(inputs).filter((path) => path.includes('node_modules'))).toEqual([]);
});

describe('the database client of a bundle', () => {
  const folder = newFolder();
  bundle('get-transaction', folder);
  // Prints the host of the first request and exits before the request is sent.
  const printHost = `
    require('node:diagnostics_channel').subscribe('http.client.request.created', ({ request }) => {
      require('node:fs').writeSync(1, request.host);
      process.exit();
    });
    const event = { httpMethod: 'GET', path: '/transactions/tx_1', resource: '/transactions/{id}',
      pathParameters: { id: 'tx_1' }, headers: { 'X-API-Key': 'any' }, requestContext: { requestId: 'request_1' } };
    require(process.argv[1]).handler(event, { getRemainingTimeInMillis: () => 9000 });`;

  it.each([
    ['us-east-1', {}, 'dynamodb.us-east-1.amazonaws.com'],
    ['us-east-1', { AWS_USE_FIPS_ENDPOINT: 'true' }, 'dynamodb-fips.us-east-1.amazonaws.com'],
    ['us-east-1', { AWS_USE_DUALSTACK_ENDPOINT: 'true' }, 'dynamodb.us-east-1.api.aws'],
    ['cn-north-1', {}, 'dynamodb.cn-north-1.amazonaws.com.cn'],
    ['eusc-de-east-1', {}, 'dynamodb.eusc-de-east-1.amazonaws.eu'],
  ])('uses in %s with %o the endpoint %s', (AWS_REGION, others, host) => {
    const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    const env = { AWS_REGION, ...credentials, ...others };
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', printHost, join(folder, 'index.js')], { env });
    expect([String(stdout), String(stderr)]).toEqual([host, '']);
  });
});
