/** Errors contain the value that was sent, and what to send instead. */
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
  type: 'credit',
  status: 'finalized',
  parent_transaction_id: id,
  line_items: [line],
});

const selling = (line: object) => ({ ...detroit, line_items: [{ quantity: '1', unit_price: '1.00', ...line }] });
const quantity = '1';

type Case = readonly [body: () => unknown, pointer: string, ...words: string[]];
const decimal = 'a decimal as a string, such as "12.50"';
const cases: Readonly<Record<string, readonly Case[]>> = {
  '/calculations': [
    [() => ({ items: [] }), '/items', 'line_items'],
    [() => ({ lineItems: [] }), '/lineItems', 'line_items'],
    [() => ({ ...detroit, line_items: [{ qty: '1', price: '1.00' }] }), '/line_items/0/qty', 'quantity'],
    // Massachusetts has ZIP codes with a leading zero; Michigan has none.
    [() => to({ state: 'MA', postal_code: '2101' }), '/customer/address/postal_code', '02101', '2101'],
    [
      () => to({ state: 'MI', postal_code: '4893' }),
      '/customer/address/postal_code',
      '4893 has four digits. Send five digits, or ZIP+4.',
    ],
    [
      () => to({ state: 'MA', postal_code: 2108 }),
      '/customer/address/postal_code',
      'You sent 2108. Send a string, such as "02108".',
    ],
    [() => ({ address: {} }), '/address', 'Send `customer.address`.'],
    [
      () => selling({ unit_price: '-1' }),
      '/line_items/0/unit_price',
      ...['The document has no goods. Send the id of the line item', 'discount_amount'],
    ],
    [() => selling({ unit_price: '$50' }), '/line_items/0/unit_price', `You sent "$50". Send ${decimal}`],
    [() => selling({ unit_price: '1,000.00' }), '/line_items/0/unit_price', `You sent "1,000.00". Send ${decimal}`],
    [() => selling({ quantity: undefined }), '/line_items/0/quantity', `Send quantity, ${decimal}`],
    [() => ({ ...detroit, tax_date: '2099-01-01' }), '/tax_date', 'or earlier.'],
    [() => to({ state: 'US-MI' }), '/customer/address/state', 'MI', 'US-MI'],
    [() => to({ state: 'Michigann' }), '/customer/address/state', '"Michigann"', 'MI'],
    [() => selling({ product_tax_code: 'clothing' }), '/line_items/0/product_tax_code', 'CLOTHING.APPAREL'],
    [
      () => selling({ product_tax_code: 'txcd_99999999' }),
      '/line_items/0/product_tax_code',
      ...['txcd_99999999', 'Stripe', 'GENERAL'],
    ],
  ],
  '/transactions': [
    [() => ({ referenceId: 'a', line_items: [] }), '/referenceId', 'Did you mean `reference_id`?'],
    [() => ({ ...detroit, status: 'paid' }), '/status', '"paid" is not a status. Send draft or finalized.'],
    [
      () => ({ ...detroit, reference_id: 'inv_1' }),
      '/reference_id',
      'has the reference_id inv_1. If that is your earlier attempt, use it. Otherwise send a different reference_id.',
    ],
    [() => credit({ id: 'zzz', quantity }), '/line_items/0/unit_price', 'zzz', 'one of a '],
    [() => credit({ quantity }), '/line_items/0/unit_price', 'one of a '],
    [() => credit({ id: 'a', quantity: '3' }), '/line_items/0', '3 of 2 units of line a, 30.00,', '20.00', '1.20'],
  ],
  '/filings': [
    [() => ({ state: 'MI', period_end: 'October' }), '/period_end', '"2026-10-31"'],
    [() => ({ state: 'MI', period_end: '2026-12-31' }), '/period_end', '2026-12-31', '2027-01-01', 'dry_run'],
  ],
};
const rows = Object.entries(cases).flatMap(([path, all]) =>
  all.map(([body, pointer, ...words]) => [path, pointer, words, body] as const),
);

