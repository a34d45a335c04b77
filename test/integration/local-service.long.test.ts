import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createGateway } from '../../infra/local/gateway.ts';
import type { Handlers } from '../../infra/local/handlers.ts';
import { freePort, readSettings } from '../../infra/local/settings.ts';
import { type ApiResponse, listen, type Request, send, sendBytes } from '../support/http.ts';
import { noteWritten } from '../support/log-watch.ts';
import { createFolder, saveFile } from '../support/temporary-files.ts';

type Service = {
  readonly process: ChildProcess;
  readonly url: string;
  readonly database: string;
  readonly key: string;
  readonly curl: string;
};

const started = new Set<ChildProcess>();
/** The logs of each service, checked for leaks like this process's logs (test/support/log-watch.ts). */
const logs: (() => string)[] = [];
afterAll(() => {
  const log = logs.map((read) => read()).join('');
  noteWritten(log, 'npm start');
  for (const operation of ['create-transaction', 'get-transaction'])
    expect(log).toContain(`"operation":"${operation}"`);
});

type Command = readonly [file: string, words: readonly string[]];
const start: Command = [process.execPath, ['infra/local/start.ts']];

const spawnService = (variables: Record<string, string>, [file, words]: Command = start): ChildProcess => {
  // The service starts its own database, on any free port (0).
  const { DYNAMODB_ENDPOINT: _, NODE_OPTIONS: __, ...inherited } = process.env;
  const child = spawn(file, words, {
    env: { ...inherited, PORT: '0', DYNAMODB_PORT: '0', DATA_DIR: '', API_KEY: '', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  return child;
};

const ended = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  started.delete(child);
  return child.exitCode;
};

const startService = async (variables: Record<string, string> = {}, command = start): Promise<Service> => {
  const child = spawnService({ LOG: 'requests', ...variables }, command);
  let output = '';
  // The first output is for the developer, with the key and an example; the rest is the log.
  logs.push(() => output.replace(/^.*^curl [^\n]*\n/ms, ''));
  const curl = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      const line = /^curl .*(?=\n)/m.exec(output);
      if (line) resolve(line[0]);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}:\n${output}`)));
  });
  const named = (label: string) => new RegExp(`^${label} +(\\S+)`, 'm').exec(output)?.[1] ?? '';
  return { process: child, url: named('Levy'), database: named('Database'), key: named('Demo key'), curl };
};

const stopService = async ({ process: child }: Service, signal: NodeJS.Signals = 'SIGTERM') => {
  child.kill(signal);
  return ended(child);
};

const isListening = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Returns the output and exit code of a start that must fail. */
const failingStart = async (variables: Record<string, string>) => {
  const child = spawnService(variables);
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return { code: await ended(child), output };
};

// Cleans up even if a test failed half-way.
const endAll = async () => {
  for (const child of started) {
    child.kill();
    await ended(child);
  }
};

const draft = {
  status: 'draft',
  line_items: [{ product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' }],
  customer: { address: { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } },
};

describe('npm start, running', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ API_KEY: 'levy_demo' });
  });
  afterAll(endAll);

  // These tests run before the tests that move the clock.
  const [, page = ''] = readFileSync('shared/filings/README.md', 'utf8').split('\n## Example as curl\n');
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);

  it('runs the tax return example in the filings README unchanged', () => {
    const { port } = new URL(service.url);
    expect([port === '3000', blocks.length]).toEqual([false, 3]);
    const output = execFileSync('bash', ['-euo', 'pipefail', '-c', blocks.join('\necho --\n')], {
      encoding: 'utf8',
      // The commands find only this version of Node.
      env: { ...process.env, PORT: port, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` },
    });
    expect(output.split('--\n').map((part) => part.trimEnd().split('\n'))).toEqual([
      [''],
      ['US-MI 12.00 2', 'closed 2026-09-01 2026-09-30', 'US-HI 4.00 1', 'US-HI-00-003 0.50 1'],
      [
        'credit 6.00',
        'US-MI -6.00 1',
        'state,period_start,period_end,jurisdiction_code,currency,rate,tax_amount,count',
        'US-MI,2026-09-01,2026-09-30,US-MI,USD,0.06,12.00,2',
        'US-MI,2026-09-01,2026-09-30,,USD,,12.00,2',
        'MI-2026-09-4711',
        'filed full',
        'filed 2026-09-30',
      ],
    ]);
  });

  it('runs the checkout in the README', () => {
    const [, code = ''] = /```ts\n(.*?)```/s.exec(readFileSync('README.md', 'utf8')) ?? [];
    const output = execFileSync(process.execPath, ['--input-type=module-typescript'], {
      encoding: 'utf8',
      input: code.replace('http://127.0.0.1:3000', service.url),
    });
    expect(output).toBe('6.00 6.00 3.00\n');
  });

  it('returns the taxes of the shipping charges in the client README', () => {
    const code = /```ts\n(const store = .*?)```/s.exec(readFileSync('shared/client/README.md', 'utf8'))?.[1] ?? '';
    const customer = { address: { city: 'New York', state: 'NY', postal_code: '10001', country: 'US' } };
    const client = JSON.stringify(new URL('../../shared/client/client.ts', import.meta.url).href);
    const before = `import { createClient, orThrow } from ${client};
      const levy = createClient({ url: '${service.url}', apiKey: 'levy_demo' });
      const customer = ${JSON.stringify(customer)};`;
    const output = execFileSync(process.execPath, ['--input-type=module-typescript'], {
      encoding: 'utf8',
      input: `${before}\n${code}\nconsole.log(calculation.tax_amount, ...ofShipping);`,
    });
    // The taxes are 1.78 for each of two lines in New York and 1.20 for the line in Michigan. The charges raise New
    // York to 4.44 and then 5.33.
    expect(output).toBe('6.54 parcel: 0.89 courier: 0.89\n');
  });

  const control = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(service.url, method, path, { ...(body !== undefined && { body }), headers }) as Promise<
      ApiResponse<{ now: string }>
    >;
  const getCode = (response: ApiResponse) => response.body.errors[0].code;

  it('prints a curl command that works: 8.875 percent of 100.00 in New York City', () => {
    const output = execFileSync('bash', ['-c', service.curl], { encoding: 'utf8' });
    expect(JSON.parse(output)).toMatchObject({ object: 'calculation', tax_amount: '8.88' });
  });

  it('serves its documentation without a key', async () => {
    const { status, body } = await send(service.url, 'GET', '/openapi.json');
    expect(status).toBe(200);
    expect(body.openapi).toMatch(/^3\./);
  });

  it('passes the health check of compose.yaml, and fails it at a port without the service', async () => {
    const compose = readFileSync(new URL('../../compose.yaml', import.meta.url), 'utf8');
    const [, file, ...words] = JSON.parse(/healthcheck:\n\s+test: (\[.*\])/.exec(compose)?.[1] ?? '[]');
    // YAML does not escape `$`, but Compose replaces a variable in braces.
    expect(words.join(' ')).not.toMatch(/(^|[^$])\$\{/);
    const codeAt = async (port: string): Promise<number | null> => {
      const check = spawn(
        file,
        words.map((word: string) => word.replaceAll('$$', '$')),
        {
          env: { ...process.env, PORT: port },
        },
      );
      const [code] = await once(check, 'close');
      return code;
    };
    expect(await codeAt(new URL(service.url).port)).toBe(0);
    expect(await codeAt(String(await freePort(0, 'PORT')))).toBe(1);
  });

  it('sets and moves its clock, and returns the time', async () => {
    const hour = 3_600_000;
    const target = Date.now() + hour;
    const set = await control('PUT', '/_local/clock', { now: new Date(target).toISOString() });
    expect(set.status).toBe(200);
    expect(Date.parse(set.body.now) - target).toBeLessThan(60_000);
    expect(Date.parse(set.body.now) - target).toBeGreaterThanOrEqual(0);
    const moved = await control('PUT', '/_local/clock', { advance_seconds: 3600 });
    expect(Date.parse(moved.body.now) - Date.parse(set.body.now)).toBeGreaterThanOrEqual(hour);
    const read = await control('GET', '/_local/clock');
    expect(Date.parse(read.body.now)).toBeGreaterThanOrEqual(Date.parse(moved.body.now));
  });

  it.each<readonly [pointer: string, body: unknown]>([
    ['', {}],
    ['', []],
    ['', null],
    ['', { now: '2027-01-01T00:00:00Z', advance_seconds: 1 }],
    ...['2027-02-30T00:00:00Z', '2027-01-01T00:00:00+0200', 1_800_000_000, null].map(
      (now) => ['/now', { now }] as const,
    ),
    ...['60', 1e15].map((seconds) => ['/advance_seconds', { advance_seconds: seconds }] as const),
  ])('rejects a change of the clock at "$0": $1', async (pointer, body) => {
    const response = await control('PUT', '/_local/clock', body);
    const [{ source, meta }] = response.body.errors;
    expect([response.status, source]).toEqual([422, { pointer }]);
    expect(meta.request_id).toBe(response.headers.get('X-Request-Id'));
  });

  it('expires a draft when the clock moves a day and the sweep runs', async () => {
    const headers = { 'X-API-Key': service.key };
    const { body: created } = await send(service.url, 'POST', '/transactions', { headers, body: draft });
    expect(created.status).toBe('draft');
    await control('PUT', '/_local/clock', { advance_seconds: 24 * 3600 });
    const swept = await control('POST', '/_local/schedules/sweep-drafts');
    expect(swept.status).toBe(200);
    expect(swept.text).toMatch(/^\{.*\d.*\}$/);
    const { body: expired } = await send(service.url, 'GET', `/transactions/${created.id}`, { headers });
    expect(expired).toMatchObject({ status: 'void', void_reason: 'draft_expired' });
  });

  it('returns the same sample of the previous month each time, dated in that month', async () => {
    type Sample = ApiResponse<{ month: string; transactions: { reference_id: string; tax_date: string }[] }>;
    const read = async () => ((await control('GET', '/_local/sample-month')) as unknown as Sample).body;
    const { now } = (await control('GET', '/_local/clock')).body;
    const { month, transactions } = await read();
    const previous = new Date(Date.UTC(Number(now.slice(0, 4)), Number(now.slice(5, 7)) - 2));
    expect(month).toBe(previous.toISOString().slice(0, 7));
    expect(new Set(transactions.map(({ tax_date }) => tax_date.slice(0, 7)))).toEqual(new Set([month]));
    expect(new Set(transactions.map(({ reference_id }) => reference_id)).size).toBe(transactions.length);
    expect(await read()).toMatchObject({ transactions });
  });

  it('offers no other controls', async () => {
    for (const path of ['schedules/nothing', 'schedules/toString', 'schedules/', 'nowhere', ''])
      expect(getCode(await control('POST', `/_local/${path}`))).toBe('not_found');
    const response = await control('GET', '/_local/schedules/sweep-drafts');
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
  });

  it.each([
    ...[
      'evil.example',
      '127.0.0.1.evil.example',
      '10.0.0.1',
      'localhost.evil.example:3000',
      '127.0.0.1@evil.example',
    ].map((Host) => ({ Host })),
    ...['http://evil.example', 'null', 'http://127.0.0.1:3000'].map((Origin) => ({ Origin })),
  ])('rejects a browser request with %j, whose host name could be rebound', async (headers: Record<string, string>) => {
    const responses = [
      await control('PUT', '/_local/clock', { advance_seconds: 1 }, headers),
      await control('POST', '/_local/schedules/sweep-drafts', undefined, headers),
    ];
    for (const response of responses) {
      expect([response.status, getCode(response)]).toEqual([403, 'auth_forbidden']);
      expect(response.body.errors[0].source).toEqual({ pointer: null, header: Object.keys(headers)[0] });
    }
  });

  it.each(['localhost', 'LOCALHOST:3000', '127.0.0.1:1', '[::1]:3000'])('responds as %s', async (Host) => {
    expect((await control('GET', '/_local/clock', undefined, { Host })).status).toBe(200);
  });

  it('accepts a body only as application/json', async () => {
    const plain = await control('PUT', '/_local/clock', { advance_seconds: 1 }, { 'Content-Type': 'text/plain' });
    expect([plain.status, getCode(plain)]).toEqual([415, 'validation_unsupported_media_type']);
    const type = 'application/json; charset=utf-8';
    const json = await control('PUT', '/_local/clock', { advance_seconds: 0 }, { 'Content-Type': type });
    expect(json.status).toBe(200);
    const malformed = await send(service.url, 'PUT', '/_local/clock', { rawBody: '{' });
    expect([malformed.status, getCode(malformed)]).toEqual([400, 'validation_malformed_json']);
  });

  it('prints the variable of a port in use, and starts no emulator', async () => {
    const { port } = new URL(service.url);
    const databasePort = String(await freePort(0, 'DYNAMODB_PORT'));
    const taken = await failingStart({ PORT: port, DYNAMODB_PORT: databasePort });
    expect(taken).toEqual({ code: 1, output: expect.stringMatching(new RegExp(`${port} .*\\bPORT\\b`)) });
    expect(await isListening(`http://127.0.0.1:${databasePort}`)).toBe(false);
    const { port: other } = new URL(service.database);
    const second = await failingStart({ DYNAMODB_PORT: other });
    expect(second).toEqual({ code: 1, output: expect.stringMatching(new RegExp(`${other} .*DYNAMODB_PORT`)) });
  });
});

