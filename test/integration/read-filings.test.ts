/** Filings, their entries and their CSV files as returned by the API. */
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { filingReply } from '../../shared/api/csv-reply.ts';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { cancel, closedFiling, createFiler, csv, type Filer, type Filing, file, soldOn } from '../support/filings.ts';
import { exemptParts } from '../support/return-sums.ts';
import { creditOf, dayMs, everyPage, getRefusal, later, made } from '../support/sales.ts';

const honolulu = { address: { city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' } };
const unknown = 'fil_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const invalidCursor = '422 | validation_invalid_cursor starting_after';
const read = (text: string): Record<string, string>[] => parse(text, { columns: true, record_delimiter: '\r\n' });

let caller: Caller;
let filer: Filer;
let filing: Filing;
const sales: Transaction[] = [];

beforeAll(async () => {
  caller = await newCaller();
  filer = createFiler(caller);
  for (let at = 0; at < 30; at++) sales.push(await soldOn(filer, '2026-10-05', `${at + 1}.00`, { customer: honolulu }));
  const line = { line_items: [{ id: 'item_1', quantity: '1' }] };
  sales.push(await made(filer.create(creditOf(sales[29] as Transaction, { tax_date: '2026-10-06', ...line }))));
  filing = await closedFiling(filer, 'HI', '2026-10-31');
});

describe('the entries of a filing', () => {
  it('are 25 per page by default, and every page has the totals', async () => {
    const page = await made(filer.filing(filing.id, { expand: 'entries' }));
    expect([page.entries.data.length, page.entries.has_more, page.totals]).toEqual([25, true, filing.totals]);
    const last = await made(filer.filing(filing.id, { expand: 'entries', starting_after: page.entries.next_cursor }));
    expect([last.entries.data.length, last.entries.has_more, last.entries.next_cursor]).toEqual([6, false, null]);
  });

  it('continue only with a cursor of this filing and this account', async () => {
    const firstPage = async (of: Filer, id: string) =>
      (await made(of.filing(id, { expand: 'entries', limit: '1' }))).entries.next_cursor;
    for (let at = 0; at < 2; at++) await soldOn(filer, '2026-11-05', '1.00', { customer: honolulu });
    const next = await later(40 * dayMs, () => closedFiling(filer, 'HI', '2026-11-30'));
    const other = createFiler(await newCaller());
    for (let at = 0; at < 2; at++) await soldOn(other, '2026-10-05', '1.00', { customer: honolulu });
    const mine = await firstPage(filer, filing.id);
    const [payload = '', signature = ''] = mine.split('.');
    const forged = [
      await firstPage(other, (await closedFiling(other, 'HI', '2026-10-31')).id),
      await firstPage(filer, next.id),
      (await made(filer.filings({ limit: '1' }))).next_cursor,
      ...[`${payload}.`, `${payload}x.${signature}`, signature, String(sales[0]?.id), '.', 'a.b.c'],
    ];
    for (const starting_after of forged)
      expect(getRefusal(await filer.filing(filing.id, { expand: 'entries', starting_after }))).toBe(invalidCursor);
    expect((await filer.filing(filing.id, { expand: 'entries', starting_after: mine })).status).toBe(200);
  });
});

describe('the totals of a filing', () => {
  it('are usually on one page, and continue only with a cursor of the same totals', async () => {
    expect(filing.totals_next_cursor).toBeNull();
    const page = await made(filer.filing(filing.id, { expand: 'entries', limit: '1' }));
    const ofBody = '422 | validation_invalid_cursor /totals_starting_after';
    for (const totals_starting_after of [page.entries.next_cursor, 'a.b.c']) {
      expect(getRefusal(await filer.filing(filing.id, { totals_starting_after }))).toBe(
        '422 | validation_invalid_cursor totals_starting_after',
      );
      const dryRun = { state: 'HI', period_end: '2026-11-30', dry_run: true, totals_starting_after };
      expect(getRefusal(await filer.close(dryRun))).toBe(ofBody);
      expect(getRefusal(await filer.close({ ...dryRun, period_end: '2026-10-31' }))).toBe(ofBody);
      expect(getRefusal(await filer.close({ ...dryRun, dry_run: false }))).toBe(
        '422 | validation_invalid_format /totals_starting_after',
      );
    }
  });

  it("end as CSV with the state's sums on the last page, which the other pages link to", () => {
    const context = { headers: new Map([['accept', ['text/csv']]]) } as unknown as Parameters<typeof filingReply>[2];
    const replies = [{ ...filing, totals_next_cursor: 'c.d' }, filing].map((page) => filingReply(page, 25, context));
    const isSum = ({ jurisdiction_type }: Record<string, string>) => jurisdiction_type === 'total';
    expect(replies.map(({ body, headers }) => [read(String(body)).filter(isSum).length, headers?.['Link']])).toEqual([
      [0, '<?totals_starting_after=c.d>; rel="next"'],
      [1, undefined],
    ]);
  });
});

describe('a filing as CSV', () => {
  it('has one row per jurisdiction, currency and rate, and one with the total', async () => {
    const answer = await filer.filing(filing.id, {}, csv);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="US-HI_2026-10-31_closed.csv"',
      vary: 'Accept, Service-Version',
    });
    // The amounts 1 to 30 add up to 465; the last one was credited: 435 in 31 entries.
    const common = {
      filing_id: filing.id,
      status: 'closed',
      state: 'US-HI',
      currency: 'USD',
      reporting_code: '',
      period_start: '2026-10-01',
      period_end: '2026-10-31',
      gross_amount: '435.00',
      exempt_amount: '0.00',
      taxable_amount: '435.00',
      count: '31',
      not_covered_amount: '0.00',
      over_collected_amount: '0.00',
      credit_amount: '-30.00',
      credit_count: '1',
      ...Object.fromEntries(exemptParts.map((reason) => [`exempt_${reason}_amount`, '0.00'])),
    };
    const row = (code: string, name: string, type: string, rate: string, tax: string | undefined) => ({
      ...common,
      jurisdiction_code: code,
      jurisdiction_name: name,
      jurisdiction_type: type,
      rate,
      tax_amount: tax,
      calculated_tax_amount: tax,
    });
    const rows = read(answer.text);
    const review = rows.splice(3).map((line) => [line['jurisdiction_type'], line['jurisdiction_code'], line['count']]);
    expect(review).toEqual((filing.review?.by_code ?? []).map(({ code, count }) => ['review', code, String(count)]));
    expect(rows).toEqual([
      row('US-HI', 'Hawaii', 'state', '0.04', filing.totals[0]?.tax_amount),
      row('US-HI-00-003', 'Honolulu County', 'county', '0.005', filing.totals[1]?.tax_amount),
      row('', 'Total', 'total', '', filing.summary[0]?.tax_amount),
    ]);
  });

  it('is only a header if nothing was owed', async () => {
    const empty = await closedFiling(filer, 'MI', '2026-10-31');
    expect([empty.status, empty.totals, empty.summary]).toEqual(['closed', [], []]);
    expect((await filer.filing(empty.id, {}, csv)).text).toMatch(/^filing_id,status,state,[a-z_,]+\r\n$/);
  });

  it.each([
    ['text/csv', true],
    ['application/json;q=0.5, text/csv;q=0.6', true],
    ['text/csv;q=0', false],
    ['*/*', false],
    ['application/pdf', false],
  ])('is returned for Accept %s: %s', async (accept, isCsv) => {
    const answer = await filer.filing(filing.id, {}, { Accept: accept });
    expect([answer.status, answer.headers.get('content-type')?.startsWith('text/csv')]).toEqual([200, isCsv]);
    expect(answer.headers.get('vary')).toBe('Accept, Service-Version');
  });
});