it.each(rows)('the error for %s at %s contains %j', async (path, pointer, words, body) => {
  const { status, body: answer } = await caller.call('POST', path as '/calculations', { body: body() });
  expect(status).toBeGreaterThanOrEqual(400);
  const error = answer.errors.find(({ source }) => source.pointer === pointer);
  for (const word of words) expect(error?.detail).toContain(word);
});

it('rejects a second full refund and explains why', async () => {
  const parent = await made(caller.call('POST', '/transactions', { body: sale({ status: 'finalized' }) }));
  const body = { type: 'credit', status: 'finalized', parent_transaction_id: parent.id };
  await made(caller.call('POST', '/transactions', { body }));
  for (const more of [{}, { credit_remaining: true }]) {
    const { body: answer } = await caller.call('POST', '/transactions', { body: { ...body, ...more } });
    expect(answer).toMatchObject({ errors: [{ detail: 'The sale is fully refunded.' }] });
  }
});

it('warns about a country and a field in camel case', async () => {
  const body = { ...to({ country: 'CA', state: 'ON' }), status: 'draft', referenceId: 'a' };
  const { warnings } = await made(caller.call('POST', '/transactions', { body }));
  const messages = warnings.map(({ message }) => message).join(' ');
  expect(messages).toContain('Country CA is not covered');
  expect(messages).toContain('Did you mean `reference_id`?');
});

/** Returns the response to a raw request. */
const raw = async (path: string, request: { method?: string; body?: string; type?: string } = {}) => {
  const { url } = await startApi();
  const { type = 'application/json', ...others } = request;
  const headers = { 'X-API-Key': caller.key, 'Content-Type': type };
  return fetch(`${url}${path}`, { headers, redirect: 'manual', ...others });
};

it.each([
  ['text/plain', 'You sent text/plain. Send application/json.'],
  ['application/json; charset=latin1', 'You sent application/json; charset=latin1. Send application/json in UTF-8.'],
])('rejects a body of the type %s', async (type, detail) => {
  const answer = await raw('/calculations', { method: 'POST', body: '{}', type });
  expect(await answer.json()).toMatchObject({ errors: [{ status: '415', detail }] });
});

it.each([
  ['/calculation', '/calculations'],
  ['/calculation/', '/calculations'],
  ['/transaction/txn_1', '/transactions/{id}'],
])('suggests a documented path for %s', async (path, meant) => {
  expect(await (await raw(path)).json()).toMatchObject({
    errors: [{ detail: `No operation has this path. Did you mean ${meant}?` }],
  });
});

it.each([
  ['GET', '/transactions', 200],
  ['GET', '/transactions/txn_1', 404],
  ['GET', '/v1/coverage', 200],
  ['POST', '/calculations', 400],
  ['DELETE', '/docs', 405],
])(
  'a trailing slash does not change the response, as in a deployment, and two are a different path: %s %s',
  async (method, path, status) => {
    const getStatus = async (at: string) => (await raw(at, { method, ...(method === 'POST' && { body: '{' }) })).status;
    expect([await getStatus(path), await getStatus(`${path}/`), await getStatus(`${path}//`)]).toEqual([
      status,
      status,
      404,
    ]);
  },
);

it('an unknown transaction id that could be a reference gets a hint', async () => {
  const { body } = await caller.call('GET', '/transactions/inv_1' as '/transactions/{id}');
  expect(body).toMatchObject({ errors: [{ detail: expect.stringContaining('GET /transactions?reference_id=…') }] });
});

it.each([
  ['', ['empty']],
  ['{"line_items":[}', ['line 1', 'column 16', 'a value']],
  ['{\n  "currency": "USD",\n}', ['line 3', 'column 1', 'field name']],
])('rejects a body that is not JSON: %j', async (body, words) => {
  const answer = await raw('/calculations', { method: 'POST', body });
  const { errors } = (await answer.json()) as { errors: { code: string; detail: string }[] };
  expect([answer.status, errors[0]?.code]).toEqual([400, 'validation_malformed_json']);
  for (const word of words) expect(errors[0]?.detail).toContain(word);
});

it('the root path links to the documentation', async () => {
  const root = await raw('/');
  expect([root.status, root.headers.get('location')]).toEqual([302, '/docs']);
});
