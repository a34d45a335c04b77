/** The examples of the OpenAPI document, of the documentation page and of its guide, against the service. */

import { execFile, spawnSync } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints, type Operation } from '../../functions/endpoints.ts';
import {
  exampleCustomer,
  exampleFilingId,
  exampleId,
  exampleRatesQuery,
  sale,
} from '../../shared/api/openapi/sample-requests.ts';
import * as samples from '../../shared/api/openapi/samples.ts';
import document from '../../shared/api/openapi.json' with { type: 'json' };
import { type ClientOptions, createClient, orThrow } from '../../shared/client/client.ts';
import { now } from '../../shared/config/clock.ts';
import { isPublic, operations } from '../../shared/docs/openapi.ts';
import { anonymous, type Caller, newCaller, startApi } from '../support/api.ts';
import { all, codeIn, only, page, withId } from '../support/docs-page.ts';
import { createFiler, settled } from '../support/filings.ts';
import type { ApiResponse, BodyOfOperation, OperationId } from '../support/http.ts';
import { later, made } from '../support/sales.ts';

const { calculation, customer, filings, renewedCustomer, replay } = samples;
const getExample = (operation: Operation) => endpoints[operation].response.example(samples);
const buildRequest = (operation: Operation, name: string) =>
  endpoints[operation].requests?.[name]?.value as Readonly<Record<string, unknown>>;

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

const create = async (body: object) => {
  const response = await caller.call('POST', '/transactions', { body });
  expect([response.status, response.body.errors]).toEqual([201, undefined]);
  return response.body;
};

const calculate = async (body: object) => {
  const response = await caller.call('POST', '/calculations', { body });
  expect([response.status, response.body.errors]).toEqual([200, undefined]);
  return response.body;
};

describe("the document's examples, unchanged", () => {
  it('returns the example calculation for the example sale', async () => {
    expect(await calculate(sale)).toEqual(calculation);
  });

  it('returns the example coverage, except the date', async () => {
    const { body } = await caller.call('GET', '/coverage?state=MI');
    expect({ ...body, tax_date: '2026-11-21' }).toEqual(await getExample('get-coverage'));
  });

  it('returns the example rates for the example address', async () => {
    expect((await caller.call('GET', `/rates?${new URLSearchParams(exampleRatesQuery)}`)).body).toEqual(
      await getExample('get-rates'),
    );
  });

  it('replays the example sale with the documented response', async () => {
    const { id } = await create({ ...sale, status: 'finalized' });
    const { body } = await caller.call('POST', `/transactions/${id}/replay`);
    expect(body).toEqual({ ...replay, id, version: 1 });
  });

  it('creates, changes and lists the example customer with the documented responses', async () => {
    const { call } = await newCaller();
    const own = ({ created_at: _c, updated_at: _u, ...customer }: Record<string, unknown>) => customer;
    const resale = buildRequest('create-customer', 'resale');
    const created = await call('POST', '/customers', { body: resale });
    expect([created.status, created.headers.get('Location')]).toEqual([201, `customers/${exampleCustomer.id}`]);
    expect(own(created.body)).toEqual(own(customer));
    expect((await call('GET', `/customers/${exampleCustomer.id}`)).body).toEqual(created.body);
    expect((await call('GET', '/customers')).body.data).toEqual([created.body]);
    const renew = buildRequest('update-customer', 'renew');
    const remove = buildRequest('update-customer', 'remove');
    const renewed = await call('POST', `/customers/${exampleCustomer.id}`, { body: renew });
    expect(own(renewed.body)).toEqual(own(renewedCustomer));
    const removed = await call('POST', `/customers/${exampleCustomer.id}`, { body: remove });
    expect(own(removed.body)).toEqual({ ...own(renewed.body), exemptions: [], version: 3 });
  });
});

describe('the filing examples, unchanged', () => {
  const same = ({ id, asked_by, filed_by, created_at, closed_at, filed_at, ...figures }: Record<string, unknown>) => ({
    ...figures,
    known: [id, asked_by, filed_by, created_at, closed_at, filed_at].map((value) => typeof value),
  });

  const { '/filings': filingsPath, '/filings/{id}': filingPath } = document.paths;
  const creations = filingsPath.post.requestBody.content['application/json'].examples;
  const changes = filingPath.post.requestBody.content['application/json'].examples;

  it('closes and files the month of the example sale with the documented responses', async () => {
    // The due date is 18 days later.
    await later(Date.parse('2026-11-02T12:00:00Z') - now(), async () => {
      const filer = createFiler(await newCaller());
      await made(filer.create({ ...sale, status: 'finalized' }));
      const dry = await filer.close(creations.dryRun.value);
      expect(same(dry.body)).toEqual(same(filings.dryRun));
      const { body } = await filer.close(creations.close.value);
      expect(same(body)).toEqual(same(filings.closing));
      expect(same(await settled(filer, body.id))).toEqual(same(filings.closed));
      const response = await filer.change(body.id, changes.file.value);
      expect(same(response.body)).toEqual(same(filings.marking));
      expect(same(await settled(filer, body.id))).toEqual(same(filings.filed));
    });
  });
});

