import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FilingTotal } from '../../shared/filings/response.ts';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { closedFiling, csv, everyEntry, type Filer, type Filing, filerOf, soldOn } from '../support/filings.ts';
import type { Answer } from '../support/http.ts';
import { creditOf, dayMs, later, made, refusalOf } from '../support/sales.ts';

const honolulu = { address: { city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' } };
const unknown = 'fil_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const read = (text: string): Record<string, string>[] => parse(text, { columns: true, record_delimiter: '\r\n' });

let caller: Caller;
let filer: Filer;
let filing: Filing;
const sales: Transaction[] = [];

beforeAll(async () => {
  caller = await newCaller();
  filer = filerOf(caller);
  for (let at = 0; at < 30; at++) sales.push(await soldOn(filer, '2026-10-05', `${at + 1}.00`, { customer: honolulu }));
  const line = { line_items: [{ id: 'item_1', quantity: '1' }] };
  sales.push(await made(filer.create(creditOf(sales[29] as Transaction, { tax_date: '2026-10-06', ...line }))));
  filing = await closedFiling(filer, 'HI', '2026-10-31');
});

describe('the entries of a filing', () => {
  it.each([1, 7, 25, 100])('come in pages of %i, each once, unchanged', async (limit) => {
    const entries = await everyEntry(filer, filing.id, limit);
    expect(entries.map((entry) => entry.transaction_id).sort()).toEqual(sales.map(({ id }) => id).sort());
    const credit = entries.find((entry) => entry.transaction_id === (sales[30] as Transaction).id);
    expect([credit?.month, credit?.currency]).toEqual(['2026-10', 'USD']);
    expect(credit?.amounts.map((row) => [row.jurisdiction_code, row.taxable_amount, row.tax_amount])).toEqual([
      ['US-HI', '-30.00', '-1.20'],
      ['US-HI-00-003', '-30.00', '-0.15'],
    ]);
  });

  it('are 25 in a page by default, and every page has the totals', async () => {
    const page = await made(filer.filing(filing.id, { expand: 'entries' }));
    expect(page.entries.data).toHaveLength(25);
    expect(page.entries.has_more).toBe(true);
    expect(page.totals).toEqual(filing.totals);
    const last = await made(filer.filing(filing.id, { expand: 'entries', starting_after: page.entries.next_cursor }));
    expect([last.entries.data.length, last.entries.has_more, last.entries.next_cursor]).toEqual([6, false, null]);
  });

  it('go on only with a cursor of this filing and this account', async () => {
    for (let at = 0; at < 2; at++) await soldOn(filer, '2026-11-05', '1.00', { customer: honolulu });
    const next = await later(40 * dayMs, () => closedFiling(filer, 'HI', '2026-11-30'));
    const ofNext = await made(filer.filing(next.id, { expand: 'entries', limit: '1' }));
    const ofList = await made(filer.filings({ limit: '1' }));
    const other = filerOf(await newCaller());
    for (let at = 0; at < 2; at++) await soldOn(other, '2026-10-05', '1.00', { customer: honolulu });
    const theirs = await closedFiling(other, 'HI', '2026-10-31');
    const page = await made(other.filing(theirs.id, { expand: 'entries', limit: '1' }));
    const mine = await made(filer.filing(filing.id, { expand: 'entries', limit: '1' }));
    const [payload = '', signature = ''] = mine.entries.next_cursor.split('.');
    const forged = [
      page.entries.next_cursor,
      ofNext.entries.next_cursor,
      ofList.next_cursor,
      `${payload}.`,
      `${payload}x.${signature}`,
      signature,
      (sales[0] as Transaction).id,
      'x',
      '.',
      'a.b.c',
    ];
    for (const starting_after of forged)
      expect(refusalOf(await filer.filing(filing.id, { expand: 'entries', starting_after }))).toBe(
        '422 | validation_invalid_cursor starting_after',
      );
    const again = await filer.filing(filing.id, { expand: 'entries', starting_after: mine.entries.next_cursor });
    expect(again.status).toBe(200);
  });
});

describe('the totals of a filing', () => {
  it('are on one page as a rule, and go on only with a cursor of the same totals', async () => {
    expect(filing.totals_next_cursor).toBeNull();
    const page = await made(filer.filing(filing.id, { expand: 'entries', limit: '1' }));
    for (const totals_starting_after of [page.entries.next_cursor, 'x', 'a.b.c']) {
      expect(refusalOf(await filer.filing(filing.id, { totals_starting_after }))).toBe(
        '422 | validation_invalid_cursor totals_starting_after',
      );
      const dryRun = { state: 'HI', period_end: '2026-11-30', dry_run: true, totals_starting_after };
      expect(refusalOf(await filer.close(dryRun))).toBe('422 | validation_invalid_cursor /totals_starting_after');
      expect(refusalOf(await filer.close({ ...dryRun, period_end: '2026-10-31' }))).toBe(
        '422 | validation_invalid_cursor /totals_starting_after',
      );
      expect(refusalOf(await filer.close({ ...dryRun, dry_run: false }))).toBe(
        '422 | validation_invalid_format /totals_starting_after',
      );
    }
  });

  it('as CSV end with the sums of the state on the last page, which the others link to', async () => {
    const { filingReply } = await import('../../shared/api/filing-reply.ts');
    const exchange = { headers: new Map([['accept', ['text/csv']]]) } as unknown as Parameters<typeof filingReply>[2];
    const [first, last] = [{ ...filing, totals_next_cursor: 'c.d' }, filing].map((page) =>
      filingReply(page, 25, exchange),
    );
    const isSum = ({ jurisdiction_type }: Record<string, string>) => jurisdiction_type === 'total';
    expect([first, last].map((reply) => read(String(reply?.body)).filter(isSum).length)).toEqual([0, 1]);
    expect([first, last].map((reply) => reply?.headers?.['Link'])).toEqual([
      expect.stringMatching(/^<\?totals_starting_after=c\.d>; rel="next"$/),
      undefined,
    ]);
  });
});

describe('a filing as CSV', () => {
  it('has one row for each jurisdiction, currency and rate, and one with the total', async () => {
    const answer = await filer.filing(filing.id, {}, csv);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ]);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="US-HI_2026-10-31_closed.csv"');
    expect([answer.headers.get('vary'), answer.headers.has('link')]).toEqual(['Accept, Service-Version', false]);
    const common = { filing_id: filing.id, status: 'closed', state: 'US-HI', currency: 'USD', reporting_code: '' };
    const period = { period_start: '2026-10-01', period_end: '2026-10-31' };
    // The amounts 1 to 30 add up to 465; the last one was credited: 435 in 31 entries.
    const zeros = ['resale', 'product', 'customer', 'snap', 'marketplace', 'not_registered'].map((reason) => [
      `exempt_${reason}_amount`,
      '0.00',
    ]);
    const sums = {
      ...{ gross_amount: '435.00', exempt_amount: '0.00', taxable_amount: '435.00', count: '31' },
      ...{ not_covered_amount: '0.00', over_collected_amount: '0.00' },
      ...{ credit_amount: '-30.00', credit_count: '1' },
      ...Object.fromEntries(zeros),
    };
    const taxes = (tax?: string) => ({ tax_amount: tax, calculated_tax_amount: tax });
    expect(read(answer.text)).toEqual([
      {
        ...common,
        ...period,
        ...sums,
        jurisdiction_code: 'US-HI',
        jurisdiction_name: 'Hawaii',
        jurisdiction_type: 'state',
        rate: '0.04',
        ...taxes(filing.totals[0]?.tax_amount),
      },
      {
        ...common,
        ...period,
        ...sums,
        jurisdiction_code: 'US-HI-00-003',
        jurisdiction_name: 'Honolulu County',
        jurisdiction_type: 'county',
        rate: '0.005',
        ...taxes(filing.totals[1]?.tax_amount),
      },
      {
        ...common,
        ...period,
        ...sums,
        jurisdiction_code: '',
        jurisdiction_name: 'Total',
        jurisdiction_type: 'total',
        rate: '',
        ...taxes(filing.summary[0]?.tax_amount),
      },
    ]);
  });

  it('a CSV of entries is a page, and links to the next', async () => {
    const rows: Record<string, string>[] = [];
    let path = `/filings/${filing.id}?expand=entries&limit=10`;
    let pages = 0;
    for (let next: string | null = path; next !== null; pages++) {
      const answer: Answer = await caller.call('GET', next, { headers: csv });
      expect(answer.headers.get('content-disposition')).toContain('_closed_entries.csv');
      rows.push(...read(answer.text));
      const link = /^<(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
      const base = 'http://127.0.0.1';
      path = link ? new URL(link, `${base}${path}`).href.slice(base.length) : '';
      next = link ? path : null;
    }
    expect(pages).toBe(4);
    const listed = (await everyEntry(filer, filing.id)).flatMap(({ transaction_id, amounts }) =>
      amounts.map((row) => [transaction_id, row.jurisdiction_code, row.rate, row.tax_amount].join(' ')),
    );
    const written = rows.map((row) =>
      [row['transaction_id'], row['jurisdiction_code'], row['rate'], row['tax_amount']].join(' '),
    );
    expect(written.sort()).toEqual(listed.sort());
    expect(new Set(rows.map((row) => row['currency']))).toEqual(new Set(['USD']));
  });

  it('is a header alone where nothing was owed', async () => {
    const empty = await closedFiling(filer, 'MI', '2026-10-31');
    const { text } = await filer.filing(empty.id, {}, csv);
    expect(text.split('\r\n')).toHaveLength(2);
    expect(text).toMatch(/^filing_id,status,state,period_start,period_end,jurisdiction_code,/);
  });

  it.each([
    ['text/csv', true],
    ['application/json;q=0.5, text/csv;q=0.6', true],
    ['text/csv;q=0', false],
    ['*/*', false],
    ['application/pdf', false],
  ])('is returned for Accept: %s: %s', async (accept, isCsv) => {
    const answer = await filer.filing(filing.id, {}, { Accept: accept });
    expect([answer.status, answer.headers.get('content-type')?.startsWith('text/csv')]).toEqual([200, isCsv]);
    expect(answer.headers.get('vary')).toBe('Accept, Service-Version');
  });

  it('does not change the form of a refusal', async () => {
    const answer = await filer.filing(unknown, {}, csv);
    expect([refusalOf(answer), answer.headers.get('content-type')]).toEqual(['404 | not_found', 'application/json']);
  });

  it('escapes a formula in a name', async () => {
    const { entriesCsv, totalsCsv } = await import('../../shared/filings/csv.ts');
    const named = { ...(filing.totals[0] as FilingTotal), jurisdiction_name: '=HYPERLINK("http://x")' };
    expect(totalsCsv({ ...filing, totals: [named] })).toContain(`,"'=HYPERLINK(""http://x"")",`);
    const amounts = [{ ...named, rate: '0.04', tax_amount: '-1.20' }];
    const none = { reference_id: null, type: 'sale' as const, tax_day: '2026-10-08', postal_code: null };
    const document = { ...none, customer_id: '+1', certificate_numbers: [] };
    const entry = { transaction_id: '@x', ...document, month: '2026-10', currency: 'USD', amounts };
    const page = { object: 'list' as const, has_more: false, next_cursor: null, data: [entry] };
    expect(entriesCsv({ ...filing, entries: page })).toMatch(/,'@x,.*,-1\.20,,,2026-10-08,sale,'\+1,,/);
  });
});

describe('a filing that is not there', () => {
  it("returns the same 404 as another account's filing", async () => {
    const stranger = filerOf(await newCaller());
    const answerOf = async (answer: ReturnType<Filer['filing']>) => {
      const { status, body, headers } = await answer;
      const [{ meta: _, ...error }] = body.errors;
      return [status, error, headers.get('content-type')];
    };
    const absent = await answerOf(stranger.filing(unknown));
    expect(absent[0]).toBe(404);
    expect(await answerOf(stranger.filing(filing.id))).toEqual(absent);
    expect(await answerOf(stranger.filing(filing.id, { expand: 'entries' }, csv))).toEqual(absent);
    expect(await answerOf(stranger.change(filing.id, { status: 'canceled' }))).toEqual(absent);
    expect(await answerOf(stranger.change(unknown, { status: 'canceled' }))).toEqual(absent);
    for (const id of ['x', 'txn_x', `${filing.id}%23x`, '%2e%2e', (sales[0] as Transaction).id, `${filing.id}%230`])
      expect([id, await answerOf(filer.filing(id))]).toEqual([id, absent]);
    expect((await made(filer.filing(filing.id))).status).toBe('closed');
  });
});
