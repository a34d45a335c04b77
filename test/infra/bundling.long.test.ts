/** The code of every function as deployed. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import type { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { describe, expect, it } from 'vitest';
import { endpoints, type Operation } from '../../functions/endpoints.ts';
import { bundle, type Entry, entries } from '../../infra/bundling.ts';
import { logGroup } from '../../infra/constructs.ts';
import { DataStack } from '../../infra/data-stack.ts';
import { EndpointFunction } from '../../infra/endpoint-function.ts';
import { readSettings } from '../../infra/settings.ts';
import type { createCheck } from '../../shared/api/jwt.ts';
import { listStates } from '../../shared/catalog/local/text-tables.ts';
import { advanceClock, now } from '../../shared/config/clock.ts';
import { badTokens } from '../support/bad-tokens.ts';
import { startIssuer } from '../support/issuer.ts';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** The code of every function, and its source maps, which a deployment omits. Node identifies a file by its real path. */
const out = realpathSync(mkdtempSync(join(tmpdir(), 'levy-bundles-')));
const getFolder = (entry: Entry): string => join(out, entry);
const listMaps = (entry: Entry): string => join(out, 'maps', entry);
for (const entry of entries) {
  mkdirSync(listMaps(entry), { recursive: true });
  bundle(entry, getFolder(entry), listMaps(entry));
}
const listSources = (map: string): string[] => JSON.parse(readFileSync(map, 'utf8')).sources;
const listFiles = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]));

// Written by hand: the functions that locate addresses to calculate tax, return rates or compare releases.
const locating = new Set<Entry>([
  'create-calculation',
  'create-transaction',
  'update-transaction',
  'replay-transaction',
  'get-rates',
  'taxjar',
  'update-content',
]);
const isTable = (name: string) => /^(rates|zips)-/.test(name);
const isRelease = (name: string) => name.startsWith('release-');
const allTables = listStates().flatMap((state) => [`rates-${state}.br`, `zips-${state}.br`]);

