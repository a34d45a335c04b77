import { beforeAll, describe, expect, it } from 'vitest';
import { newCaller } from '../support/api.ts';
import {
  type Client,
  clientOf,
  creditOf,
  dayMs,
  everyPage,
  goods,
  later,
  made,
  michigan,
  recorded,
  refusalOf,
  sale,
  sold,
} from '../support/sales.ts';

const idsOf = ({ data }: any): string[] => data.map(({ id }: { id: string }) => id);
const newestFirst = (rows: readonly any[]): string[] => rows.map(({ id }) => id).toReversed();

describe('the filters', () => {
  let client: Client;
  let all: any[];
  const days = ['2026-09-01', '2026-09-15', '2026-10-01T10:00:00Z', '2026-10-01T23:59:59.999Z', '2026-10-02'];
  const find = (test: (row: any) => boolean) => newestFirst(all.filter(test));
  const listed = async (parameters: Record<string, string>) => idsOf(await made(client.list(parameters)));

  beforeAll(async () => {
    client = clientOf(await newCaller());
    all = [];
    for (let index = 0; index < 12; index++) {
      all.push(
        await made(
          client.create(
            sale({
              tax_date: days[index % days.length],
              reference_id: index % 3 === 0 ? `ref_${index}` : null,
              customer: { id: `cus_${index % 2}`, address: michigan },
              status: index % 4 === 0 ? 'draft' : 'finalized',
            }),
          ),
        ),
      );
      // So that bounds on created_at can tell them apart.
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    const parent = all[1];
    for (const quantity of ['0.5', '0.25'])
      all.push(
        await made(
          client.create(
            creditOf(parent, {
              tax_date: '2026-11-01',
              customer: { id: 'cus_1', address: michigan },
              line_items: [{ id: 'item_1', quantity }],
            }),
          ),
        ),
      );
    await made(client.update(all[2].id, { status: 'void' }));
    all = await Promise.all(all.map(async ({ id }) => recorded(await made(client.get(id)))));
  });

  it('none: everything, newest first, in the envelope, without line items', async () => {
    const { data, ...envelope } = await made(client.list());
    expect(envelope).toEqual({ object: 'list', url: '/transactions', has_more: false, next_cursor: null });
    expect(data).toEqual(all.toReversed().map((row) => ({ ...row, line_items: null })));
  });

  it.each(['draft', 'finalized', 'filed', 'void'])('status=%s', async (status) => {
    expect(await listed({ status })).toEqual(find((row) => row.status === status));
  });

  it.each(['sale', 'credit'])('type=%s', async (type) => {
    expect(await listed({ type })).toEqual(find((row) => row.type === type));
  });

  it('reference_id, also of a void transaction', async () => {
    expect(await listed({ reference_id: 'ref_3' })).toEqual([all[3].id]);
    expect(await listed({ reference_id: 'ref' })).toEqual([]);
  });

  it('parent_transaction_id', async () => {
    const parent_transaction_id = all[1].id;
    expect(await listed({ parent_transaction_id })).toEqual(
      find((row) => row.parent_transaction_id === parent_transaction_id),
    );
  });

  it('customer_id', async () => {
    expect(await listed({ customer_id: 'cus_1' })).toEqual(find((row) => row.customer.id === 'cus_1'));
  });

  it('all of them together: ANDed, whichever of them picks the index', async () => {
    const parameters = {
      status: 'finalized',
      type: 'credit',
      customer_id: 'cus_1',
      parent_transaction_id: all[1].id,
      'created_at[gte]': all[0].created_at,
      'tax_date[gte]': '2026-11-01',
    };
    expect(await listed(parameters)).toEqual(newestFirst(all.slice(12)));
    for (const name of ['parent_transaction_id', 'customer_id', 'tax_date[gte]'] as const) {
      const { [name]: _, ...others } = parameters;
      expect(await listed(others)).toEqual(newestFirst(all.slice(12)));
    }
    expect(await listed({ ...parameters, reference_id: 'ref_3' })).toEqual([]);
    expect(await listed({ reference_id: 'ref_3', customer_id: 'cus_1', type: 'sale' })).toEqual([all[3].id]);
    expect(await listed({ reference_id: 'ref_3', customer_id: 'cus_0' })).toEqual([]);
    expect(await listed({ customer_id: 'cus_0', status: 'void' })).toEqual([all[2].id]);
  });

  const times = (row: any) => Date.parse(row.tax_date);
  const byTaxDate = (test: (row: any) => boolean) =>
    all
      .filter(test)
      .toSorted((one, other) => times(other) - times(one) || (one.id < other.id ? 1 : -1))
      .map(({ id }) => id);
  const [start, end] = [Date.parse('2026-10-01'), Date.parse('2026-10-02')];

  it.each([
    { bound: 'gte', value: '2026-10-01', test: (at: number) => at >= start },
    { bound: 'gt', value: '2026-10-01', test: (at: number) => at >= end },
    { bound: 'lte', value: '2026-10-01', test: (at: number) => at < end },
    { bound: 'lt', value: '2026-10-01', test: (at: number) => at < start },
    { bound: 'gte', value: '2026-10-01T10:00:00Z', test: (at: number) => at >= start + 36_000_000 },
    { bound: 'gt', value: '2026-10-01T10:00:00Z', test: (at: number) => at > start + 36_000_000 },
    { bound: 'lte', value: '2026-10-01T10:00:00.000Z', test: (at: number) => at <= start + 36_000_000 },
    { bound: 'lt', value: '2026-10-01T10:00:00+00:00', test: (at: number) => at < start + 36_000_000 },
    { bound: 'lte', value: '2026-10-01T23:59:59.999Z', test: (at: number) => at < end },
  ])('tax_date[$bound]=$value orders by tax date; a date means the whole day', async ({ bound, value, test }) => {
    expect(await listed({ [`tax_date[${bound}]`]: value })).toEqual(byTaxDate((row) => test(times(row))));
  });

  it.each(['gte', 'gt', 'lte', 'lt'])('created_at[%s] is exact to the millisecond', async (bound) => {
    const [index, { created_at }] = [5, all[5]];
    const expected = {
      gte: all.slice(index),
      gt: all.slice(index + 1),
      lte: all.slice(0, index + 1),
      lt: all.slice(0, index),
    };
    const rows = expected[bound as keyof typeof expected];
    expect(await listed({ [`created_at[${bound}]`]: created_at })).toEqual(newestFirst(rows));
    // The same where another index answers.
    const sales = byTaxDate((row) => rows.includes(row));
    expect(await listed({ [`created_at[${bound}]`]: created_at, 'tax_date[gte]': '2020-01-01' })).toEqual(sales);
    const ofCustomer = newestFirst(rows.filter((row) => row.customer.id === 'cus_1'));
    expect(await listed({ [`created_at[${bound}]`]: created_at, customer_id: 'cus_1' })).toEqual(ofCustomer);
  });

  it('expands line items on at most 10 rows', async () => {
    const { data } = await made(client.list({ expand: 'line_items', limit: '10' }));
    expect(data).toEqual(all.toReversed().slice(0, 10));
    expect(refusalOf(await client.list({ expand: 'line_items', limit: '11' }))).toBe(
      '422 | validation_invalid_format limit',
    );
    expect((await client.list({ expand: 'line_items' })).status).toBe(200);
  });

  it.each<Record<string, string>>([
    {},
    { type: 'sale' },
    { status: 'finalized' },
    { customer_id: 'cus_1' },
    { customer_id: 'cus_0', type: 'sale', status: 'finalized' },
    { 'tax_date[gte]': '2026-09-15' },
    { 'tax_date[gte]': '2020-01-01', customer_id: 'cus_1' },
    { 'created_at[gte]': '2026-01-01' },
  ])('gives everything of %o once, in any size of page, by next_cursor and by the last id', async (filters) => {
    const whole = await listed({ ...filters, limit: '100' });
    expect(whole.length).toBeGreaterThan(1);
    for (const cursor of ['next_cursor', 'last id'] as const)
      for (let limit = 1; limit <= whole.length + 1; limit++) {
        const { ids, pages } = await everyPage(client, { ...filters, limit: String(limit) }, cursor);
        expect([limit, ids]).toEqual([limit, whole]);
        expect([limit, pages]).toEqual([limit, Math.ceil(whole.length / limit)]);
      }
  });
});

describe('the cursor', () => {
  const refused = '422 | validation_invalid_cursor starting_after';

  it('is of this account and these filters only', async () => {
    const [client, other] = [clientOf(await newCaller()), clientOf(await newCaller())];
    for (const each of [client, client, other, other]) await sold(each);
    const { next_cursor, data } = await made(client.list({ limit: '1' }));
    expect((await client.list({ limit: '50', starting_after: next_cursor })).status).toBe(200);
    for (const starting_after of [next_cursor, data[0].id])
      expect(refusalOf(await other.list({ starting_after }))).toBe(refused);
    for (const filter of [{ status: 'finalized' }, { type: 'sale' }, { 'tax_date[gte]': '2020-01-01' }])
      expect(refusalOf(await client.list({ ...filter, starting_after: next_cursor }))).toBe(refused);
  });

  it('is refused where anything of it was changed', async () => {
    const client = clientOf(await newCaller());
    for (const _ of [1, 2]) await sold(client);
    const { next_cursor } = await made(client.list({ limit: '1' }));
    const [payload, signature] = next_cursor.split('.');
    const flipped = `${payload.slice(0, -2)}${payload.endsWith('A') ? 'B' : 'A'}A`;
    const garbage = [
      'x',
      '.',
      'a.b',
      'txn_01ARZ3NDEKTSV4RRFFQ69G5FAV',
      'x'.repeat(3000),
      '\u0000',
      '🧾',
      payload,
      `${payload}.`,
      `.${signature}`,
      `${flipped}.${signature}`,
      `${payload}.${signature.slice(1)}`,
      next_cursor.toLowerCase(),
    ];
    for (const starting_after of garbage)
      expect([starting_after, refusalOf(await client.list({ starting_after }))]).toEqual([starting_after, refused]);
  });

  it('may be a transaction that the filters leave out, or that is void now', async () => {
    const client = clientOf(await newCaller());
    const [old, middle] = [await sold(client), await sold(client)];
    await sold(client);
    await made(client.update(middle.id, { status: 'void' }));
    expect(idsOf(await made(client.list({ status: 'finalized', starting_after: middle.id })))).toEqual([old.id]);
    expect(idsOf(await made(client.list({ starting_after: middle.id })))).toEqual([old.id]);
    expect(idsOf(await made(client.list({ starting_after: old.id })))).toEqual([]);
  });
});

it('filters by the status that a draft has now: an expired one is void, before any sweep', async () => {
  const client = clientOf(await newCaller());
  const draft = await made(client.create(sale({ reference_id: 'r', customer: { id: 'c', address: michigan } })));
  const sale1 = await sold(client);
  await later(dayMs, async () => {
    expect(idsOf(await made(client.list({ status: 'draft' })))).toEqual([]);
    for (const filters of [
      { status: 'void' },
      { status: 'void', reference_id: 'r' },
      { status: 'void', customer_id: 'c' },
    ])
      expect((await made(client.list(filters))).data).toEqual([
        { ...recorded(await made(client.get(draft.id))), line_items: null },
      ]);
    const { data } = await made(client.list({ expand: 'line_items' }));
    expect(data).toEqual([sale1, recorded(await made(client.get(draft.id)))]);
  });
  expect(idsOf(await made(client.list({ status: 'draft' })))).toEqual([draft.id]);
});

it('has 25 rows unless asked for 1 to 100', async () => {
  const client = clientOf(await newCaller());
  await Promise.all(Array.from({ length: 27 }, () => client.create(sale())));
  expect((await made(client.list())).data).toHaveLength(25);
  expect((await made(client.list({ limit: '100' }))).data).toHaveLength(27);
  for (const limit of ['0', '101', '-1', '1.5', '', 'ten', '01', ' 5'])
    expect([limit, refusalOf(await client.list({ limit }))]).toEqual([limit, '422 | validation_invalid_format limit']);
  const { ids, pages } = await everyPage(client);
  expect([new Set(ids).size, pages]).toEqual([27, 2]);
});

it('fills its pages where the index has to be read further, and pages on from where it stopped', async () => {
  const client = clientOf(await newCaller());
  const rare = await sold(client);
  // More rows than one page of the index between the two: 100.
  for (let block = 0; block < 13; block++) await Promise.all(Array.from({ length: 10 }, () => client.create(sale())));
  const newest = await sold(client);
  const { data, has_more } = await made(client.list({ status: 'finalized', limit: '2' }));
  expect([data.map((row: any) => row.id), has_more]).toEqual([[newest.id, rare.id], false]);
  const { ids } = await everyPage(client, { status: 'finalized', limit: '1' });
  expect(ids).toEqual([newest.id, rare.id]);
});

it.each([
  { query: 'colour=red', refusal: '422 | validation_unknown_parameter colour' },
  { query: 'Status=draft', refusal: '422 | validation_unknown_parameter Status' },
  { query: 'tax_date=2026-10-01', refusal: '422 | validation_unknown_parameter tax_date' },
  { query: 'tax_date[eq]=2026-10-01', refusal: '422 | validation_unknown_parameter tax_date[eq]' },
  { query: '__proto__=1', refusal: '422 | validation_unknown_parameter __proto__' },
  { query: 'status=draft&status=void', refusal: '422 | validation_invalid_format status' },
  { query: 'status=open', refusal: '422 | validation_invalid_format status' },
  { query: 'status=', refusal: '422 | validation_invalid_format status' },
  { query: 'type=refund', refusal: '422 | validation_invalid_format type' },
  { query: 'reference_id=', refusal: '422 | validation_invalid_format reference_id' },
  { query: 'tax_date[gte]=yesterday', refusal: '422 | validation_invalid_format tax_date[gte]' },
  { query: 'created_at[lt]=2026-02-30', refusal: '422 | validation_invalid_format created_at[lt]' },
  { query: 'expand=history', refusal: '422 | validation_invalid_format expand' },
  { query: 'starting_after=', refusal: '422 | validation_invalid_format starting_after' },
  {
    query: 'limit=0&colour=red&status=x',
    refusal:
      '422 | validation_unknown_parameter colour | validation_invalid_format status | validation_invalid_format limit',
  },
])('refuses $query', async ({ query, refusal }) => {
  const client = clientOf(await newCaller());
  const answer = await client.call('GET', `/transactions?${query}`);
  expect(refusalOf(answer)).toBe(refusal);
  expect(answer.body.errors[0].source.pointer).toBeNull();
});

// What a Lambda function answers ends at 6 MB.
describe('the size of an answer', () => {
  const answerMax = 6 * 1024 * 1024;
  const bytesOf = ({ text }: { text: string }) => Buffer.byteLength(text);
  /** A thousand lines, each with three rows of tax, in a body that is nearly as large as one may be. */
  const huge = (others: Record<string, unknown> = {}) =>
    sale({
      customer: { address: { city: 'Williamsburg', state: 'VA', postal_code: '23185', country: 'US' } },
      line_items: Array.from({ length: 1000 }, (_, at) =>
        goods({ id: `line_${at}`, metadata: { a: 'x'.repeat(450), b: 'y'.repeat(450) } }),
      ),
      ...others,
    });

  it('ends a page by its bytes, and goes on from there', async () => {
    const client = clientOf(await newCaller());
    const ids: string[] = [];
    for (let index = 0; index < 5; index++)
      ids.unshift((await made(client.create(huge({ explain: index % 2 === 0 })))).id);
    const first = await client.list({ expand: 'line_items' });
    expect(bytesOf(first)).toBeLessThan(4_100_000);
    expect(first.body).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    expect(first.body.data.length).toBeLessThan(5);
    for (const cursor of ['next_cursor', 'last id'] as const) {
      const paged = await everyPage(client, { expand: 'line_items' }, cursor);
      expect(paged.ids).toEqual(ids);
      expect(paged.pages).toBeGreaterThan(2);
    }
    expect(idsOf(await made(client.list()))).toEqual(ids);
  });

  it('shows an explanation with the lines, and has none in a row without them', async () => {
    const client = clientOf(await newCaller());
    const explained = await sold(client, { explain: true });
    expect(explained.explanation.length).toBeGreaterThan(3);
    expect((await made(client.get(explained.id))).explanation).toEqual(explained.explanation);
    expect((await made(client.list({ expand: 'line_items' }))).data).toEqual([explained]);
    expect((await made(client.list())).data).toEqual([{ ...explained, line_items: null, explanation: null }]);
  });

  // With the built-in content, which taxes a line in three jurisdictions at the most; the explanation has a bound of its own.
  it('of the largest transaction is far from the limit', async () => {
    const client = clientOf(await newCaller());
    const answer = await client.create(huge({ explain: true }));
    expect(answer.status).toBe(201);
    expect(bytesOf(answer)).toBeGreaterThan(3_000_000);
    expect(bytesOf(answer)).toBeLessThan(answerMax * 0.7);
    expect(bytesOf(await client.list({ expand: 'line_items', limit: '1' }))).toBeLessThan(answerMax * 0.7);
  });
});