const options = {
  silent: { type: 'boolean', short: 's' },
  errors: { type: 'boolean', short: 'S' },
  method: { type: 'string', short: 'X' },
  body: { type: 'string', short: 'd' },
  header: { type: 'string', short: 'H', multiple: true },
} as const;

/** Parses a curl command of the documentation into a request. Throws on an unknown option and an unknown variable. */
const curlRequest = (command: string, variables: Readonly<Record<string, string>>) => {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const env = { PATH: process.env['PATH'], ...variables };
  const { status, stdout, stderr } = spawnSync('bash', ['-euc', script], { env, encoding: 'utf8' });
  const args = stdout.split('\0').slice(0, -1);
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [url = ''] = positionals;
  if (status !== 0 || !values.silent || !values.errors || positionals.length !== 1)
    throw new Error(`Not a curl command of the documentation: ${command} ${stderr}`);
  const headers = Object.fromEntries((values.header ?? []).map((text) => text.split(/: (.*)/s).slice(0, 2)));
  const rawBody = values.body ?? null;
  return { method: values.method ?? (rawBody === null ? 'GET' : 'POST'), url, headers, rawBody };
};

const listCommands = (operationId: string) => codeIn(operationId, 'sh');
const host = 'http://service.example';
type Sent = { readonly method: string; readonly url: string; readonly key: string | null; readonly body: unknown };

// test/support/setup-api.ts checks each response against the OpenAPI document.
it('runs every curl command on the page with ids from earlier responses', async () => {
  const caller = await newCaller({ scopes: ['read', 'write', 'settings'] });
  const filer = createFiler(caller);
  const ran = new Set<string>();
  type Ids = { transaction?: string; filing?: string };
  /** Runs the only command of the operation that matches a pattern. */
  const run = async <Name extends OperationId>(operationId: Name, pattern: RegExp, ids: Ids = {}) => {
    const [command = '', ...others] = listCommands(operationId).filter((text) => pattern.test(text));
    expect([operationId, pattern, command === '', others]).toEqual([operationId, pattern, false, []]);
    ran.add(command);
    const known = command
      .replaceAll(exampleId, ids.transaction ?? exampleId)
      .replaceAll(exampleFilingId, ids.filing ?? exampleFilingId);
    const { method, url, headers, rawBody } = curlRequest(known, { LEVY: '', LEVY_KEY: caller.key });
    // Only the command sends an API key, not the test.
    const response = await anonymous.call(method, url, { headers, ...(rawBody !== null && { rawBody }) });
    return response as ApiResponse<BodyOfOperation<Name>>;
  };
  const any = /^/;

  expect((await run('createCalculation', /"line1"/)).body.tax_amount).toBe('5.70');
  expect((await run('getRates', any)).body.address.city).toBe('Minneapolis');
  const draft = await run('createTransaction', /"draft"/);
  expect([draft.status, draft.body.status]).toEqual([201, 'draft']);
  const first = { transaction: draft.body.id };
  expect((await run('updateTransaction', /"finalized"/, first)).body.reference_id).toBe('invoice_1002');
  const second = await run('createTransaction', /"invoice_1001"/);
  expect([second.status, second.body.status]).toEqual([201, 'finalized']);

  const estimate = await run('createCalculation', /"credit"/, first);
  const credit = await run('createTransaction', /"quantity": "1"/, first);
  expect([credit.status, credit.body.tax_amount]).toEqual([201, estimate.body.tax_amount]);
  const whole = await run('createTransaction', /^(?!.*line_items).*"credit"/s, { transaction: second.body.id });
  expect([whole.status, whole.body.total_amount]).toEqual([201, '100.70']);
  expect((await run('updateTransaction', /"metadata"/, first)).body.metadata).toEqual({ order: 'A-17' });
  const other = await run('createTransaction', /"draft"/);
  const voided = await run('updateTransaction', /"void"/, { transaction: other.body.id });
  expect(voided.body.void_reason).toBe('Entered twice');

  expect((await run('getTransaction', any, first)).body.refund_status).toBe('partial');
  expect((await run('listTransactions', any)).body.data).toHaveLength(5);
  expect((await run('getTransactionHistory', any, first)).body.data.length).toBeGreaterThan(2);
  expect((await run('replayTransaction', any, first)).body.match).toBe(true);
  const { matched_count, different, missing } = (await run('createReconciliation', any)).body;
  expect([matched_count, different.length, missing.length]).toEqual([1, 1, 1]);

  expect((await run('createCustomer', any)).status).toBe(201);
  expect((await run('listCustomers', any)).body.data).toHaveLength(1);
  expect((await run('getCustomer', any)).body.version).toBe(1);
  expect((await run('updateCustomer', /"valid_to"/)).body.version).toBe(2);
  expect((await run('updateCustomer', /"exemptions": \[\]/)).body.exemptions).toEqual([]);

  expect((await run('createFiling', /"dry_run"/)).body.status).toBe('dry_run');
  const close = async () => {
    const { status, body } = await run('createFiling', /^(?!.*dry_run)/s);
    expect([status, (await settled(filer, body.id)).status]).toEqual([202, 'closed']);
    return { filing: body.id };
  };
  const closed = await close();
  expect((await run('getFiling', any, closed)).body.status).toBe('closed');
  expect((await run('listFilingExceptions', any, closed)).body.data).toEqual([]);
  expect((await run('updateFiling', /"canceled"/, closed)).status).toBe(202);
  await settled(filer, closed.filing);
  const again = await close();
  expect((await run('updateFiling', /"filed"(?!.*previous)/s, again)).status).toBe(202);
  expect((await settled(filer, again.filing)).status).toBe('filed');
  expect((await run('updateFiling', /"previous_confirmation_number"/, again)).body.corrections).toHaveLength(1);
  expect((await run('listFilings', any)).body.data).toHaveLength(2);

  expect((await run('listProductTaxCodes', any)).body.data.length).toBeGreaterThan(100);
  expect((await run('getCoverage', any)).body.states.length).toBeGreaterThan(40);
  expect((await run('getOpenapi', any)).body).toEqual(document);
  expect((await run('getConsole', any)).text).toContain('<title>Levy console</title>');
  expect((await run('getDocs', any)).text).toBe(page);
  for (const name of operations.keys() as Iterable<OperationId>)
    if (!listCommands(name).some((command) => ran.has(command))) expect((await run(name, any)).status).toBe(200);
  const commands = [...operations.keys()].flatMap(listCommands);
  expect(commands.filter((command) => !ran.has(command))).toEqual([]);
  expect(commands.length).toBeGreaterThan(operations.size);
});

