/** Refused requests change nothing and return the errors listed in fixtures/refusals.txt. */

import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { type Caller, newCaller, startApi } from '../support/api.ts';
import type { ApiResponse } from '../support/http.ts';
import { getRefusal, made, sale } from '../support/sales.ts';

/** The additional fields of each request. */
const common: Readonly<Record<string, object>> = {
  'POST /account': { review_days: 9 },
  'POST /customers': { id: 'a' },
  'POST /transactions': sale(),
};

const repeated = (text: string) =>
  text.replace(/\{(.)\*(\d+)\}/g, (_, part: string, times: string) => part.repeat(Number(times)));

const revive = (_name: string, value: unknown): unknown => {
  if (typeof value === 'string') return repeated(value);
  const { repeat, item } = (value ?? {}) as { readonly repeat?: number; readonly item?: unknown };
  if ((repeat === undefined) !== (item === undefined)) throw new Error('A list needs both "repeat" and "item".');
  if (repeat === undefined) return value;
  return Array.from({ length: repeat }, (_, at) => JSON.parse(JSON.stringify(item).replaceAll('{n}', String(at))));
};

const [, ...parts] = readFileSync(new URL('../fixtures/refusals.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n# ');
const rows = parts.flatMap((part) => {
  const [request = '', ...lines] = part.split('\n');
  return lines.map((line) => {
    const [sent = '', refused = '', words = ''] = line.split(' → ');
    return { request, sent, refused, words };
  });
});

let caller: Caller;
let ids: Readonly<Record<string, string>>;
const read = async () => {
  const paths = ['/account', '/customers', '/filings', '/transactions', `/transactions/${ids['draft']}`];
  return Promise.all(paths.map(async (path) => (await caller.call('GET', path)).text));
};
let before: string[];

beforeAll(async () => {
  caller = await newCaller({ scopes: ['read', 'write', 'settings'], settings: { registrations: null } });
  const create = async (body: object) => (await made(caller.call('POST', '/transactions', { body }))).id;
  const line_items = [{ id: 'a', product_tax_code: 'GENERAL', quantity: '2', unit_price: '10.00' }];
  const sold = { status: 'finalized', tax_date: '2026-10-10', reference_id: 'inv_1', line_items };
  await made(caller.call('POST', '/customers', { body: { id: 'known' } }));
  ids = { draft: await create(sale()), sale: await create(sale(sold)) };
  before = await read();
});

it.each(rows)('returns the refusal $refused for $request with $sent', async ({ request, sent, refused, words }) => {
  const named = (text: string) => text.replace(/\{(draft|sale)\}/, (_, name: string) => ids[name] ?? '');
  const [method = '', path = ''] = named(request).split(' ');
  const send = (): Promise<ApiResponse> => {
    if (method === 'GET') return caller.call('GET', `${path}?${repeated(sent)}`);
    const body: unknown = JSON.parse(named(sent), revive);
    const isObject =
      typeof body === 'object' && body !== null && !Array.isArray(body) && !('parent_transaction_id' in body);
    return caller.call('POST', path, { body: isObject ? { ...common[request], ...body } : body });
  };
  const response = await send();
  expect(getRefusal(response)).toBe(refused);
  const [at, texts = ''] = words.split(/: (.*)/s);
  const error = response.body.errors.find(({ source }) => (source.pointer ?? source.parameter) === at);
  for (const text of texts.split(' … ')) if (at) expect(error?.detail).toContain(text);
  for (const { source, detail, meta } of response.body.errors) {
    if (response.status === 422)
      expect(detail).toMatch(/[Ss]end |Leave |Did you mean |Known parameters: | has the fields /);
    expect(detail).not.toContain('Invalid input');
    const [, suggested] = /Did you mean `?([^`?]+)`?\?/.exec(detail) ?? [];
    if (request === 'POST /customers') expect(meta['did_you_mean']).toEqual(suggested && [suggested]);
    if (method === 'GET') expect(source.pointer).toBeNull();
  }
});

it('changes nothing if a request is refused', async () => {
  expect(await read()).toEqual(before);
});

it('warns about a country and a field in camel case', async () => {
  const body = sale({ customer: { address: { country: 'CA', state: 'ON' } }, referenceId: 'a' });
  const { warnings } = await made(caller.call('POST', '/transactions', { body }));
  const messages = warnings.map(({ message }) => message).join(' ');
  expect(messages).toContain('Country CA is not covered');
  expect(messages).toContain('Did you mean `reference_id`?');
});

/** Returns the response to a raw request. */
const raw = async (path: string, request: { method?: string; body?: string } = {}) => {
  const { url } = await startApi();
  const headers = { 'X-API-Key': caller.key, 'Content-Type': 'application/json' };
  return fetch(`${url}${path}`, { headers, redirect: 'manual', ...request });
};

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
])('ignores a trailing slash, as in a deployment, but not two: %s %s', async (method, path, status) => {
  const getStatus = async (at: string) => (await raw(at, { method, ...(method === 'POST' && { body: '{' }) })).status;
  expect([await getStatus(path), await getStatus(`${path}/`), await getStatus(`${path}//`)]).toEqual([
    status,
    status,
    404,
  ]);
});

it('hints at a reference if an unknown transaction id could be one', async () => {
  const { body } = await caller.call('GET', '/transactions/inv_1' as '/transactions/{id}');
  expect(body).toMatchObject({ errors: [{ detail: expect.stringContaining('GET /transactions?reference_id=…') }] });
});

it.each([
  ['', ['empty']],
  ['{"line_items":[}', ['line 1', 'column 16', 'a value']],
  ['{\n  "currency": "USD",\n}', ['line 3', 'column 1', 'field name']],
])('rejects a body that is not JSON: %j', async (body, words) => {
  const response = await raw('/calculations', { method: 'POST', body });
  const { errors } = (await response.json()) as { errors: { code: string; detail: string }[] };
  expect([response.status, errors[0]?.code]).toEqual([400, 'validation_malformed_json']);
  for (const word of words) expect(errors[0]?.detail).toContain(word);
});

it('links the root path to the documentation', async () => {
  const root = await raw('/');
  expect([root.status, root.headers.get('location')]).toEqual([302, '/docs']);
});
