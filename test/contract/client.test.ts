import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { typesHeader } from '../../shared/cli/write-openapi.ts';
import document from '../../shared/http/openapi.json' with { type: 'json' };
import { newCaller, startApi } from '../support/api.ts';
import { Storefront } from '../support/typed-client.ts';

type Reply = {
  readonly data: { readonly id: string; readonly data: readonly { readonly id: string }[] };
  readonly error: { readonly errors: readonly [{ readonly code: string }] };
  readonly response: Response;
};
type Ask = (path: string, options?: object) => Promise<Reply>;
type Levy = { readonly GET: Ask; readonly POST: Ask };
type Workflow<Result = unknown> = (levy: Levy) => Promise<Result>;
/** What test/fixtures/client/workflows.ts.txt exports, which is compiled elsewhere. */
type Shop = Readonly<
  Record<'draftInvoice' | 'estimate' | 'fullRefund' | 'partialRefund' | 'unchanged' | 'wrongPage', Workflow>
> & {
  readonly createClient: (options: object) => Levy;
  readonly monthlyReturn: Workflow<{ readonly csv: string }>;
  readonly duplicate: Workflow<readonly unknown[]>;
  readonly references: (levy: Levy, limit: number) => Promise<string[]>;
};
type Operations = Readonly<Record<string, { readonly operationId: string; readonly parameters?: readonly unknown[] }>>;

let storefront: Storefront;
let shop: Shop;

beforeAll(async () => {
  storefront = await Storefront.open();
  await storefront.generate('levy-client.ts');
  await storefront.addWorkflows();
  shop = await storefront.load('workflows.ts');
});
afterAll(() => storefront.close());

const clientOf = async (others: object = {}) => {
  const [{ url }, { key }] = [await startApi(), await newCaller()];
  return shop.createClient({ url, apiKey: key, ...others });
};

const inProject = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('npm run client', () => {
  it('has types of the current OpenAPI document and of its newest version', async () => {
    const text = await inProject('shared/http/openapi.json');
    expect((await inProject('shared/cli/client/openapi-types.ts')).startsWith(typesHeader(text))).toBe(true);
    const newest = document.components.parameters.ServiceVersion.schema.enum.at(-1);
    expect(await inProject('shared/cli/client/runtime.ts')).toContain(`['ServiceVersion'] = '${newest}'`);
  });

  it('reports a path that it cannot write', async () => {
    await expect(storefront.generate('no-folder/x.ts')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no-folder/x.ts'),
    });
  });

  it('retries every POST, because each takes an Idempotency-Key or needs only the scope read', () => {
    const posts = Object.entries<Operations>(document.paths).flatMap(([path, { post }]) =>
      post ? [{ path, post }] : [],
    );
    const withoutKey = posts
      .filter(({ post }) => !JSON.stringify(post.parameters ?? []).includes('IdempotencyKey'))
      .map(({ path }) => path);
    const readOnly = Object.values(endpoints).filter(({ method, scope }) => method === 'POST' && scope === 'read');
    expect(withoutKey.sort()).toEqual(readOnly.map(({ path }) => path).sort());
  });

  it('compiles in a strict project, with a type error for each mistake', async () => {
    expect(await storefront.compile(['es2023', 'dom', 'dom.iterable'])).toEqual([]);
  });
});

describe('the workflows of the specification', () => {
  it('1. draft invoice', async () => {
    expect(await shop.draftInvoice(await clientOf())).toEqual(['draft', 'finalized', '6.00', 'inv_1', 2]);
  });

  it('2. calculation estimate, recorded as it was answered', async () => {
    expect(await shop.estimate(await clientOf())).toEqual(['6.00', '6.00', 'provided', 0]);
  });

  it('3. full refund', async () => {
    expect(await shop.fullRefund(await clientOf())).toEqual(['credit', '6.00', '106.00', 'full']);
  });

  it('4. partial refund', async () => {
    expect(await shop.partialRefund(await clientOf())).toEqual(['3.00', '3.00', 'partial', '3.00']);
  });

  it('5. a return, with its entries and its spreadsheet', async () => {
    const { csv, ...others } = await shop.monthlyReturn(await clientOf());
    expect(others).toEqual({ tax: '6.00', status: 202, list: [['closed', 'US-MI']], entries: 1 });
    expect(csv).toMatch(/^filing_id,/);
  });
});

describe('a response', () => {
  it('is an error with its code', async () => {
    const [status, isDuplicate, id] = await shop.duplicate(await clientOf());
    expect([status, isDuplicate, id]).toEqual(['409', true, expect.stringMatching(/^txn_/)]);
  });

  it('is 304 without data for the current ETag', async () => {
    expect(await shop.unchanged(await clientOf())).toEqual([1, 304, undefined]);
  });

  it('yields every item of every page, and throws for an error', async () => {
    const levy = await clientOf();
    const line_items = [{ quantity: '1', unit_price: '1.00' }];
    const customer = { address: { state: 'MI' } };
    for (const reference_id of ['a', 'b', 'c', 'd', 'e'])
      await levy.POST('/transactions', { body: { status: 'finalized', reference_id, customer, line_items } });
    for (const limit of [1, 2, 5, 100]) expect(await shop.references(levy, limit)).toEqual(['e', 'd', 'c', 'b', 'a']);
    const code = 'validation_invalid_cursor';
    await expect(shop.wrongPage(levy)).rejects.toMatchObject({ cause: { errors: [{ code }] } });
  });

  it('is not found for an id with special characters', async () => {
    const levy = await clientOf();
    for (const id of ['a/b', 'é?x=1#y', '%2e%2e', ' ']) {
      const { error, response } = await levy.GET('/transactions/{id}', { params: { path: { id } } });
      expect([response.status, error.errors[0].code]).toEqual([404, 'not_found']);
    }
  });

  it('is the saved one when the reply to a write was lost', async () => {
    let sent = 0;
    const fetch = async (...request: Parameters<typeof globalThis.fetch>) => {
      const response = await globalThis.fetch(...request);
      if (++sent > 2) return response;
      await response.text();
      throw new TypeError('terminated');
    };
    const levy = await clientOf({ fetch });
    const line_items = [{ quantity: '1', unit_price: '1.00' }];
    const body = { status: 'finalized', customer: { address: { state: 'MI' } }, line_items };
    const { data, response } = await levy.POST('/transactions', { body });
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([201, 'true']);
    const list = await levy.GET('/transactions');
    expect(list.data.data.map(({ id }) => id)).toEqual([data.id]);
  });
});