describe.each(entries)('the bundle of %s', (entry) => {
  const folder = getFolder(entry);
  const files = readdirSync(folder);
  const code = files.filter((name) => name.endsWith('.js'));
  const kibibytes = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + statSync(join(folder, name)).size / 1024, 0);
  /** The source files in the code, according to its source maps. */
  const sources = readdirSync(listMaps(entry))
    .flatMap((name) => listSources(join(listMaps(entry), name)))
    .map((path) => path.replace(/^(\.\.\/)+/, ''));

  it('contains no source map, because Lambda does not read it', () => {
    expect(files.filter((name) => !/\.(js|br)$/.test(name))).toEqual(['package.json']);
    for (const name of code) expect(readFileSync(join(folder, name), 'utf8')).not.toContain('sourceMappingURL');
  });

  it('stays below its size limit for code and for packed data that is not specific to a state', () => {
    // Importers read workbooks, archives, HTML and place names. The limit of the console page is 180 KB gzipped. The
    // TaxJar-compatible API performs the work of several endpoints.
    const codeMax = { 'update-content': 840, taxjar: 640 }[entry as string] ?? 530;
    const dataMax = { 'update-content': 128, 'get-console': 176, 'get-docs': 128 }[entry as string] ?? 40;
    const data = files.filter((name) => name.endsWith('.br') && !isTable(name) && !isRelease(name));
    expect(kibibytes(code)).toBeLessThanOrEqual(codeMax);
    expect(kibibytes(data)).toBeLessThanOrEqual(dataMax);
  });

  it('includes the readers of official files only in the function that updates content', () => {
    const libraries =
      /node_modules\/(read-excel-file|decimal\.js|htmlparser2|yauzl|csv-parse|@aws-sdk\/client-eventbridge)\//;
    const readers = sources.filter((path) => libraries.test(path) || /^shared\/importers\/(?!updates\/)/.test(path));
    expect(readers.length > 0).toBe(entry === 'update-content');
    expect(sources.filter((path) => /shared\/cli\/|node_modules\/(commander|@clack)\//.test(path))).toEqual([]);
  });

  it('contains no release, or the release of every state, at most 320 KiB', () => {
    const releases = files.filter(isRelease);
    expect([0, 55]).toContain(releases.length);
    expect(kibibytes(releases)).toBeLessThanOrEqual(320);
    if (locating.has(entry)) expect(releases).toHaveLength(55);
  });

  it('contains the local tables of all states, at most 1 MB, if it locates addresses, and otherwise none', () => {
    const tables = files.filter(isTable);
    expect(tables.length).toBe(locating.has(entry) ? allTables.length : 0);
    expect(kibibytes(tables) * 1024).toBeLessThanOrEqual(1_000_000);
    expect(files.includes('rate-summaries.br')).toBe(['get-coverage', 'update-account', 'taxjar'].includes(entry));
  });

  it('builds a CommonJS module without import() and without local paths that exports a handler', () => {
    expect(files).toContain('package.json');
    expect(require(join(folder, 'index.js'))).toHaveProperty('handler', expect.any(Function));
    for (const name of code) {
      const text = readFileSync(join(folder, name), 'utf8');
      expect(text).not.toMatch(/[^\w.$]import\(/);
      expect(text).not.toContain(root);
    }
  });

  it('contains no definition of another function, no response schema and no unused credential provider', () => {
    const functions = sources.filter((path) => path.startsWith('functions/'));
    expect(functions).toContain(`functions/${entry}.ts`);
    const others = /shared\/(?!api\/)\w+\/response\.ts$|client-(sso|sts)|credential-provider-(?!env)|nested-clients/;
    expect(sources.filter((path) => others.test(path))).toEqual([]);
    expect(new Set(functions).size).toBe(entry === 'taxjar' ? 12 : 1);
    if (entry === 'method-not-allowed') expect(sources.filter((path) => path.includes('node_modules'))).toEqual([]);
  });

  if (!(entry in endpoints) || endpoints[entry as Operation].scope === null) return;

  it('loads the bearer token library on the first token', async () => {
    const library = code.find((name) => /^jwt-/.test(name)) as string;
    expect(join(folder, library) in require.cache).toBe(false);
    const event = {
      httpMethod: 'POST',
      resource: '/',
      headers: { Authorization: 'Bearer token' },
      requestContext: { requestId: 'request_1' },
    };
    const response = await require(join(folder, 'index.js')).handler(event, { getRemainingTimeInMillis: () => 9000 });
    expect(response).toHaveProperty('statusCode', 401);
    expect(require(join(folder, library))).toMatchObject({ createCheck: expect.any(Function) });
  });
});

it('contains the same code in a deployment without source maps, built in another folder', () => {
  const app = new App({ outdir: mkdtempSync(join(out, 'deeper-')) });
  const settings = readSettings(app);
  const data = new DataStack(app, 'LevyData', settings);
  const stack = new Stack(app, 'Functions');
  const deployment = { settings, data, logs: logGroup(stack, 'FunctionLogs', settings) };
  for (const entry of ['get-transaction', 'get-account'] as const) {
    const code = new EndpointFunction(stack, entry, deployment).node.findChild('Code') as Asset;
    expect(listFiles(join(app.outdir, code.assetPath))).toEqual(listFiles(getFolder(entry)));
  }
});

// Prints the host of the first request and exits before sending it.
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
])('resolves the database endpoint $2 in $0 with $1', (AWS_REGION, others, host) => {
  const env = { AWS_REGION, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', ...others };
  const script = join(getFolder('get-transaction'), 'index.js');
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', printHost, script], { env });
  expect([String(stdout), String(stderr)]).toEqual([host, '']);
});

it('accepts and rejects the same tokens with the tree-shaken bearer token library as with the original', async () => {
  // The deployed code uses the real time.
  advanceClock(Date.now() - now());
  const folder = getFolder('get-coverage');
  const file = readdirSync(folder).find((name) => /^jwt-.*\.js$/.test(name)) as string;
  const deployed: { readonly createCheck: typeof createCheck } = require(join(folder, file));
  const issuer = await startIssuer({ rsa: 'RS256', elliptic: 'ES256', edwards: 'EdDSA', stranger: 'RS256' });
  issuer.withdraw('stranger');
  const check = deployed.createCheck(issuer.configured, () => {});
  for (const kid of ['rsa', 'elliptic', 'edwards'])
    expect(await check(await issuer.sign(issuer.claims(), { kid }))).toMatchObject({ account: 'acc_a' });
  const accepted: string[] = [];
  for (const [name, make] of badTokens(issuer))
    if (typeof (await check(await make())) !== 'string') accepted.push(name);
  expect(accepted).toEqual([]);
  issuer.close();
});

it('prints the source line of a frame in the deployed code (`npm run frames`)', () => {
  const text = 'public, no-cache';
  const getLine = (lines: string) => lines.slice(0, lines.indexOf(text)).split('\n');
  const before = getLine(readFileSync(join(getFolder('get-openapi'), 'index.js'), 'utf8'));
  const source = getLine(readFileSync(join(root, 'functions/get-openapi.ts'), 'utf8')).length;
  const frame = `    at a (/var/task/index.js:${before.length}:${(before.at(-1) ?? '').length + 1})`;
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [join(root, 'infra/frames.ts'), ...words], {
      env: { ...process.env, NODE_OPTIONS: '' },
      encoding: 'utf8',
    });
  const { stdout, stderr } = run('get-openapi', frame);
  expect([stdout, stderr]).toEqual([`${frame.trim()}  functions/get-openapi.ts:${source}\n`, '']);
  for (const wrong of ['index.js', 'other.js:1:2']) {
    const refused = run('get-openapi', wrong);
    expect([refused.status, refused.stderr.trim().split('\n').length]).toEqual([1, 1]);
  }
});
