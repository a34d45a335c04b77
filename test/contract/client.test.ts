import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import document from '../../shared/api/openapi.json' with { type: 'json' };
import {
  type CallOptions,
  type ClientOptions,
  createClient,
  everyItem,
  type Levy,
  orThrow,
} from '../../shared/client/client.ts';
import { newCaller, startApi } from '../support/api.ts';

const customer = { address: { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } } as const;
const line_items = [{ id: 'mug', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' }] as const;
const sale = { customer, line_items } as const;

const sell = async (levy: Levy, more: object = {}) =>
  orThrow(await levy.post('/transactions', { body: { ...sale, status: 'finalized', ...more } }));

const connectClient = async (
  options: CallOptions & Partial<Pick<ClientOptions, 'url' | 'fetch'>> = {},
): Promise<Levy> => {
  const [{ url }, { key }] = [await startApi(), await newCaller()];
  return createClient({ url, apiKey: key, ...options });
};
const getPath = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const collected = <Item>(items: AsyncIterable<Item>): Promise<Item[]> => Array.fromAsync(items);

describe("the client's types", () => {
  it('matches the newest API version', () => {
    const newest = document.components.schemas.ServiceVersion.enum.at(-1);
    expect(readFileSync(getPath('shared/client/client.ts'), 'utf8')).toContain(`['ServiceVersion'] = '${newest}'`);
  });

  it('allows a retry of every POST, because each takes an Idempotency-Key, needs only the read scope, or sets values', () => {
    const operations = Object.entries<Record<string, { readonly parameters?: readonly unknown[] }>>(document.paths);
    const withoutKey = operations.flatMap(([path, { post }]) =>
      post && !JSON.stringify(post.parameters ?? []).includes('IdempotencyKey') ? [path] : [],
    );
    const readOnly = Object.values(endpoints).filter(({ method, scope }) => method === 'POST' && scope !== 'write');
    expect(withoutKey.sort()).toEqual(readOnly.map(({ path }) => path).sort());
  });

  it('rejects each mistake at compile time', () => {
    // Type-checked by `npm run check`, never called.
    const mistakes = async (levy: Levy) => {
      // @ts-expect-error an amount is a string
      await levy.post('/calculations', { body: { ...sale, line_items: [{ quantity: 2, unit_price: '50.00' }] } });
      // @ts-expect-error the quantity is missing
      await levy.post('/calculations', { body: { ...sale, line_items: [{ unit_price: '50.00' }] } });
      // @ts-expect-error the field is misspelt
      await levy.post('/calculations', { body: { ...sale, line_itmes: [] } });
      // @ts-expect-error unknown status
      await levy.post('/transactions', { body: { ...sale, status: 'paid' } });
      // @ts-expect-error the id is missing
      await levy.get('/transactions/{id}', {});
      // @ts-expect-error the body is missing
      await levy.post('/filings');
      // @ts-expect-error unknown parameter
      await levy.get('/transactions', { query: { page: 2 } });
      // @ts-expect-error unknown filter value
      await levy.get('/transactions', { query: { status: 'open' } });
      // @ts-expect-error misspelt option
      await levy.get('/transactions', { timeoutMS: 1000 });
      // @ts-expect-error an HTML page
      await levy.get('/docs');
      // @ts-expect-error not a list
      levy.list('/coverage');
      // @ts-expect-error not a CSV file
      await levy.getCsv('/coverage');
      // @ts-expect-error no credential
      createClient({ url: '' });
      const result = await levy.post('/transactions', { body: { ...sale, status: 'draft' } });
      // @ts-expect-error the result may be a refusal
      result.data;
      // @ts-expect-error a create has no If-Match, so it never returns precondition_failed
      if (!result.ok && result.refusal.code === 'precondition_failed') return result;
      if (!result.ok && result.refusal.code === 'conflict_over_credit') return result.refusal.status satisfies 409;
      return null;
    };
    expect(mistakes).toBeTypeOf('function');
  });
});

it('reads a return with its entries, and as CSV', async () => {
  const levy = await connectClient();
  await sell(levy, { tax_date: '2026-09-05' });
  const month = { state: 'MI', period_end: '2026-09-30' };
  const closed = await levy.post('/filings', { body: month });
  const id = orThrow(closed).id ?? '';
  expect(closed).toMatchObject({ status: 202, data: { state: 'US-MI' } });
  expect(await collected(levy.list('/filings', { query: { state: 'MI' } }))).toMatchObject([{ id }]);
  const csv = orThrow(await levy.getCsv('/filings/{id}', { path: { id } }));
  expect(csv).toMatch(/^filing_id,/);
  const entries = everyItem(async (cursor) => {
    const query = { expand: 'entries', limit: 1, ...cursor } as const;
    const filing = orThrow(await levy.get('/filings/{id}', { path: { id }, query }));
    return filing.entries ?? { data: [], has_more: false, next_cursor: null };
  });
  expect(await collected(entries)).toHaveLength(1);
});

describe('results of the client', () => {
  it('returns the code and status of an error', async () => {
    const levy = await connectClient();
    const body = { ...sale, status: 'finalized', reference_id: 'twice' } as const;
    const { id } = orThrow(await levy.post('/transactions', { body }));
    const second = await levy.post('/transactions', { body });
    expect(second).toMatchObject({ ok: false, refusal: { status: 409, code: 'conflict_duplicate_reference_id' } });
    expect(!second.ok && second.refusal.errors[0]?.meta?.['transaction_id']).toBe(id);
    expect(() => orThrow(second)).toThrow('conflict_duplicate_reference_id');
  });

  it('returns the code not_modified if the ETag is current', async () => {
    const levy = await connectClient();
    const query = { state: 'MI' };
    const first = await levy.get('/coverage', { query });
    expect(orThrow(first).states).toHaveLength(1);
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    const second = await levy.get('/coverage', { query, headers });
    expect(second).toMatchObject({ ok: false, refusal: { status: 304, code: 'not_modified' } });
  });

  it('returns not_found for an id with special characters', async () => {
    const levy = await connectClient();
    for (const id of ['a/b', 'é?x=1#y', '%2e%2e', ' '])
      expect(await levy.get('/transactions/{id}', { path: { id } })).toMatchObject({ refusal: { code: 'not_found' } });
  });
});

describe('list iterators', () => {
  it('yields every item of every page, with and without cursors, and throws on an error', async () => {
    let calls = 0;
    const fetch = (...request: Parameters<typeof globalThis.fetch>) => {
      calls++;
      return globalThis.fetch(...request);
    };
    const levy = await connectClient({ fetch });
    for (const reference_id of ['a', 'b', 'c', 'd', 'e']) await sell(levy, { reference_id });
    for (const limit of [1, 2, 5, 100]) {
      calls = 0;
      const all = await collected(levy.list('/transactions', { query: { limit, status: 'finalized' } }));
      expect(all.map(({ reference_id }) => reference_id)).toEqual(['e', 'd', 'c', 'b', 'a']);
      expect(calls).toBe(Math.ceil(5 / limit));
    }
    const whole = orThrow(await levy.get('/product-tax-codes')).data;
    const paged = await collected(levy.list('/product-tax-codes', { query: { limit: 7 } }));
    expect(whole.length).toBeGreaterThan(20);
    expect(paged).toEqual(whole);
    const refused = collected(levy.list('/transactions', { query: { starting_after: 'x' } }));
    await expect(refused).rejects.toMatchObject({ refusal: { code: 'validation_invalid_cursor' } });
  });
});
