import { parse } from 'csv-parse/sync';
import { decodeTime, encodeTime } from 'ulid';
import { beforeAll, describe, expect, it } from 'vitest';
import { environment } from '../../shared/config/environment.ts';
import type { TransactionRow } from '../../shared/ledger/response.ts';
import type { StoredTransaction } from '../../shared/ledger/transaction.ts';
import { ledgerReads } from '../../shared/store/ledger/ledger-reads.ts';
import { transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { putItems } from '../bench/database.ts';
import { type Caller, connectClient, newCaller, newClient } from '../support/api.ts';
import { used } from '../support/count-calls.ts';
import {
  buildCreditRequest,
  dayMs,
  everyPage,
  getRefusal,
  goods,
  later,
  made,
  michigan,
  sale,
  sold,
} from '../support/sales.ts';

const listIds = ({ data }: { data: TransactionRow[] }): string[] => data.map(({ id }) => id);

const ohio = {
  customer: { id: 'c2', address: { city: 'Columbus', state: 'OH', postal_code: '43215', country: 'US' } },
};

it('filters by the states of transactions and of their lines, exempt or not, by code or name', async () => {
  const client = await newClient();
  const inMichigan = await sold(client);
  const inOhio = await sold(client, ohio);
  const inBoth = await sold(client, { line_items: [goods({ id: 'a' }), goods({ id: 'b', ...ohio })] });
  const exempt = await sold(client, { customer: { ...ohio.customer, exemption: { type: 'resale' } } });
  const idsIn = async (filters: Record<string, string>) => listIds(await made(client.list(filters)));
  for (const state of ['OH', 'US-OH', 'Ohio'])
    expect(await idsIn({ state }), state).toEqual([exempt.id, inBoth.id, inOhio.id]);
  expect(await idsIn({ state: 'MI' })).toEqual([inBoth.id, inMichigan.id]);
  expect(await idsIn({ state: 'OH', customer_id: 'c2', 'tax_date[gte]': '2020-01-01' })).toHaveLength(2);
  expect(await idsIn({ state: 'NY' })).toEqual([]);
  expect(getRefusal(await client.list({ state: 'XX' }))).toBe('422 | validation_invalid_format state');
});

it('returns CSV with Accept: text/csv, with a Link to the next page that keeps the filters', async () => {
  const client = await newClient();
  await sold(client);
  const first = await sold(client, { ...ohio, reference_id: '=1+1' });
  const half = { line_items: [{ id: 'item_1', quantity: '1' }] };
  const credit = await made(client.create(buildCreditRequest(first, half)));
  const page = (path: string) => client.call('GET', path, { headers: { Accept: 'text/csv' } });
  const response = await page('/transactions?state=OH&limit=1');
  expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
  const next = /^<(\?[^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  const second = await page(`/transactions${next}`);
  expect(second.headers.get('link')).toBeNull();
  const rows = [response, second].flatMap(({ text }) => parse(text, { columns: true }) as Record<string, string>[]);
  const [latest, sale] = [await made(client.get(credit.id)), await made(client.get(first.id))];
  const expected = { customer_id: 'c2', states: 'OH', postal_code: '43215', currency: 'USD' };
  const { id, total_amount, credited_amount } = sale;
  expect(rows).toMatchObject([
    { ...expected, id: latest.id, type: 'credit', parent_transaction_id: id, tax_amount: latest.tax_amount },
    { ...expected, id, reference_id: "'=1+1", total_amount, credited_amount },
  ]);
  expect(rows[1]?.['voided_at']).toBe('');
});

it('returns 25 rows by default, and 1 to 100 with a limit', async () => {
  const client = await newClient();
  await Promise.all(Array.from({ length: 27 }, () => client.create(sale())));
  expect((await made(client.list())).data).toHaveLength(25);
  expect((await made(client.list({ limit: '100' }))).data).toHaveLength(27);
  const { ids, pages } = await everyPage(client);
  expect([new Set(ids).size, pages]).toEqual([27, 2]);
});

it('finds a transaction by its creation after the clock was set back', async () => {
  const client = await newClient();
  await later(dayMs, () => sold(client));
  const { id, created_at } = await sold(client);
  const { data } = await made(client.list({ 'created_at[lte]': created_at }));
  expect(data.map((row) => row.id)).toEqual([id]);
});

it('includes an explanation with the lines, and none in a row without lines', async () => {
  const client = await newClient();
  const explained = await sold(client, { explain: true });
  expect(explained.explanation?.length).toBeGreaterThan(3);
  expect((await made(client.get(explained.id))).explanation).toEqual(explained.explanation);
  expect((await made(client.list({ expand: 'line_items' }))).data).toEqual([explained]);
  expect((await made(client.list())).data).toEqual([{ ...explained, line_items: null, explanation: null }]);
});

describe('GET /transactions?search', () => {
  /** Filtered lists of a ledger with thousands of transactions, compared with the same filters on the written transactions. */

  const size = 4_000;
  const minuteMs = 60_000;
  const newestMs = Date.parse('2026-11-01T12:00:00Z');
  const cheyenne = { line1: '1 Main St', city: 'Cheyenne', state: 'WY', postal_code: '82001', country: 'US' };

  /** The fields of a transaction that filters use. */
  type Written = ReturnType<typeof getWritten>;
  let caller: Caller;
  /** The transactions, newest first. */
  let written: Written[];

  /** Returns a transaction by its number. Few are credits, void or in Wyoming, and only the newest are unfiled. */
  const getWritten = (at: number) => {
    const createdMs = newestMs - at * minuteMs;
    return {
      id: `txn_${encodeTime(createdMs, 10)}${String(at).padStart(16, '0')}`,
      created: new Date(createdMs).toISOString(),
      // Tax dates are in a different order than the ids.
      taxDate: new Date(createdMs - ((at * 7) % 41) * dayMs).toISOString(),
      type: at % 500 === 7 ? 'credit' : 'sale',
      status: at % 700 === 3 ? 'void' : at < 300 ? 'finalized' : 'filed',
      state: at % 900 === 5 ? 'WY' : 'MI',
      customer: at % 3 === 0 ? 'cus_1' : null,
      reference: at % 800 === 11 ? `Straße-${at}` : null,
    };
  };

  beforeAll(async () => {
    caller = await newCaller({ settings: { time_zone: 'UTC' } });
    const other = await newCaller();
    const client = connectClient(other);
    const record = async (body: object): Promise<StoredTransaction> => {
      const { id } = await made(client.create(body));
      return (await ledgerReads.find(other.account.id, id)) as StoredTransaction;
    };
    const inMichigan = await record(sale({ status: 'finalized' }));
    const kinds = {
      MI: inMichigan,
      WY: await record(sale({ status: 'finalized', customer: { address: cheyenne } })),
      credit: await record(buildCreditRequest(inMichigan.transaction)),
    };
    written = Array.from({ length: size }, (_, at) => getWritten(at));
    await putItems(environment.tables.transactions, size, (at) => {
      const { id, created, taxDate, type, status, state, customer, reference } = written[at] as Written;
      const stored = type === 'credit' ? kinds.credit : kinds[state as 'MI' | 'WY'];
      const address = state === 'WY' ? cheyenne : michigan;
      const fields = { id, created_at: created, tax_date: taxDate, status, reference_id: reference };
      const transaction = { ...stored.transaction, ...fields, customer: { id: customer, address } } as never;
      return transactionItem(caller.account.id, { ...stored, transaction });
    });
  });

  /** Returns whether a list filter matches a transaction. */
  const keeps = (row: Written, [name, value]: [string, string]): boolean => {
    if (name === 'customer_id') return row.customer === value;
    if (name === 'search') {
      const simple = (text: string | null) => (text ?? '').toLowerCase().replaceAll('ß', 'ss');
      return [row.id, row.reference, row.customer].some((text) => simple(text).includes(simple(value)));
    }
    if (name === 'created_at[lt]') return Date.parse(row.created) < Date.parse(value);
    if (name === 'created_at[gte]') return Date.parse(row.created) >= Date.parse(value);
    return ['limit', 'tax_date[gte]'].includes(name) || row[name as keyof Written] === value;
  };

  const cases: Record<string, string>[] = [
    { type: 'credit' },
    { type: 'credit', state: 'MI' },
    { type: 'sale', status: 'void' },
    { status: 'finalized' },
    { status: 'filed', limit: '100', 'created_at[lt]': '2026-10-30T00:00:00Z' },
    { status: 'draft' },
    { state: 'WY', limit: '1' },
    { state: 'AK' },
    { search: 'STRASSE-' },
    { search: 'aße-8', type: 'sale' },
    { search: 'US_1', status: 'void' },
    { search: `${String(3_456).padStart(16, '0')}` },
    { customer_id: 'cus_1', status: 'void' },
    { 'tax_date[gte]': '2021-01-01', state: 'WY' },
    { 'tax_date[gte]': '2021-01-01', 'created_at[lt]': '2026-10-30T00:00:00Z', state: 'WY' },
    { 'tax_date[gte]': '2021-01-01', 'created_at[gte]': '2026-10-31T00:00:00Z', type: 'credit' },
    { 'tax_date[gte]': '2021-01-01', customer_id: 'cus_1', type: 'credit' },
  ];

  /** Returns one page of a list, with the number of database calls. */
  const readPage = async (query: Record<string, string>, after: string | null) => {
    const parameters = { ...query, ...(after !== null && { starting_after: after }) };
    let response!: Awaited<ReturnType<ReturnType<typeof connectClient>['list']>>;
    const { calls } = await used(async () => {
      response = await connectClient(caller).list(parameters);
      return response;
    });
    return { ...response.body, calls, backTo: response.headers.get('Searched-Back-To') };
  };

  it.each(cases)('returns every match once, in order, and reports how far the list was searched: %j', async (query) => {
    const by = 'tax_date[gte]' in query ? 'taxDate' : 'created';
    const newestFirst = (a: Written, b: Written) => `${b[by]}${b.id}`.localeCompare(`${a[by]}${a.id}`, 'en');
    const filters = Object.entries(query);
    const expected = written.filter((row) => filters.every((filter) => keeps(row, filter))).sort(newestFirst);
    const found: string[] = [];
    let [after, last, pages]: [string | null, string, number] = [null, '9999', 0];
    do {
      const { data, next_cursor, calls, backTo } = await readPage(query, after);
      found.push(...data.map(({ id }) => id));
      pages += 1;
      after = next_cursor;
      expect(calls.length).toBeLessThanOrEqual(4);
      expect(new Set(calls)).toEqual(new Set(['Query']));
      expect(backTo === null).toBe(after === null);
      if (backTo === null) break;
      // The pages so far list every match that is newer than `backTo`.
      const seen = new Set(found);
      expect(expected.filter((row) => row[by] > backTo && !seen.has(row.id))).toEqual([]);
      expect(backTo <= last).toBe(true);
      last = backTo;
    } while (after !== null);
    expect(found).toEqual(expected.map(({ id }) => id));
    // Two requests search the ledger.
    expect(pages).toBeLessThanOrEqual(2 + Math.ceil(expected.length / Number(query['limit'] ?? 25)));
  });

  it('reads pages of credits from a separate index: one call, regardless of the size of the ledger', async () => {
    expect(await readPage({ type: 'credit' }, null)).toMatchObject({ calls: ['Query'], has_more: false });
  });

  it('returns an empty page, with has_more and a cursor, if a request found no match in its part of the ledger', async () => {
    const first = await readPage({ state: 'AK' }, null);
    expect(first).toMatchObject({ data: [], has_more: true, calls: ['Query', 'Query', 'Query', 'Query'] });
    const second = await readPage({ state: 'AK' }, first.next_cursor);
    expect(second).toMatchObject({ data: [], has_more: false, backTo: null });
  });
});

const lambdaMax = 6_291_556;
const getBytes = ({ text }: { readonly text: string }) => Buffer.byteLength(JSON.stringify({ body: text }));

const quotes = (length: number) => '"'.repeat(length);
const minneapolis = { city: 'Minneapolis', state: 'MN', postal_code: '55401', country: 'US' };
const manyQuotes = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key_${at}`, quotes(500)]));

/** A thousand lines in six jurisdictions. The certificate is repeated in each jurisdiction. */
const huge = (text: number, certificate: number, others: Record<string, unknown> = {}) =>
  sale({
    customer: {
      address: minneapolis,
      ...(certificate > 0 && { exemption: { type: 'resale', certificate_id: quotes(certificate) } }),
    },
    line_items: Array.from({ length: 1000 }, (_, at) =>
      goods({ id: `${at}`, quantity: '1', description: quotes(text), metadata: { a: quotes(text) } }),
    ),
    ...others,
  });

describe('the response of a sale with a thousand lines', () => {
  it.each([
    { text: 150, certificate: 0, explain: true, status: 201 },
    { text: 225, certificate: 200, explain: true, status: 413 },
    { text: 225, certificate: 255, explain: false, status: 201 },
  ])(
    "keeps the response below Lambda's limit, or rejects the request before anything is stored: %o",
    async ({ status, ...shape }) => {
      const client = await newClient();
      const body = huge(shape.text, shape.certificate, { explain: shape.explain });
      const calculated = await client.calculate(body);
      const created = await client.create(body);
      expect([calculated.status, created.status]).toEqual([status === 201 ? 200 : status, status]);
      for (const response of [calculated, created]) expect(getBytes(response)).toBeLessThan(lambdaMax);
      const { data } = await made(client.list());
      if (status === 413) {
        expect(getRefusal(created)).toBe('413 | validation_body_too_large');
        expect(data).toEqual([]);
        expect((await client.create({ ...body, line_items: body.line_items.slice(500) })).status).toBe(201);
        return;
      }
      // Later changes still fit.
      const { id } = created.body;
      for (const change of [{ metadata: manyQuotes }, { status: 'finalized' }])
        expect(getBytes(await client.update(id, change))).toBeLessThan(lambdaMax);
      const credit = await client.create(buildCreditRequest({ id }));
      expect([201, 413]).toContain(credit.status);
      expect(getBytes(credit)).toBeLessThan(lambdaMax);
      expect(getBytes(await client.get(`${id}?expand=history`))).toBeLessThan(lambdaMax);
    },
  );

  it('rejects a draft edit that makes the response too large, and keeps the draft', async () => {
    const client = await newClient();
    const { id, version } = await made(client.create(huge(225, 200)));
    expect(getRefusal(await client.update(id, { explain: true }))).toBe('413 | validation_body_too_large');
    expect(await made(client.get(id))).toMatchObject({ version, explanation: null });
  });
});

it('limits a list page by its size in bytes in Lambda, and continues after it', async () => {
  const client = await newClient();
  const body = huge(150, 0);
  // The rows are 1.8 MB, and a page has at most 4 MB.
  const { id } = await made(client.create({ ...body, line_items: body.line_items.slice(0, 450) }));
  const { transaction, ...stored } = (await ledgerReads.find(client.account.id, id)) as StoredTransaction;
  // Copies of the sale with newer ids. Earlier tests moved the clock, so the sale's id can be ahead of it.
  const soldMs = decodeTime(id.slice('txn_'.length));
  const copies = [4, 3, 2, 1].map((days) => `txn_${encodeTime(soldMs + days * dayMs, 10)}${'0'.repeat(16)}`);
  await putItems(environment.tables.transactions, copies.length, (at) =>
    transactionItem(client.account.id, { ...stored, transaction: { ...transaction, id: copies[at] ?? '' } }),
  );
  const ids = [...copies, id];
  const first = await client.list({ expand: 'line_items' });
  expect(getBytes(first)).toBeLessThan(lambdaMax);
  expect([listIds(first.body), first.body.has_more]).toEqual([ids.slice(0, 2), true]);
  const paged = await everyPage(client, { expand: 'line_items' });
  expect([paged.ids, paged.pages]).toEqual([ids, 3]);
  const afterId = await made(client.list({ expand: 'line_items', starting_after: ids[1] ?? '' }));
  expect(listIds(afterId)).toEqual(ids.slice(2, 4));
  expect(listIds(await made(client.list()))).toEqual(ids);
});