// Each of these tests starts the service as a separate process.
describe('npm start, from start to end', () => {
  afterEach(endAll);

  it.each(['SIGTERM', 'SIGINT'] as const)('exits on %s with its emulator', async (signal) => {
    const service = await startService();
    expect(await isListening(service.database)).toBe(true);
    expect(await stopService(service, signal)).toBe(0);
    expect([await isListening(service.url), await isListening(service.database)]).toEqual([false, false]);
  });

  it.skipIf(process.platform === 'win32')('exits if npm is killed and its shell forwards no signal', async () => {
    const words = ['-c', `"${process.execPath}" infra/local/start.ts; true`];
    const service = await startService({ npm_lifecycle_event: 'start' }, ['sh', words]);
    service.process.kill();
    await ended(service.process);
    await vi.waitUntil(async () => !(await isListening(service.url)) && !(await isListening(service.database)), 10_000);
  });

  it.skipIf(process.platform === 'win32')('exits with a message if its database cannot write a change', async () => {
    const DATA_DIR = createFolder();
    const API_KEY = 'demo';
    // Limits the file size to simulate a full disk, in units of 512 or 1,024 bytes.
    const words = ['-c', `trap '' XFSZ; ulimit -f 64; exec "${process.execPath}" infra/local/start.ts`];
    const { process: child, url } = await startService({ DATA_DIR, API_KEY, NODE_DISABLE_COMPILE_CACHE: '1' }, [
      'sh',
      words,
    ]);
    let output = '';
    child.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    const closed = once(child, 'close');
    const hasResponse = async () => {
      const request = { headers: { 'X-API-Key': API_KEY }, body: draft };
      await send(url, 'POST', '/transactions', request);
      return true;
    };
    while (await hasResponse().catch(() => false));
    await closed;
    expect(await ended(child)).toBe(1);
    expect(output).toMatch(/database .*EFBIG.*\n$/);
  });

  it('stops its database if it is killed with SIGKILL', async () => {
    const service = await startService();
    await stopService(service, 'SIGKILL');
    await vi.waitUntil(async () => !(await isListening(service.database)), 10_000);
  });

  it('keeps its data in DATA_DIR if it is killed, counts it in reports, and accepts any string as API_KEY', async () => {
    const DATA_DIR = createFolder();
    const API_KEY = "it's-$my-key";
    const headers = { 'X-API-Key': API_KEY };
    const first = await startService({ DATA_DIR, API_KEY });
    const created = await send(first.url, 'POST', '/transactions', { headers, body: draft });
    expect(created.status).toBe(201);
    const body = { ...draft, status: 'finalized' };
    expect((await send(first.url, 'POST', '/transactions', { headers, body })).status).toBe(201);
    await stopService(first, 'SIGKILL');
    const second = await startService({ DATA_DIR, API_KEY });
    const found = await send(second.url, 'GET', `/transactions/${created.body.id}`, { headers });
    expect(found.text).toBe(JSON.stringify({ ...created.body, history: null }));
    expect(JSON.parse(execFileSync('bash', ['-c', second.curl], { encoding: 'utf8' })).tax_amount).toBe('8.88');
    const reported = () => send(second.url, 'GET', '/reports/by-state', { headers });
    await vi.waitUntil(async () => (await reported()).body.data[0]?.sales.count === 1, 10_000);
    await stopService(second);
  });

  it.each([
    ['PORT', 'http'],
    ['DYNAMODB_PORT', '70000'],
    ['API_KEY', 'two\nlines'],
    ['DYNAMODB_ENDPOINT', 'https://dynamodb.us-east-1.amazonaws.com'],
    ['DYNAMODB_ENDPOINT', 'http://127.0.0.1:1'],
    ['DATA_DIR', import.meta.filename],
    ['DATA_DIR', dirname(saveFile('levy.jsonl', 'not JSON\n'))],
    ['DATA_DIR', dirname(saveFile('levy.jsonl', '{"writes":[{"table":"none","item":{}}]}\n'))],
    // Only Linux has /proc. Elsewhere this is another folder in a file.
    ['DATA_DIR', process.platform === 'linux' ? '/proc/x/y' : `${import.meta.filename}/x`],
  ])('fails with one line that names %s if it is %j', async (name, value) => {
    const output = expect.stringMatching(new RegExp(`^${name} .*\n$`));
    expect(await failingStart({ [name]: value })).toEqual({ code: 1, output });
  });
});

