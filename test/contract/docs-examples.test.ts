import { beforeAll, describe, expect, it } from 'vitest';
import { exampleFilingId, exampleId } from '../../shared/api/openapi/sample-requests.ts';
import document from '../../shared/api/openapi.json' with { type: 'json' };
import { isPublic, operations } from '../../shared/docs/openapi.ts';
import { anonymous, type Caller, newCaller } from '../support/api.ts';
import { all, codeIn, only, page } from '../support/docs-page.ts';
import { filerOf, settled } from '../support/filings.ts';
import type { Answer, BodyOfOperation, OperationId } from '../support/http.ts';
import { curlRequest } from '../support/shell-words.ts';

const commandsOf = (operationId: string) => codeIn(operationId, 'sh');
const variables = { LEVY: '', LEVY_KEY: 'the key' };

let caller: Caller;
const ran = new Set<string>();
beforeAll(async () => {
  caller = await newCaller();
});

/** Run the command of an operation that contains a text, with the ids of earlier responses instead of the examples' ids. */
const run = async <Name extends OperationId>(
  operationId: Name,
  text: string,
  ids: { transaction?: string; filing?: string } = {},
) => {
  const found = commandsOf(operationId).filter((command) => command.includes(text));
  expect([operationId, text, found.length]).toEqual([operationId, text, 1]);
  const command = found[0] as string;
  ran.add(command);
  const known = command
    .replaceAll(exampleId, ids.transaction ?? exampleId)
    .replaceAll(exampleFilingId, ids.filing ?? exampleFilingId);
  const { method, url, headers, rawBody } = curlRequest(known, { LEVY: '', LEVY_KEY: caller.key });
  // Only the command itself sends a key.
  const answer = await anonymous.call(method, url, { headers, ...(rawBody !== null && { rawBody }) });
  return answer as Answer<BodyOfOperation<Name>>;
};

// test/support/setup-api.ts compares each response with the document.
describe('The curl commands of the page work', () => {
  const ids: Record<string, string> = {};

  it('calculate and record', async () => {
    const sale = await run('createCalculation', '"line1"');
    expect([sale.status, sale.body.tax_amount]).toEqual([200, '5.70']);
    const rates = await run('getRates', 'curl');
    expect([rates.status, rates.body.address.city]).toEqual([200, 'Minneapolis']);
    const draft = await run('createTransaction', '"draft"');
    expect([draft.status, draft.body.status]).toEqual([201, 'draft']);
    ids['first'] = draft.body.id;
    const finalized = await run('updateTransaction', '"finalized"', { transaction: draft.body.id });
    expect([finalized.status, finalized.body.reference_id]).toEqual([200, 'invoice_1002']);
    const second = await run('createTransaction', '"invoice_1001"');
    expect([second.status, second.body.status]).toEqual([201, 'finalized']);
    ids['second'] = second.body.id;
  });

  it('credit', async () => {
    const first = { transaction: ids['first'] as string };
    const estimate = await run('createCalculation', '"credit"', first);
    const credit = await run('createTransaction', '"quantity": "1"', first);
    expect([estimate.status, credit.status, credit.body.tax_amount]).toEqual([200, 201, estimate.body.tax_amount]);
    const command = commandsOf('createTransaction').find(
      (text) => text.includes('credit') && !text.includes('line_items'),
    );
    const whole = await run('createTransaction', command as string, { transaction: ids['second'] as string });
    expect([whole.status, whole.body.total_amount]).toEqual([201, '100.70']);
  });

  it('update and void', async () => {
    const note = await run('updateTransaction', '"metadata"', { transaction: ids['first'] as string });
    expect([note.status, note.body.metadata]).toEqual([200, { order: 'A-17' }]);
    const other = await run('createTransaction', '"draft"');
    const voided = await run('updateTransaction', '"void"', { transaction: other.body.id });
    expect([voided.status, voided.body.void_reason]).toEqual([200, 'Entered twice']);
  });

  it('retrieve and list', async () => {
    const first = { transaction: ids['first'] as string };
    expect((await run('getTransaction', 'curl', first)).body.refund_status).toBe('partial');
    expect((await run('listTransactions', 'curl')).body.data).toHaveLength(5);
    expect((await run('getTransactionHistory', 'curl', first)).body.data.length).toBeGreaterThan(2);
    expect((await run('replayTransaction', 'curl', first)).body.match).toBe(true);
    const compared = await run('createReconciliation', 'curl');
    expect([compared.body.matched_count, compared.body.different.length, compared.body.missing.length]).toEqual([
      1, 1, 1,
    ]);
  });

  it('store a customer, list, retrieve and change it', async () => {
    expect((await run('createCustomer', 'curl')).status).toBe(201);
    expect((await run('listCustomers', 'curl')).body.data).toHaveLength(1);
    const created = await run('getCustomer', 'curl');
    const renewed = await run('updateCustomer', '"valid_to"');
    expect([created.body.version, renewed.body.version]).toEqual([1, 2]);
    expect((await run('updateCustomer', '"exemptions": []')).body.exemptions).toEqual([]);
  });

  it('file', async () => {
    const filer = filerOf(caller);
    const dry = await run('createFiling', '"dry_run"');
    expect([dry.status, dry.body.status]).toEqual([200, 'dry_run']);
    const close = commandsOf('createFiling').find((text) => !text.includes('dry_run')) as string;
    const closed = await run('createFiling', close);
    expect(closed.status).toBe(202);
    await settled(filer, closed.body.id);
    expect((await run('getFiling', 'curl', { filing: closed.body.id })).body.status).toBe('closed');
    expect((await run('listFilingExceptions', 'curl', { filing: closed.body.id })).body.data).toEqual([]);
    expect((await run('updateFiling', '"canceled"', { filing: closed.body.id })).status).toBe(202);
    await settled(filer, closed.body.id);
    const again = await run('createFiling', close);
    await settled(filer, again.body.id);
    expect((await run('updateFiling', '"filed"', { filing: again.body.id })).status).toBe(202);
    expect((await settled(filer, again.body.id)).status).toBe('filed');
    expect((await run('listFilings', 'curl')).body.data).toHaveLength(2);
  });

  it('look up codes and coverage', async () => {
    expect((await run('listProductTaxCodes', 'curl')).body.data.length).toBeGreaterThan(100);
    expect((await run('listProductAttributes', 'curl')).body.data.length).toBeGreaterThan(1);
    expect((await run('getCoverage', 'curl')).body.states.length).toBeGreaterThan(40);
    expect((await run('getAccount', 'curl')).body.object).toBe('account');
    expect((await run('listFilingPeriods', 'curl')).status).toBe(200);
    expect((await run('getOpenapi', 'curl')).body).toEqual(document);
    expect((await run('getConsole', 'curl')).text).toContain('<title>Levy console</title>');
    expect((await run('getDocs', 'curl')).text).toBe(page);
  });

  it('report', async () => {
    expect((await run('getReportByState', 'curl')).status).toBe(200);
    expect((await run('getRegistrationAdvice', 'curl')).status).toBe(200);
  });

  it('tests every command of the page', () => {
    const commands = [...operations.keys()].flatMap(commandsOf);
    expect(commands.filter((command) => !ran.has(command))).toEqual([]);
    expect(commands.length).toBeGreaterThan(operations.size);
  });
});

