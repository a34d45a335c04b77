import { parseArgs } from 'node:util';
import { expect, it } from 'vitest';
import { exampleFilingId, exampleId } from '../../shared/api/openapi/sample-requests.ts';
import document from '../../shared/api/openapi.json' with { type: 'json' };
import { type ClientOptions, createClient, orThrow } from '../../shared/client/client.ts';
import { isPublic, operations } from '../../shared/docs/openapi.ts';
import { anonymous, newCaller } from '../support/api.ts';
import { all, codeIn, only, page } from '../support/docs-page.ts';
import { createFiler, settled } from '../support/filings.ts';
import type { Answer, BodyOfOperation, OperationId } from '../support/http.ts';

const word = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs;
const piece = /'([^']*)'|"((?:\\.|[^"\\])*)"|([^'"]+)/gs;

/** Splits one command into words as a shell does: quotes, backslashes, and variables outside single quotes. */
const shellWords = (command: string, variables: Readonly<Record<string, string>>): readonly string[] => {
  const expanded = (text: string): string =>
    text.replace(/\\(.)|\$(\w+)/gs, (_, escaped?: string, name = '') => {
      const value = escaped ?? variables[name];
      if (value === undefined) throw new Error(`The command uses $${name}, which has no value.`);
      return value;
    });
  const joined = command.replaceAll('\\\n', '');
  const rest = joined.replace(word, '').trim();
  if (rest !== '') throw new Error(`A quote of the command is not closed: ${rest}`);
  return (joined.match(word) ?? []).map((text) =>
    text.replace(piece, (_, single?: string, double?: string, plain = '') => single ?? expanded(double ?? plain)),
  );
};

const options = {
  silent: { type: 'boolean', short: 's' },
  errors: { type: 'boolean', short: 'S' },
  method: { type: 'string', short: 'X' },
  body: { type: 'string', short: 'd' },
  header: { type: 'string', short: 'H', multiple: true },
} as const;

/** Parses a curl command of the documentation into a request. Throws on an unknown option. */
const curlRequest = (command: string, variables: Readonly<Record<string, string>>) => {
  const [curl, ...args] = shellWords(command, variables);
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [url = ''] = positionals;
  if (curl !== 'curl' || !values.silent || !values.errors || positionals.length !== 1)
    throw new Error(`Not a curl command of the documentation: ${command}`);
  const headers = Object.fromEntries((values.header ?? []).map((text) => text.split(/: (.*)/s).slice(0, 2)));
  const rawBody = values.body ?? null;
  return { method: values.method ?? (rawBody === null ? 'GET' : 'POST'), url, headers, rawBody };
};

const listCommands = (operationId: string) => codeIn(operationId, 'sh');
const host = 'http://service.example';
type Sent = { readonly method: string; readonly url: string; readonly key: string | null; readonly body: unknown };

// test/support/setup-api.ts checks each response against the OpenAPI document.
it('every curl command on the page works, using ids from earlier responses', async () => {
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
    const answer = await anonymous.call(method, url, { headers, ...(rawBody !== null && { rawBody }) });
    return answer as Answer<BodyOfOperation<Name>>;
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
  for (const name of [
    'listProductAttributes',
    'getAccount',
    'listFilingPeriods',
    'getReportByState',
    'updateSession',
    'updateAccount',
  ] as const)
    expect((await run(name, any)).status).toBe(200);
  expect((await run('getRegistrationAdvice', any)).status).toBe(200);
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
  "$operationId has the document's examples in each language, and a form",
  async (operation) => {
    const { operationId: id, method, path, requestBody, responses } = operation;
    const bodies = media(requestBody?.content ?? {}).flatMap(({ examples = {} }) =>
      Object.values(examples).map(({ value }) => value),
    );
    const answers = Object.entries(responses).flatMap(([status, { content = {} }]) =>
      status < '300' ? media(content).flatMap(({ example }) => example ?? []) : [],
    );
    const shown = codeIn(id, 'json').map((text): unknown => JSON.parse(text));
    for (const value of [...bodies, ...answers]) expect(shown).toContainEqual(value);

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

    const form = only(`[id="${id}"] form`);
    expect(form.dataset).toMatchObject({ method, path });
    expect('public' in form.dataset).toBe(isPublic(operation));
    // linkedom does not decode entities in a textarea.
    for (const { value } of all('textarea', form))
      expect(JSON.parse(value.replaceAll('&quot;', '"'))).toEqual(bodies[0]);
  },
);