describe('the local gateway', () => {
  const echo = async (event: APIGatewayProxyEvent, context: Context) => ({
    statusCode: 200,
    multiValueHeaders: { 'X-Twice': ['a', 'b'] },
    body: JSON.stringify({ event, remainingMs: context.getRemainingTimeInMillis() }),
  });
  const odd: Record<string, () => Promise<unknown>> = {
    'an error': () => Promise.reject(new Error('a table name')),
    never: () => new Promise(() => {}),
    nothing: async () => undefined,
    'bad headers': async () => ({ statusCode: 200, headers: { 'X-Bad': 'two\nlines' }, body: '' }),
    unchanged: async () => ({ statusCode: 304, headers: { ETag: '"1"' }, body: '' }),
  };
  const handlers = {
    endpoints: new Proxy({} as Handlers['endpoints'], {
      get: (_, name) => (event: APIGatewayProxyEvent, context: Context) =>
        name === 'method-not-allowed'
          ? Promise.resolve({ statusCode: 405, body: '{}' })
          : (odd[event.pathParameters?.['id'] as string] ?? (() => echo(event, context)))(),
    }),
    schedules: {} as Handlers['schedules'],
  };
  const server = createGateway({ handlers, timeoutMs: 200 });
  let url: string;
  beforeAll(async () => {
    ({ url } = await listen(server));
  });
  afterAll(() => server.close().closeAllConnections());
  const readEvent = async (method: string, path: string, request: Request = {}) =>
    ((await send(url, method, path, request)) as ApiResponse<{ event: APIGatewayProxyEvent }>).body.event;

  it('keeps the case of header names and every value', async () => {
    const headers = { 'x-API-key': 'a', Accept: ['b', 'c'] };
    const { headers: single, multiValueHeaders } = await readEvent('GET', '/transactions', { headers });
    expect(multiValueHeaders).toMatchObject({ 'x-API-key': ['a'], Accept: ['b', 'c'] });
    expect(single).toMatchObject({ 'x-API-key': 'a', Accept: 'c' });
  });

  it('decodes a query once, with its brackets, pluses and repetitions', async () => {
    const path = '/transactions?tax_date[gte]=2026-01-01&tax_date%5Blt%5D=a+b%2Bc&status=draft&status=void&x=%2525&%';
    const event = await readEvent('GET', path);
    expect(event.multiValueQueryStringParameters).toEqual({
      'tax_date[gte]': ['2026-01-01'],
      'tax_date[lt]': ['a b+c'],
      status: ['draft', 'void'],
      x: ['%25'],
      '%': [''],
    });
    expect(event.queryStringParameters?.['status']).toBe('void');
    expect((await readEvent('GET', '/transactions')).multiValueQueryStringParameters).toBeNull();
  });

  it('decodes a path parameter once and does not change the path', async () => {
    const event = await readEvent('GET', '/transactions/a%252Fb%20c?x=1');
    expect(event).toMatchObject({
      resource: '/transactions/{id}',
      path: '/transactions/a%252Fb%20c',
      pathParameters: { id: 'a%2Fb c' },
      body: null,
      isBase64Encoded: false,
    });
  });

  it.each(['/nowhere', '/transactions//', '/transactions/%zz', '/transactions/%ff', '/transactions/a/..', '//evil/'])(
    'returns 404 with the error envelope at %s',
    async (path) => {
      const { status, headers, body } = await send(url, 'POST', path, { rawBody: '{' });
      const [error] = body.errors;
      expect([status, error.status, error.code, error.source]).toEqual([404, '404', 'not_found', { pointer: null }]);
      expect(error.meta.request_id).toBe(headers.get('X-Request-Id'));
    },
  );

  it.each(['PUT', 'DELETE', 'OPTIONS', 'PATCH', 'HEAD'])(
    'forwards the unsupported method %s to the function that rejects it',
    async (method) => {
      expect((await send(url, method, '/transactions/txn_1')).status).toBe(405);
    },
  );

  it('accepts an absolute request target, and otherwise only paths', async () => {
    const close = 'Host: localhost\r\nConnection: close\r\n\r\n';
    expect(await sendBytes(url, `GET http://levy.example/transactions?a=1 HTTP/1.1\r\n${close}`)).toMatch(
      /^HTTP\/1.1 200 .*"path":"\/transactions"/s,
    );
    expect(await sendBytes(url, `OPTIONS * HTTP/1.1\r\n${close}`)).toMatch(/^HTTP\/1.1 404 .*not_found/s);
    expect(await sendBytes(url, `GET http://levy.example/_local/clock HTTP/1.1\r\n${close}`)).toMatch(
      /^HTTP\/1.1 403 /,
    );
    expect(await sendBytes(url, 'GET\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  });

  it('turns bytes that are not UTF-8 into U+FFFD', async () => {
    const rawBody = Uint8Array.of(0x22, 0xff, 0x22);
    expect((await readEvent('POST', '/transactions', { rawBody })).body).toBe('"\ufffd"');
  });

  it('accepts 10 MiB and rejects one byte more', async () => {
    const rawBody = new Uint8Array(10 * 1024 * 1024 + 1).fill(0x20);
    expect((await send(url, 'POST', '/transactions', { rawBody: rawBody.subarray(1) })).status).toBe(200);
    const over = await send(url, 'POST', '/transactions', { rawBody });
    expect([over.status, over.body.errors[0].code]).toEqual([413, 'validation_body_too_large']);
  });

  it.each([
    { id: 'an error', status: 500, code: 'system_internal_error' },
    { id: 'nothing', status: 500, code: 'system_internal_error' },
    { id: 'bad headers', status: 500, code: 'system_internal_error' },
    { id: 'never', status: 503, code: 'system_service_unavailable' },
  ])('returns $status for a function that returns "$id", without the reason', async ({ id, status, code }) => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const response = await send(url, 'GET', `/transactions/${encodeURIComponent(id)}`);
    expect([response.status, response.body.errors[0].code]).toEqual([status, code]);
    expect(log.mock.lastCall?.[0]).toContain(response.headers.get('X-Request-Id'));
    log.mockRestore();
    expect(response.headers.get('X-Request-Id')).toBe(response.body.errors[0].meta.request_id);
    expect(response.text).not.toContain('a table name');
    // The function could have written before it stopped responding.
    if (status === 503) expect(response.body.errors[0].detail).toContain('with the same Idempotency-Key');
  });

  it('forwards repeated headers, and a 304 without a body', async () => {
    expect((await send(url, 'GET', '/transactions')).headers.get('X-Twice')).toBe('a, b');
    const unchanged = await send(url, 'GET', '/transactions/unchanged');
    expect([unchanged.status, unchanged.text, unchanged.headers.get('ETag')]).toEqual([304, '', '"1"']);
    expect(unchanged.headers.has('Content-Type')).toBe(false);
  });

  it('survives clients that hang up', async () => {
    const begun = 'POST /transactions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{';
    for (const bytes of [begun, 'GET /transactions/never HTTP/1.1\r\nHost: localhost\r\n\r\n']) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write(bytes);
      await once(server, 'request');
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    expect((await send(url, 'GET', '/transactions')).status).toBe(200);
  });
});

it('rejects a LOG value that has no effect', () => {
  for (const LOG of ['requests', 'off', '', undefined]) expect(() => readSettings({ LOG })).not.toThrow();
  expect(() => readSettings({ LOG: 'yes' })).toThrow('LOG must be requests or off, not "yes".');
});

it.each<[Record<string, string>, string]>([
  [{ DYNAMODB_ENDPOINT: 'localhost:8000' }, 'DYNAMODB_ENDPOINT must be a URL such as'],
  [{ DYNAMODB_ENDPOINT: 'ftp://localhost' }, 'DYNAMODB_ENDPOINT must be a URL such as'],
  [{ OIDC_ISSUER: 'https://login.example.com' }, 'OIDC_AUDIENCE must also be set'],
  [{ OIDC_AUDIENCE: 'levy' }, 'OIDC_ISSUER must also be set'],
  [{ OIDC_ISSUER: 'login.example.com', OIDC_AUDIENCE: 'levy' }, 'OIDC_ISSUER must be an https URL'],
  [{ OIDC_ISSUER: 'http://login.example.com', OIDC_AUDIENCE: 'levy' }, 'OIDC_ISSUER must be an https URL'],
  [{ OIDC_TOKEN_ORIGIN: 'auth.example.com' }, 'OIDC_TOKEN_ORIGIN must be an https URL'],
])('rejects the setting %j', (variables, message) => {
  expect(() => readSettings(variables)).toThrow(message);
  const OIDC_AUDIENCE = 'levy';
  for (const OIDC_ISSUER of ['https://login.example.com/', 'http://127.0.0.1:9000', 'http://localhost'])
    expect(() => readSettings({ OIDC_ISSUER, OIDC_AUDIENCE })).not.toThrow();
});

it('listens on loopback, and on every interface only with HOST', () => {
  expect(readSettings({}).host).toBe('127.0.0.1');
  expect(readSettings({ HOST: '' }).host).toBe('127.0.0.1');
  expect(readSettings({ HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
  for (const HOST of ['localhost', '::', '192.168.0.1', '0.0.0.0 '])
    expect(() => readSettings({ HOST })).toThrow(`not "${HOST}"`);
});
