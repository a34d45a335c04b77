import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { admissionFigures } from '../bench/admission.ts';
import { getMeasures } from '../bench/cost/usage.ts';
import { databaseFigures } from '../bench/database-use.ts';
import type { Figure } from '../bench/figure.ts';
import { newCaller } from '../support/api.ts';
import { recordCalls, used } from '../support/count-calls.ts';
import { type Client, connectClient, creditOf, made, sale, sold } from '../support/sales.ts';

describe('calls per operation', () => {
  // Caches stay warm however slow the machine is.
  beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterAll(() => void vi.useRealTimers());

  const warmClient = async (): Promise<Client> => {
    const client = connectClient(await newCaller());
    await client.calculate(sale());
    return client;
  };
  const key = { 'Idempotency-Key': 'k' };
  const half = { line_items: [{ id: 'item_1', quantity: '1' }] };

  describe('calls to the ledger, warm', () => {
    it('a calculation makes no call, or one with a parent', async () => {
      const client = await warmClient();
      const parent = await sold(client);
      expect(await recordCalls(() => client.calculate(sale()))).toEqual([]);
      expect(await recordCalls(() => client.calculate({ type: 'credit', parent_transaction_id: parent.id }))).toEqual([
        'GetItem',
      ]);
    });

    it.each([{ status: 'draft' }, { status: 'finalized', reference_id: 'r' }])(
      'creating a transaction makes one call: %o',
      async (body) => {
        const client = await warmClient();
        expect(await recordCalls(() => client.create(sale(body)))).toEqual(['TransactWriteItems']);
        expect(await recordCalls(() => client.create(sale({ ...body, reference_id: null }), key))).toEqual([
          'TransactWriteItems',
        ]);
        // A replay makes the same calls.
        expect(await recordCalls(() => client.create(sale({ ...body, reference_id: null }), key))).toEqual([
          'TransactWriteItems',
        ]);
      },
    );

    it('creating a credit with a parent makes two calls', async () => {
      const client = await warmClient();
      const parent = await sold(client);
      expect(await recordCalls(() => client.create(creditOf(parent, half)))).toEqual(['GetItem', 'TransactWriteItems']);
      expect(await recordCalls(() => client.create(creditOf(parent, half), key))).toEqual([
        'BatchGetItem',
        'TransactWriteItems',
      ]);
    });

    it('customers add one call per hundred, and none if the certificate is inline or nothing is edited', async () => {
      const client = await warmClient();
      await made(client.call('POST', '/customers', { body: { id: 'known', exemptions: [{ reason: 'resale' }] } }));
      const of = (id: string, others: object = {}) => sale({ customer: { ...sale().customer, id, ...others } });
      const lines = (count: number) =>
        Array.from({ length: count }, (_, at) => ({ quantity: '1', unit_price: '1.00', customer: { id: `c${at}` } }));
      for (const id of ['known', 'unknown'])
        expect(await recordCalls(() => client.calculate(of(id)))).toEqual(['BatchGetItem']);
      expect(await recordCalls(() => client.calculate({ ...of('known'), line_items: lines(100) }))).toEqual([
        'BatchGetItem',
      ]);
      expect(await recordCalls(() => client.calculate({ ...of('known'), line_items: lines(101) }))).toHaveLength(2);
      expect(await recordCalls(() => client.calculate(of('known', { exemption: { type: 'other' } })))).toEqual([]);
      expect(await recordCalls(() => client.create(of('known')))).toEqual(['BatchGetItem', 'TransactWriteItems']);
      const { id } = await made(client.create(of('known')));
      expect(await recordCalls(() => client.update(id, { explain: true }))).toEqual([
        'GetItem',
        'BatchGetItem',
        'TransactWriteItems',
      ]);
      const unedited = ['GetItem', 'TransactWriteItems'];
      expect(await recordCalls(() => client.update(id, { tax_amount: '1.00' }))).toEqual(unedited);
      expect(await recordCalls(() => client.update(id, { status: 'finalized' }))).toEqual(unedited);
      const parent = await made(client.get(id));
      expect(await recordCalls(() => client.create(creditOf(parent, half)))).toEqual(unedited);
      const other = { line_items: [{ id: 'other', quantity: '1', unit_price: '1.00' }] };
      expect(
        await recordCalls(() => client.calculate({ type: 'credit', parent_transaction_id: id, ...other })),
      ).toEqual(['GetItem', 'BatchGetItem']);
    });

    it('creating, reading and listing customers makes one call, changing makes two', async () => {
      const client = await warmClient();
      const post = (path: '/customers' | '/customers/{id}', body: object, headers = {}) =>
        client.call('POST', path.replace('{id}', 'a') as typeof path, { body, headers });
      expect(await recordCalls(() => post('/customers', { id: 'a' }))).toEqual(['TransactWriteItems']);
      expect(await recordCalls(() => post('/customers', { id: 'a' }))).toEqual(['TransactWriteItems', 'GetItem']);
      expect(await recordCalls(() => post('/customers', { id: 'b' }, key))).toEqual(['TransactWriteItems']);
      expect(await recordCalls(() => post('/customers/{id}', { name: 'A' }))).toEqual([
        'GetItem',
        'TransactWriteItems',
      ]);
      expect(await recordCalls(() => post('/customers/{id}', { name: 'B' }, key))).toEqual([
        'BatchGetItem',
        'TransactWriteItems',
      ]);
      expect(await recordCalls(() => post('/customers/{id}', { name: 'B' }))).toEqual(['GetItem']);
      expect(await recordCalls(() => client.call('GET', '/customers/a'))).toEqual(['GetItem']);
      for (const query of ['', '?state=MI', '?expiring_before=2030-01-01'])
        expect(await recordCalls(() => client.call('GET', `/customers${query}`))).toEqual(['Query']);
    });

    it('reading a transaction makes one call', async () => {
      const client = await warmClient();
      const { id } = await sold(client);
      expect(await recordCalls(() => client.get(id))).toEqual(['GetItem']);
      expect(await recordCalls(() => client.get(`${id}?expand=history`))).toEqual(['Query']);
    });

    it('reading a history page makes one call, at any position', async () => {
      const client = await warmClient();
      const { id } = await made(client.create(sale()));
      await made(client.update(id, { metadata: { a: '1' } }));
      expect(await recordCalls(() => client.get(`${id}/history`))).toEqual(['Query']);
      expect(await recordCalls(() => client.get(`${id}/history?limit=1&starting_after=2`))).toEqual(['Query']);
    });

    it('a change makes two calls, or one if nothing changes', async () => {
      const client = await warmClient();
      const { id } = await made(client.create(sale()));
      expect(await recordCalls(() => client.update(id, { metadata: { a: '1' } }))).toEqual([
        'GetItem',
        'TransactWriteItems',
      ]);
      expect(await recordCalls(() => client.update(id, { status: 'finalized' }, key))).toEqual([
        'BatchGetItem',
        'TransactWriteItems',
      ]);
      expect(await recordCalls(() => client.update(id, { status: 'finalized' }))).toEqual(['GetItem']);
    });

    it('a change of a credit makes one more call, to read its sale', async () => {
      const client = await warmClient();
      const parent = await sold(client);
      const { id } = await made(client.create(creditOf(parent, { status: 'draft', ...half })));
      expect(await recordCalls(() => client.update(id, { status: 'finalized' }))).toEqual([
        'GetItem',
        'GetItem',
        'TransactWriteItems',
      ]);
    });

    it('a list makes one call (list-search.test.ts: at most four, however few rows match)', async () => {
      const client = await warmClient();
      for (let block = 0; block < 5; block++)
        await Promise.all(Array.from({ length: 10 }, () => client.create(sale())));
      expect(await recordCalls(() => client.list())).toEqual(['Query']);
      expect(await recordCalls(() => client.list({ status: 'finalized' }))).toEqual(['Query']);
      expect(await recordCalls(() => client.list({ customer_id: 'nobody', 'tax_date[gte]': '2020-01-01' }))).toEqual([
        'Query',
      ]);
      expect(await recordCalls(() => client.list({ expand: 'line_items', limit: '10' }))).toEqual([
        'Query',
        'BatchGetItem',
      ]);
      const { next_cursor, data } = await made(client.list({ limit: '2' }));
      expect(await recordCalls(() => client.list({ starting_after: next_cursor }))).toEqual(['Query']);
      expect(await recordCalls(() => client.list({ starting_after: data[0]?.id ?? '' }))).toEqual(['GetItem', 'Query']);
    });
  });

  it('coverage of one or all states makes two calls: active releases and update records', async () => {
    const client = await warmClient();
    for (const path of ['/coverage', '/coverage?state=MN', '/coverage?state=DE'])
      expect((await recordCalls(() => client.call('GET', path))).sort()).toEqual(['BatchGetItem', 'GetItem']);
  });

  describe('reconciling', () => {
    const reconcile = (client: Client, references: readonly string[], others: object = {}) =>
      client.call('POST', '/reconciliations', {
        body: {
          transactions: references.map((reference_id) => ({
            reference_id,
            total_amount: '106.00',
            tax_amount: '6.00',
          })),
          ...others,
        },
      });
    const october = { from: '2026-10-01', to: '2026-10-31' };

    it('makes two calls per hundred references, one per missing reference, and at least one for a range', async () => {
      const client = await warmClient();
      const references = Array.from({ length: 101 }, (_, index) => `in_${index}`);
      for (const reference_id of references) await sold(client, { reference_id });
      expect(await recordCalls(() => reconcile(client, references.slice(1)))).toEqual(['BatchGetItem', 'BatchGetItem']);
      expect((await recordCalls(() => reconcile(client, references))).sort()).toEqual(Array(4).fill('BatchGetItem'));
      expect(await recordCalls(() => reconcile(client, ['in_1', 'none 1', 'none 2']))).toEqual([
        'BatchGetItem',
        'BatchGetItem',
        'Query',
        'Query',
      ]);
      expect(await recordCalls(() => reconcile(client, ['none']))).toEqual(['BatchGetItem', 'Query']);
      expect(await recordCalls(() => reconcile(client, ['in_1'], october))).toEqual([
        'BatchGetItem',
        'BatchGetItem',
        'Query',
      ]);
    });

    it.runIf(inject('emulator') === 'memory')('takes one read unit per claim and per transaction', async () => {
      const client = await warmClient();
      for (const reference_id of ['a', 'b', 'c']) await sold(client, { reference_id });
      const { table, indexes } = await used(() => reconcile(client, ['a', 'b', 'c'], october));
      // Three rows of the range are under 4 KB together, which is half a unit.
      expect([table, indexes]).toEqual([6, 0.5]);
      const missing = await used(() => reconcile(client, ['x', 'y']));
      expect([missing.table, missing.indexes]).toEqual([2, 1]);
    });
  });
});