type Media = { readonly example?: unknown; readonly examples?: Readonly<Record<string, { readonly value: unknown }>> };

/** Runs a TypeScript sample with the client, and returns the request that it sends. */
const typescriptRequest = async (code: string) => {
  const [line = '', ...lines] = code.split('\n');
  expect(line).toBe("import { createClient, orThrow } from 'levy-client';");
  const sent: Sent[] = [];
  const recorder = async (url: unknown, { method = '', headers, body }: RequestInit = {}) => {
    const key = new Headers(headers).get('X-API-Key');
    sent.push({ method, url: String(url), key, body: body ? JSON.parse(String(body)) : null });
    return Response.json({});
  };
  const create = (options: ClientOptions) => createClient({ ...options, fetch: recorder });
  const run = new Function(
    'createClient',
    'orThrow',
    'process',
    'console',
    `return (async () => {${lines.join('\n')}})()`,
  );
  await run(create, orThrow, { env: { LEVY: host, LEVY_KEY: 'the key' } }, { log: () => {} });
  return sent;
};

const media = (content: object): readonly Media[] =>
  Object.entries<Media>({ ...content }).flatMap(([type, value]) => (type === 'application/json' ? [value] : []));

/** Returns the body of a Python sample. `npm run test:python` runs the samples. */
const pythonBody = (code: string): unknown => {
  const [, literal = 'null'] = /\.from_dict\((.*)\)\nprint/s.exec(code) ?? [];
  expect(literal).not.toMatch(/: (true|false|null)\b/);
  const words = { True: 'true', False: 'false', None: 'null' } as const;
  return JSON.parse(literal.replaceAll(/\b(True|False|None)\b/g, (word) => words[word as keyof typeof words]));
};

