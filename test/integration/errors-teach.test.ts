/** Refusals name the value that was sent, and what to send instead. */
import { beforeAll, expect, it } from 'vitest';
import { type Caller, newCaller, startApi } from '../support/api.ts';
import { made, sale } from '../support/sales.ts';

let caller: Caller;
let id: string;
beforeAll(async () => {
  caller = await newCaller();
  const line_items = [{ id: 'a', product_tax_code: 'GENERAL', quantity: '2', unit_price: '10.00' }];
  const body = sale({ status: 'finalized', tax_date: '2026-10-10', line_items });
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
    ['20.00', '1.20'],
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