describe('write units', () => {
  // DynamoDB Local counts the indexes of a transaction twice.
  it.runIf(inject('emulator') === 'memory')(
    'each operation makes the documented calls, takes one write unit per index row, and about the units in `npm run cost`',
    async () => {
      const figures = await databaseFigures((await newCaller()).key, inject('emulator'));
      expect(Object.fromEntries(figures.map(({ of, calls, read_units }) => [of, [calls, read_units]]))).toEqual({
        calculation: [1, 1],
        'create draft': [2, 1],
        'update draft': [3, 3],
        'create finalized': [2, 1],
        finalize: [2, 2],
        credit: [2, 2],
        void: [2, 2],
        get: [1, 1],
        list: [1, expect.any(Number)],
      });
      const getUnits = (of: string) => figures.find((figure) => figure['of'] === of) ?? { figure: '' };
      // By account, tax date, customer and reference; a draft also by deadline, a credit by parent and among credits.
      const rows = { 'create draft': 5, 'update draft': 4, finalize: 5, 'create finalized': 4, credit: 6 + 4, void: 4 };
      for (const [of, count] of Object.entries(rows))
        expect(getUnits(of), of).toMatchObject({ index_write_units: count });
      // `npm run cost` measures different content, with four jurisdictions.
      const { steps } = getMeasures(3);
      for (const of of ['create draft', 'update draft', 'finalize', 'create finalized', 'credit'] as const) {
        const ratio = Number(getUnits(of)['write_units']) / Number(steps[of].writes);
        expect(ratio > 0.75 && ratio < 1.25, of).toBe(true);
      }
    },
  );
});

