/** Refusals name the value that was sent, and what to send instead. */
import { beforeAll, expect, it } from 'vitest';
import { type Caller, newCaller, startApi } from '../support/api.ts';
import { made, sale, startOnTestDay } from '../support/sales.ts';

startOnTestDay();

let caller: Caller;
let id: string;
beforeAll(async () => {
  caller = await newCaller();
  const line_items = [{ id: 'a', product_tax_code: 'GENERAL', quantity: '2', unit_price: '10.00' }];
  const body = sale({ status: 'finalized', tax_date: '2026-10-10', reference_id: 'inv_1', line_items });
  id = (await made(caller.call('POST', '/transactions', { body }))).id;
});

const to = (address: object) => ({
  line_items: [{ product_tax_code: 'GENERAL', quantity: '1', unit_price: '10.00' }],
  customer: { address: { country: 'US', ...address } },
});
const detroit = to({ city: 'Detroit', state: 'MI', postal_code: '48226' });
const credit = (line: object) => ({
  ...{ type: 'credit', status: 'finalized', parent_transaction_id: id, line_items: [line] },
});

type Case = readonly [what: string, path: string, body: () => unknown, pointer: string, words: readonly string[]];
const cases: readonly Case[] = [
  ['a field of another service', '/calculations', () => ({ items: [] }), '/items', ['line_items']],
  ['a field in camel case', '/calculations', () => ({ lineItems: [] }), '/lineItems', ['line_items']],
  [
    'fields of a line',
    '/calculations',
    () => ({ ...detroit, line_items: [{ qty: '1', price: '1.00' }] }),
    '/line_items/0/qty',
    ['quantity'],
  ],
  [
    'a lost leading zero',
    '/calculations',
    () => to({ state: 'MA', postal_code: '2101' }),
    '/customer/address/postal_code',
    ['02101', '2101'],
  ],
  [
    'a ZIP code without a digit, but not a leading zero of this state',
    '/calculations',
    () => to({ state: 'MI', postal_code: '4893' }),
    '/customer/address/postal_code',
    ['4893 has four digits. Send five digits, or ZIP+4.'],
  ],
  [
    'a ZIP code as a number',
    '/calculations',
    () => to({ state: 'MA', postal_code: 2108 }),
    '/customer/address/postal_code',
    ['You sent 2108. Send a string, such as "02108".'],
  ],
  [
    'an address without its customer',
    '/calculations',
    () => ({ address: {} }),
    '/address',
    ['Send `customer.address`.'],
  ],
  [
    'a reference in camel case',
    '/transactions',
    () => ({ referenceId: 'a', line_items: [] }),
    '/referenceId',
    ['Did you mean `reference_id`?'],
  ],
  [
    'an unknown status',
    '/transactions',
    () => ({ ...detroit, status: 'paid' }),
    '/status',
    ['"paid" is not a status. Send draft or finalized.'],
  ],
  [
    'the price -1 where there is nothing to reduce',
    '/calculations',
    () => ({ ...detroit, line_items: [{ quantity: '1', unit_price: '-1' }] }),
    '/line_items/0/unit_price',
    ['The document has no goods. Send the id of the line item', 'discount_amount'],
  ],
  ...(['$50', '1,000.00'] as const).map(
    (unit_price): Case => [
      `the price ${unit_price}`,
      '/calculations',
      () => ({ ...detroit, line_items: [{ quantity: '1', unit_price }] }),
      '/line_items/0/unit_price',
      [`You sent "${unit_price}". Send a decimal as a string, such as "12.50"`],
    ],
  ),
  [
    'a missing quantity',
    '/calculations',
    () => ({ ...detroit, line_items: [{ unit_price: '1.00' }] }),
    '/line_items/0/quantity',
    ['Send quantity, a decimal as a string, such as "12.50"'],
  ],
  ['a date far ahead', '/calculations', () => ({ ...detroit, tax_date: '2099-01-01' }), '/tax_date', ['or earlier.']],
  [
    'a reference that is taken',
    '/transactions',
    () => ({ ...detroit, reference_id: 'inv_1' }),
    '/reference_id',
    ['has the reference_id inv_1. If it is your earlier attempt, use it; otherwise send another reference_id.'],
  ],
  ['a period in words', '/filings', () => ({ state: 'MI', period_end: 'October' }), '/period_end', ['"2026-10-31"']],
  [
    'a state with its country',
    '/calculations',
    () => to({ state: 'US-MI' }),
    '/customer/address/state',
    ['MI', 'US-MI'],
  ],
  [
    'a misspelled state',
    '/calculations',
    () => to({ state: 'Michigann' }),
    '/customer/address/state',
    ['"Michigann"', 'MI'],
  ],
  [
    'a code of another family',
    '/calculations',
    () => ({ ...detroit, line_items: [{ product_tax_code: 'clothing', quantity: '1', unit_price: '1' }] }),
    '/line_items/0/product_tax_code',
    ['CLOTHING.APPAREL'],
  ],
  [
    'a code of another service',
    '/calculations',
    () => ({ ...detroit, line_items: [{ product_tax_code: 'txcd_99999999', quantity: '1', unit_price: '1' }] }),
    '/line_items/0/product_tax_code',
    ['txcd_99999999', 'Stripe', 'GENERAL'],
  ],
  [
    'an unknown line of a sale',
    '/transactions',
    () => credit({ id: 'zzz', quantity: '1' }),
    '/line_items/0/unit_price',
    ['zzz', 'one of a '],
  ],
  ['a line without an id', '/transactions', () => credit({ quantity: '1' }), '/line_items/0/unit_price', ['one of a ']],
  [
    'more than a line has',
    '/transactions',
    () => credit({ id: 'a', quantity: '3' }),
    '/line_items/0',
    ['3 of 2 units of line a, 30.00,', '20.00', '1.20'],
  ],
  [
    'a period that is running',
    '/filings',
    () => ({ state: 'MI', period_end: '2026-12-31' }),
    '/period_end',
    ['2026-12-31', '2027-01-01', 'dry_run'],
  ],
];

