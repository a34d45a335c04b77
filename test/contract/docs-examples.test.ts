import { beforeAll, describe, expect, it } from 'vitest';
import { exampleFilingId, exampleId } from '../../shared/http/openapi/request-examples.ts';
import document from '../../shared/http/openapi.json' with { type: 'json' };
import { anonymous, type Caller, newCaller } from '../support/api.ts';
import { attribute, codeIn, elements, page, textOf, withId } from '../support/docs-page.ts';
import { filerOf, settled } from '../support/filings.ts';
import { curlRequest } from '../support/shell-words.ts';
import './observe-exchanges.ts';

const operations: any[] = Object.values(document.paths).flatMap((item) => Object.values(item));
const commandsOf = (operationId: string) => codeIn(operationId, 'sh');
const variables = { LEVY: '', LEVY_KEY: 'the key' };

let caller: Caller;
const ran = new Set<string>();
beforeAll(async () => {
  caller = await newCaller();
});

/** Run the command of an operation that holds a text, with the ids of earlier answers where it has those of the examples. */
const run = async (operationId: string, text: string, ids: { transaction?: string; filing?: string } = {}) => {
  const found = commandsOf(operationId).filter((command) => command.includes(text));
  expect([operationId, text, found.length]).toEqual([operationId, text, 1]);
  const command = found[0] as string;
  ran.add(command);
  const known = command
    .replaceAll(exampleId, ids.transaction ?? exampleId)
    .replaceAll(exampleFilingId, ids.filing ?? exampleFilingId);
  const { method, url, headers, rawBody } = curlRequest(known, { LEVY: '', LEVY_KEY: caller.key });
  // What the key opens without a key of the command's own would prove nothing.
  return anonymous.call(method, url, { headers, ...(rawBody !== null && { rawBody }) });
};

// Each answer is held against the document by observe-exchanges.ts.
describe('the commands of the page work as they are, in the order of the work:', () => {
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

  it('credit, as it was calculated before', async () => {
    const first = { transaction: ids['first'] as string };
    const asked = await run('createCalculation', '"credit"', first);
    const credit = await run('createTransaction', '"quantity": "1"', first);
    expect([asked.status, credit.status, credit.body.tax_amount]).toEqual([200, 201, asked.body.tax_amount]);
    const command = commandsOf('createTransaction').find(
      (one) => one.includes('credit') && !one.includes('line_items'),
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

  it('look', async () => {
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

  it('file', async () => {
    const filer = filerOf(caller);
    const dry = await run('createFiling', '"dry_run"');
    expect([dry.status, dry.body.status]).toEqual([200, 'dry_run']);
    const close = commandsOf('createFiling').find((one) => !one.includes('dry_run')) as string;
    const closed = await run('createFiling', close);
    expect(closed.status).toBe(202);
    await settled(filer, closed.body.id);
    expect((await run('getFiling', 'curl', { filing: closed.body.id })).body.status).toBe('closed');
    expect((await run('updateFiling', '"canceled"', { filing: closed.body.id })).status).toBe(202);
    await settled(filer, closed.body.id);
    const again = await run('createFiling', close);
    await settled(filer, again.body.id);
    expect((await run('updateFiling', '"filed"', { filing: again.body.id })).status).toBe(202);
    expect((await settled(filer, again.body.id)).status).toBe('filed');
    expect((await run('listFilings', 'curl')).body.data).toHaveLength(2);
  });

  it('know', async () => {
    expect((await run('listProductTaxCodes', 'curl')).body.data.length).toBeGreaterThan(100);
    expect((await run('listProductAttributes', 'curl')).body.data.length).toBeGreaterThan(1);
    expect((await run('getCoverage', 'curl')).body.states.length).toBeGreaterThan(40);
    expect((await run('getOpenapi', 'curl')).body).toEqual(document);
    expect((await run('getDocs', 'curl')).text).toBe(page);
  });

  it('and none is left over', () => {
    const all = operations.flatMap(({ operationId }) => commandsOf(operationId));
    expect(all.filter((command) => !ran.has(command))).toEqual([]);
    expect(all.length).toBeGreaterThan(operations.length);
  });
});

describe.each(operations)('$operationId', ({ operationId, requestBody, responses }) => {
  it('has a command for each example of the document, and the same body as JSON', () => {
    const examples = Object.values<any>(requestBody?.content['application/json'].examples ?? {}).map(
      ({ value }) => value,
    );
    const sent = commandsOf(operationId).map((command) => curlRequest(command, variables).rawBody);
    if (!requestBody) expect(sent).toEqual([null]);
    else expect(sent.map((body) => JSON.parse(body ?? ''))).toEqual(examples);
    const shown = codeIn(operationId, 'json').map((text) => JSON.parse(text));
    for (const example of examples) expect(shown).toContainEqual(example);
  });

  it('shows the answers of the document, and a form that begins with its first example', () => {
    const answers = Object.entries<any>(responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content }]) => content['application/json']?.example ?? []);
    const shown = codeIn(operationId, 'json').map((text) => JSON.parse(text));
    for (const answer of answers) expect(shown).toContainEqual(answer);
    if (!requestBody) return;
    const [first] = Object.values<any>(requestBody.content['application/json'].examples);
    expect(JSON.parse(textOf(withId(`try-${operationId}-body`)))).toEqual(first.value);
  });
});

it('a form knows the address and method of its operation, and whether it takes a key', () => {
  const forms = elements.filter(({ tagName }) => tagName === 'form');
  const told = forms.map((form) =>
    [attribute(form, 'data-method'), attribute(form, 'data-path'), attribute(form, 'data-public') !== null].join(' '),
  );
  const expected = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries<any>(item).map(([method, { security }]) =>
      [method.toUpperCase(), path, security?.length === 0].join(' '),
    ),
  );
  expect(told.sort()).toEqual(expected.sort());
});