describe('admission', () => {
  // Five minutes of the service's clock. Keys and accounts are cached for a minute, and a rate-limit window is ten
  // seconds.
  const requests = 3000;
  let figures: readonly Figure[];

  beforeAll(async () => {
    const { account, key } = await newCaller();
    figures = await admissionFigures(account.id, key);
  });

  it.each([
    { at: 0, of: 'API key', readsPerMinute: 2 },
    { at: 1, of: 'bearer token, RS256', readsPerMinute: 1 },
    { at: 2, of: 'bearer token, ES256', readsPerMinute: 1 },
  ])('$of: at least 90 % of the requests need no database call for authentication and rate limit', (expected) => {
    const figure = figures[expected.at] as Figure;
    expect(figure['of']).toBe(expected.of);
    expect(Number(figure['requests_without_call_percent'])).toBeGreaterThanOrEqual(90);
    // At least one lease per window, and one read of the account per minute.
    expect(Number(figure['writes_per_request'])).toBeGreaterThanOrEqual(30 / requests);
    const reads = Math.round(Number(figure['reads_per_request']) * requests);
    expect(reads).toBeGreaterThanOrEqual(5);
    expect(reads).toBeLessThanOrEqual(expected.readsPerMinute * 6);
    expect(Number(figure['median_us'])).toBeGreaterThan(0);
  });
});