type Media = { readonly example?: unknown; readonly examples?: Readonly<Record<string, { readonly value: unknown }>> };

/** Run a TypeScript sample with a `fetch` that records its request. */
const typescriptRequest = async (code: string) => {
  const sent: { url?: string; method?: string; headers?: Record<string, string>; body?: string } = {};
  const fetch = async (url: string, options: object) => {
    Object.assign(sent, options, { url });
    return { json: () => '', text: () => '' };
  };
  const run = new Function('fetch', 'process', 'console', `return (async () => {${code}})()`);
  await run(fetch, { env: variables }, { log: () => {} });
  const { url, method = 'GET', headers = {}, body = null } = sent;
  return { method, url, headers, rawBody: body };
};

const media = (content: object): readonly Media[] =>
  Object.entries<Media>({ ...content }).flatMap(([type, value]) => (type === 'application/json' ? [value] : []));

describe.each([...operations.values()])('$operationId', (operation) => {
  const { operationId: id, method, path, requestBody, responses } = operation;
  const bodies = media(requestBody?.content ?? {}).flatMap(({ examples = {} }) =>
    Object.values(examples).map(({ value }) => value),
  );
  const shown = codeIn(id, 'json').map((text): unknown => JSON.parse(text));

  it('has the example bodies and responses of the document', () => {
    const sent = commandsOf(id).map((command) => curlRequest(command, variables).rawBody);
    expect(sent.map((body) => (body === null ? null : JSON.parse(body)))).toEqual(requestBody ? bodies : [null]);
    const answers = Object.entries(responses).flatMap(([status, { content = {} }]) =>
      status < '300' ? media(content).flatMap(({ example }) => example ?? []) : [],
    );
    for (const value of [...bodies, ...answers]) expect(shown).toContainEqual(value);
  });

  it('has TypeScript samples that send what the commands send', async () => {
    const samples = await Promise.all(codeIn(id, 'ts').map(typescriptRequest));
    const commands = commandsOf(id).map((command) => curlRequest(command, variables));
    const parsed = ({ rawBody, ...rest }: (typeof commands)[number] | (typeof samples)[number]) => ({
      ...rest,
      body: rawBody && JSON.parse(rawBody),
    });
    expect(samples.map(parsed)).toEqual(commands.map(parsed));
  });

  it('has Python samples that send what the commands send', () => {
    const samples = codeIn(id, 'py').map((code) => {
      const [, name = '', url = ''] = /requests\.(\w+)\(\n {4}f"\{os\.environ\['LEVY'\]\}(.+)",\n/.exec(code) ?? [];
      const [, literal = 'null'] = /^ {4}json=(.*),\n\)$/ms.exec(code) ?? [];
      expect(literal).not.toMatch(/: (true|false|null)\b/);
      const json = literal.replaceAll(/\b(True|False|None)\b/g, (word) =>
        word === 'None' ? 'null' : word.toLowerCase(),
      );
      return [name.toUpperCase(), url, code.includes('"X-API-Key": os.environ["LEVY_KEY"]'), JSON.parse(json)];
    });
    const commands = commandsOf(id).map((command) => curlRequest(command, variables));
    expect(samples).toEqual(
      commands.map(({ headers, rawBody, ...sent }) => [
        sent.method,
        sent.url,
        'X-API-Key' in headers,
        rawBody && JSON.parse(rawBody),
      ]),
    );
  });

  it('has a form with its method, path and first example, and a key if it needs one', () => {
    const form = only(`[id="${id}"] form`);
    expect(form.dataset).toMatchObject({ method, path });
    expect('public' in form.dataset).toBe(isPublic(operation));
    // linkedom does not decode the entities of a textarea.
    for (const { value } of all('textarea', form))
      expect(JSON.parse(value.replaceAll('&quot;', '"'))).toEqual(bodies[0]);
  });
});