it("returns the same 404 for another account's filing as for a nonexistent one", async () => {
  const stranger = createFiler(await newCaller());
  const readAnswer = async (answer: ReturnType<Filer['filing']>) => {
    const { status, body, headers } = await answer;
    const [{ meta: _, ...error }] = body.errors;
    return [status, error, headers.get('content-type')];
  };
  const absent = await readAnswer(stranger.filing(unknown, {}, csv));
  expect([absent[0], absent[2]]).toEqual([404, 'application/json']);
  for (const answer of [
    stranger.filing(filing.id),
    stranger.filing(filing.id, { expand: 'entries' }, csv),
    stranger.change(filing.id, { status: 'canceled' }),
    stranger.change(unknown, { status: 'canceled' }),
    ...['x', 'txn_x', `${filing.id}%23x`, '%2e%2e', String(sales[0]?.id), `${filing.id}%230`].map((id) =>
      filer.filing(id),
    ),
  ])
    expect(await readAnswer(answer)).toEqual(absent);
});

describe('GET /filings', () => {
  let shop: Filer;
  /** In order of creation: three months of Michigan, two of Hawaii. */
  const filings: Filing[] = [];
  const newestFirst = (...places: number[]) => places.map((at) => filings[at]?.id);
  const getList = (parameters: Record<string, string>) =>
    everyPage({ list: (page) => shop.filings(page) as never }, parameters);

  beforeAll(async () => {
    shop = createFiler(await newCaller());
    await soldOn(shop, '2026-08-05');
    for (const [state, end] of [
      ['MI', '2026-08-31'],
      ['MI', '2026-09-30'],
      ['HI', '2026-09-30'],
      ['MI', '2026-10-31'],
      ['HI', '2026-10-31'],
    ] as const)
      filings.push(await closedFiling(shop, state, end));
    await file(shop, filings[0]?.id ?? '');
    await cancel(shop, filings[4]?.id ?? '');
  });

  it('lists the newest first, with their current status, without totals and entries', async () => {
    const list = await made(shop.filings());
    expect(list).toMatchObject({ object: 'list', url: '/filings', has_more: false, next_cursor: null });
    expect(list.data.map(({ id }) => id)).toEqual(newestFirst(4, 3, 2, 1, 0));
    for (const row of list.data) {
      const one = await made(shop.filing(row.id ?? ''));
      expect(row).toEqual({ ...one, totals: null, review: row.review && { ...one.review, by_code: null } });
    }
    expect(list.data.at(-1)).toMatchObject({
      status: 'filed',
      confirmation_number: 'c-1',
      review: {},
      summary: [{ count: 1 }],
    });
  });

  it.each<{ parameters: Record<string, string>; found: number[] }>([
    { parameters: {}, found: [4, 3, 2, 1, 0] },
    { parameters: { state: 'MI' }, found: [3, 1, 0] },
    { parameters: { state: 'hawaii' }, found: [4, 2] },
    { parameters: { period_end: '2026-09-30' }, found: [2, 1] },
    { parameters: { status: 'closed' }, found: [3, 2, 1] },
    { parameters: { status: 'canceled', state: 'HI' }, found: [4] },
    { parameters: { state: 'OH' }, found: [] },
  ])(
    'selects only matching filings with the filters $parameters, in pages of any size',
    async ({ parameters, found }) => {
      for (const limit of ['1', '2', '25'])
        expect((await getList({ ...parameters, limit })).ids).toEqual(newestFirst(...found));
    },
  );

  it('returns nothing of another account, and rejects a cursor of another account or other filters', async () => {
    const stranger = createFiler(await newCaller());
    expect((await made(stranger.filings())).data).toEqual([]);
    const { next_cursor } = await made(shop.filings({ limit: '1', state: 'MI' }));
    expect(getRefusal(await stranger.filings({ state: 'MI', starting_after: next_cursor }))).toBe(invalidCursor);
    for (const filters of [{ state: 'HI' }, {}])
      expect(getRefusal(await shop.filings({ ...filters, starting_after: next_cursor }))).toBe(invalidCursor);
    expect((await shop.filings({ state: 'US-MI', limit: '5', starting_after: next_cursor })).status).toBe(200);
    for (const starting_after of ['x', 'a.b', `${next_cursor}x`, unknown])
      expect(getRefusal(await shop.filings({ state: 'MI', starting_after }))).toBe(invalidCursor);
  });
});
