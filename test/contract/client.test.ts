import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientText } from '../../shared/cli/client/client-text.ts';
import document from '../../shared/http/openapi.json' with { type: 'json' };
import { newCaller, startApi } from '../support/api.ts';
import { Storefront } from '../support/typed-client.ts';

let storefront: Storefront;
let shop: any;

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

const operationIds = Object.values(document.paths)
  .flatMap((methods) => Object.values<{ operationId?: string }>(methods as any))
  .flatMap(({ operationId }) => operationId ?? []);

describe('npm run client', () => {
  it('writes the same file every time, where it is told to', async () => {
    expect(await storefront.generate('again.txt')).toBe(`Written: ${storefront.path('again.txt')}\n`);
    const [first, again] = await Promise.all(
      ['levy-client.ts', 'again.txt'].map((name) => readFile(storefront.path(name), 'utf8')),
    );
    expect(again).toBe(first);
    expect(first).toBe(clientText(document));
  });

  it('says in one line where it cannot write', async () => {
    await expect(storefront.generate('no-folder/x.ts')).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The client cannot be written: ENOENT: .*no-folder\/x\.ts'\.\n$/),
    });
  });

  it('writes one file that imports nothing, with every operation of the document', async () => {
    const text = clientText(document);
    expect(text).not.toMatch(/\b(import|require)\b\s*[({'"*]/);
    const levy = await clientOf();
    expect(Object.keys(levy)).toEqual(operationIds);
  });

  it.each([
    { where: 'a browser', libraries: ['es2022', 'dom', 'dom.iterable'] },
    { where: 'a worker', libraries: ['es2023', 'webworker', 'webworker.iterable'] },
  ])(
    'compiles in $where under the strictest tsc, and refuses each mistake of the workflows',
    async ({ libraries }) => {
      expect(await storefront.compile(libraries)).toEqual([]);
    },
    120_000,
  );

  it('refuses a document that it would make a wrong client of', () => {
    const { schemas } = document.components;
    const withSchema = (name: string, schema: object) => ({
      ...document,
      components: { ...document.components, schemas: { ...schemas, [name]: schema } },
    });
    expect(() => clientText(withSchema('Odd', { allOf: [] }))).toThrow('allOf');
    expect(() => clientText(withSchema('Odd', { type: 'decimal' }))).toThrow('decimal');
    expect(() => clientText(withSchema('Client', { type: 'string' }))).toThrow('Client');
  });
});

describe('the workflows of the specification, through the client', () => {
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

describe('what the service answers', () => {
  it('is a refusal with its own codes, by status', async () => {
    const [isDuplicate, id] = await shop.duplicate(await clientOf());
    expect([isDuplicate, id]).toEqual([true, expect.stringMatching(/^txn_/)]);
  });

  it('is 304 without a body to the tag', async () => {
    expect(await shop.unchanged(await clientOf())).toEqual([1, 304, null]);
  });

  it('is every item of every page, and an exception only where a page is refused', async () => {
    const levy = await clientOf();
    const line_items = [{ quantity: '1', unit_price: '1.00' }];
    const customer = { address: { state: 'MI' } };
    for (const reference_id of ['a', 'b', 'c', 'd', 'e'])
      await levy.createTransaction({ body: { status: 'finalized', reference_id, customer, line_items } });
    for (const limit of [1, 2, 5, 100]) expect(await shop.references(levy, limit)).toEqual(['e', 'd', 'c', 'b', 'a']);
    await expect(shop.wrongPage(levy)).rejects.toMatchObject({
      name: 'Refused',
      refusal: { status: 422, errors: [{ code: 'validation_invalid_cursor' }] },
    });
  });

  it('is about the id as it was given, whatever it holds', async () => {
    const levy = await clientOf();
    for (const id of ['a/b', 'é?x=1#y', '%2e%2e', ' ']) {
      const answer = await levy.getTransaction({ path: { id } });
      expect([answer.ok, answer.status, answer.errors[0].code]).toEqual([false, 404, 'not_found']);
    }
    for (const id of ['', '.', '..'])
      await expect(levy.getTransaction({ path: { id } })).rejects.toThrow('path parameter');
  });
});