it.each([...operations.values()])(
  "shows the document's examples of $operationId in each language, and a form",
  async (operation) => {
    const { operationId: id, method, path, requestBody, responses } = operation;
    const bodies = media(requestBody?.content ?? {}).flatMap(({ examples = {} }) =>
      Object.values(examples).map(({ value }) => value),
    );
    const examples = Object.entries(responses).flatMap(([status, { content = {} }]) =>
      status < '300' ? media(content).flatMap(({ example }) => example ?? []) : [],
    );
    const shown = codeIn(id, 'json').map((text): unknown => JSON.parse(text));
    for (const value of [...bodies, ...examples]) expect(shown).toContainEqual(value);

    const commands = listCommands(id)
      .map((command) => curlRequest(command, { LEVY: host, LEVY_KEY: 'the key' }))
      .map(({ rawBody, headers, url, ...sent }) => ({
        ...sent,
        url: new URL(url).href,
        key: headers['X-API-Key'] ?? null,
        body: rawBody && JSON.parse(rawBody),
      }));
    expect(commands.map(({ body }) => body)).toEqual(requestBody ? bodies : [null]);
    const withClient = isPublic(operation) ? [] : commands;
    expect((await Promise.all(codeIn(id, 'ts').map(typescriptRequest))).flat()).toEqual(withClient);
    expect(codeIn(id, 'py').map(pythonBody)).toEqual(withClient.map(({ body }) => body));

    const form = only('form', withId(id));
    expect(form.dataset).toMatchObject({ method, path });
    expect('public' in form.dataset).toBe(isPublic(operation));
    // linkedom does not decode entities in a textarea.
    for (const { value } of all('textarea', form))
      expect(JSON.parse(value.replaceAll('&quot;', '"'))).toEqual(bodies[0]);
  },
);

const blocks = all('.guide code.sh').map(({ textContent }) => textContent);

type GuideResponse = {
  readonly object: string;
  readonly status?: string;
  readonly type?: string;
  readonly tax_amount?: string;
  readonly summary?: readonly { readonly tax_amount: string }[];
  readonly data: readonly { readonly code: string }[];
};

/** Describes a response by its object, type, status and tax. */
const described = ({ object, type, status, tax_amount, summary }: GuideResponse): string =>
  [object, type, status, tax_amount ?? summary?.[0]?.tax_amount].filter(Boolean).join(' ');

it('sets two variables in the guide and uses no others', () => {
  expect(blocks[0]).toMatch(/^export LEVY=http:\/\/127\.0\.0\.1:3000\nexport LEVY_KEY=levy_… +# .+$/);
  const used = blocks.slice(1).flatMap((block) => block.match(/\$\w+/g) ?? []);
  expect([...new Set(used)].sort()).toEqual(['$DRAFT', '$LEVY', '$LEVY_KEY', '$SALE']);
});

it("runs the guide's commands in order", async () => {
  const { url } = await startApi();
  const { key } = await newCaller();
  const run = promisify(execFile);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', blocks.slice(1).join('\n\n')], {
    env: { PATH: process.env['PATH'], LEVY: url, LEVY_KEY: key },
  });
  const values = stdout
    .replaceAll('}{', '}\n{')
    .split('\n')
    .flatMap((line): GuideResponse[] => (line === '' ? [] : [JSON.parse(line)]));
  expect(values.map(described)).toEqual([
    'calculation sale 6.00',
    'rates',
    'list',
    'list',
    'list',
    'transaction sale finalized 6.00',
    'calculation sale 6.00',
    'transaction credit finalized 6.00',
    'calculation credit 3.00',
    'transaction credit finalized 3.00',
    'customer',
    'calculation sale 0.00',
    'transaction sale finalized 6.00',
    'filing dry_run 6.00',
    // New York at 8.875 %: 1.78 for the mug and 0.88 for its shipping, because the tax on 30.00 is 2.66.
    'calculation sale 2.66',
    // The taxes are 4.44 for the print and 0.89 for its shipping, because the tax on 60.00 is 5.33, and 6 % of 100.00
    // in Michigan.
    'calculation sale 11.33',
    // The taxes of the lines are 1.78 and 8.88, each rounded. The charges raise the tax to 11.54 for 130.00 and to
    // 12.43 for 140.00: 0.89 each.
    'calculation sale 12.44',
    // The tax is 6.625 % of 110.00 - 11.00.
    'calculation sale 6.56',
    // The tax is 6 % of 100.00 - 20.00.
    'calculation sale 4.80',
    // The tax is 6.25 % of 100.00 - 10.00.
    'calculation sale 5.63',
    // The taxes are 9.03 for six taxes on 100.00, each rounded, and a fee of 0.50.
    'calculation sale 9.53',
    'registration_advice',
    'report_by_state',
    'transaction sale draft 6.00',
    'transaction sale draft 6.00',
    'list',
    'coverage',
  ]);
  expect(values[2]?.data[0]).toMatchObject({ code: 'FOOD.DIETARY_SUPPLEMENTS', taxability: { state: 'TX' } });
  expect(values[4]?.data.map(({ code }) => code)).toEqual(['CLOTHING.SWIMWEAR']);
  expect(values[5]).toMatchObject({ reference_id: 'invoice_1' });
  // Sent with the same Idempotency-Key.
  expect(values[23]).toEqual(values[24]);
});