it.each(cases)('%s', async (_what, path, body, pointer, words) => {
  const { status, body: answer } = await caller.call('POST', path as '/calculations', { body: body() });
  expect(status).toBeGreaterThanOrEqual(400);
  const { errors } = answer as unknown as { errors: { detail: string; source: { pointer: string } }[] };
  const error = errors.find(({ source }) => source.pointer === pointer);
  for (const word of words) expect(error?.detail).toContain(word);
});

it('a second full refund', async () => {
  const parent = await made(caller.call('POST', '/transactions', { body: sale({ status: 'finalized' }) }));
  const body = { type: 'credit', status: 'finalized', parent_transaction_id: parent.id };
  await made(caller.call('POST', '/transactions', { body }));
  for (const more of [{}, { credit_remaining: true }]) {
    const { body: answer } = await caller.call('POST', '/transactions', { body: { ...body, ...more } });
    expect(answer).toMatchObject({ errors: [{ detail: 'The sale is fully refunded.' }] });
  }
});

it('warnings about a country and a field in camel case', async () => {
  const body = { ...to({ country: 'CA', state: 'ON' }), status: 'draft', referenceId: 'a' };
  const { warnings } = await made(caller.call('POST', '/transactions', { body }));
  const messages = warnings.map(({ message }) => message).join(' ');
  expect(messages).toContain('Country CA is not covered');
  expect(messages).toContain('Did you mean `reference_id`?');
});

it.each([
  ['text/plain', 'You sent text/plain. Send application/json.'],
  ['application/json; charset=latin1', 'You sent application/json; charset=latin1. Send application/json in UTF-8.'],
])('a body of the type %s', async (type, detail) => {
  const { url } = await startApi();
  const headers = { 'X-API-Key': caller.key, 'Content-Type': type };
  const answer = await fetch(`${url}/calculations`, { method: 'POST', headers, body: '{}' });
  expect(await answer.json()).toMatchObject({ errors: [{ status: '415', detail }] });
});

it.each([
  ['/calculation', '/calculations'],
  ['/calculation/', '/calculations'],
  ['/transaction/txn_1', '/transactions/{id}'],
])('the path %s', async (path, meant) => {
  const { url } = await startApi();
  const answer = await fetch(`${url}${path}`, { headers: { 'X-API-Key': caller.key } });
  expect(await answer.json()).toMatchObject({
    errors: [{ detail: `No operation has this path. Did you mean ${meant}?` }],
  });
});

it('a trailing slash changes no answer, as in a deployment; two are another path', async () => {
  const { url } = await startApi();
  const statusOf = async (method: string, path: string) => {
    const body = method === 'POST' ? { body: '{' } : {};
    const headers = { 'X-API-Key': caller.key, 'Content-Type': 'application/json' };
    return (await fetch(`${url}${path}`, { method, headers, ...body })).status;
  };
  for (const [method, path, status] of [
    ['GET', '/transactions', 200],
    ['GET', '/transactions/txn_1', 404],
    ['GET', '/v1/coverage', 200],
    ['POST', '/calculations', 400],
    ['DELETE', '/docs', 405],
  ] as const)
    expect([path, await statusOf(method, path), await statusOf(method, `${path}/`)]).toEqual([path, status, status]);
  expect(await statusOf('GET', '/transactions//')).toBe(404);
  expect(await statusOf('GET', '/docs//')).toBe(404);
});

it('an unknown transaction, perhaps by its reference', async () => {
  const { body } = await caller.call('GET', '/transactions/inv_1' as '/transactions/{id}');
  expect(body).toMatchObject({ errors: [{ detail: expect.stringContaining('GET /transactions?reference_id=…') }] });
});

it.each([
  ['', ['empty']],
  ['{"line_items":[}', ['line 1', 'column 16', 'a value']],
  ['{\n  "currency": "USD",\n}', ['line 3', 'column 1', 'field name']],
])('a body that is not JSON: %j', async (text, words) => {
  const { url } = await startApi();
  const headers = { 'X-API-Key': caller.key, 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/calculations`, { method: 'POST', headers, body: text });
  const { errors } = (await answer.json()) as { errors: { code: string; detail: string }[] };
  expect([answer.status, errors[0]?.code]).toEqual([400, 'validation_malformed_json']);
  for (const word of words) expect(errors[0]?.detail).toContain(word);
});

it('serves the paths of a deployment, and leads to the documentation', async () => {
  const { url } = await startApi();
  const answer = await fetch(`${url}/v1/product-attributes`, { headers: { 'X-API-Key': caller.key } });
  expect(answer.status).toBe(200);
  const root = await fetch(`${url}/`, { redirect: 'manual' });
  expect([root.status, root.headers.get('location')]).toEqual([302, '/docs']);
});
