/** Closing, filing and canceling a state's returns through the API. */

import { parse } from 'csv-parse/sync';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { filingOrCsv } from '../../shared/api/csv-response.ts';
import { now } from '../../shared/config/clock.ts';
import type { FilingWithTotals } from '../../shared/filings/response.ts';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { intercept, noFaults, throttled } from '../support/faults.ts';
import {
  cancel,
  closedFiling,
  createFiler,
  csv,
  dryRun,
  everyEntry,
  type Filer,
  type Filing,
  file,
  listTotals,
  monthly,
  newFiler,
  settled,
  soldOn,
} from '../support/filings.ts';
import {
  buildCreditRequest,
  dayMs,
  everyPage,
  getMeta,
  getRefusal,
  goods,
  later,
  made,
  sale,
} from '../support/sales.ts';

const october = { state: 'MI', period_end: '2026-10-31' };
const confirmed = { status: 'filed', confirmation_number: 'MI-1' };
const key = { 'Idempotency-Key': 'k' };
const unknown = 'fil_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const invalidCursor = '422 | validation_invalid_cursor starting_after';

describe('dry runs', () => {
  /** Returns the day of the month this many months from now. Day 0 is the last day of the previous month. */
  const dayIn = (months: number, day: number): string => {
    const today = new Date(now());
    return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, day)).toISOString().slice(0, 10);
  };
  const endIn = (months: number) => dayIn(months + 1, 0);

  it('rejects a future period, and states its dates and the last accepted period', async () => {
    const filer = await newFiler({ registrations: [monthly('MI', '2025-01-01')] });
    await soldOn(filer, dayIn(0, 1));
    const refused = await filer.close({ state: 'MI', period_end: endIn(1), dry_run: true });
    expect(getRefusal(refused)).toBe('409 | conflict_period_not_over /period_end');
    expect(getMeta(refused)).toMatchObject({ state: 'US-MI', period_end: endIn(1) });
    expect(refused.body.errors[0].detail).toContain(
      `from ${dayIn(1, 1)} to ${endIn(1)} is in the future. The last period that a dry run accepts is the current one, which ends on ${endIn(0)}`,
    );
    const midMonth = await filer.close({ state: 'MI', period_end: dayIn(0, 15), dry_run: true });
    expect(getRefusal(midMonth)).toBe('422 | validation_invalid_format /period_end');
  });

  it('requires only the read scope for a dry run, and write for closing', async () => {
    const withScopes = async (...scopes: ('read' | 'write')[]) => createFiler(await newCaller({ scopes }));
    const reader = await withScopes('read');
    expect((await reader.close({ ...october, dry_run: true })).status).toBe(200);
    for (const body of [october, { ...october, dry_run: false }, { ...october, dry_run: 'true' }, { dry_run: null }])
      expect(getRefusal(await reader.close(body))).toMatch(/^403 \| auth_forbidden/);
    expect((await reader.call('POST', '/filings', { rawBody: '{"dry_run": true' })).status).toBe(403);
    expect(getRefusal(await reader.close({ dry_run: true }))).toMatch(/^422/);
    expect((await (await withScopes('write')).close({ ...october, dry_run: true })).status).toBe(200);
    expect((await (await withScopes()).close({ ...october, dry_run: true })).status).toBe(403);
  });
});

describe('a state without a registration', () => {
  it('warns in the dry run and until the filing is filed or canceled', async () => {
    const filer = await newFiler({ registrations: [monthly('MI', '2026-09-01', '2026-09-30')] });
    const codes = ({ warnings }: Filing) => warnings.map(({ code }) => code);
    const preview = async (state: string, period_end: string) => codes(await dryRun(filer, state, period_end));
    expect(await preview('MI', '2026-09-30')).toEqual([]);
    expect(await preview('MI', '2026-10-31')).toEqual(['state_not_registered']);
    const filing = await closedFiling(filer, 'OH', '2026-10-31');
    expect(codes(filing)).toEqual(['state_not_registered']);
    expect(codes(await cancel(filer, filing.id))).toEqual([]);
    const everywhere = await newFiler({ registrations: 'all' });
    expect(codes(await closedFiling(everywhere, 'OH', '2026-10-31'))).toEqual([]);
  });
});

describe('filing a return', () => {
  it('corrects a confirmation number once, and records who did it', async () => {
    const filer = await newFiler();
    await soldOn(filer, '2026-10-05', '10.00');
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const correct = (to: string, previous: string) =>
      filer.change(id, { ...confirmed, confirmation_number: to, previous_confirmation_number: previous });
    const wrongPrevious = '409 | conflict_immutable_field /previous_confirmation_number';
    expect(getRefusal(await correct('MI-2', 'MI-1'))).toBe(wrongPrevious);
    await filer.change(id, confirmed);
    const filed = await settled(filer, id);
    expect(filed.corrections).toEqual([]);
    // Two people correct the number at the same time.
    const responses = await Promise.all([correct('MI-2', 'MI-1'), correct('MI-3', 'MI-1')]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(responses.filter(({ status }) => status === 409).map(getRefusal)).toEqual([wrongPrevious]);
    const won = responses[0]?.status === 200 ? 'MI-2' : 'MI-3';
    // The same request again changes nothing.
    expect((await correct(won, 'MI-1')).status).toBe(200);
    const after = await made(filer.filing(id));
    const corrections = [{ at: expect.any(String), by: filed.filed_by, from: 'MI-1', to: won }];
    expect(after).toEqual({ ...filed, confirmation_number: won, corrections });
    for (let at = 1; at < 20; at++) await made(correct(at % 2 ? 'X' : 'Y', at === 1 ? won : at % 2 ? 'Y' : 'X'));
    expect(getRefusal(await correct('Z', 'X'))).toBe('409 | conflict_immutable_field /confirmation_number');
    expect((await made(filer.filing(id))).corrections).toHaveLength(20);
  });

  it('marks a sale as filed without waiting for a state with no tax', async () => {
    const filer = await newFiler();
    const portland = { address: { city: 'Portland', state: 'OR', postal_code: '97201' } };
    const line_items = [goods({ id: 'a' }), goods({ id: 'b', customer: portland })];
    const { id } = await soldOn(filer, '2026-10-05', '', { line_items });
    const oregon = await closedFiling(filer, 'OR', '2026-10-31');
    await file(filer, (await closedFiling(filer, 'MI', '2026-10-31')).id);
    expect(await made(filer.get(id))).toMatchObject({ status: 'filed', filings: [{ state: 'US-MI' }] });
    await file(filer, oregon.id);
    const filings = [{ state: 'US-MI' }, { state: 'US-OR' }];
    expect(await made(filer.get(id))).toMatchObject({ status: 'filed', filings });
    const { data } = await made(filer.call('GET', `/transactions/${id}/history`));
    expect(data.slice(0, 2).map(({ fields }) => fields)).toEqual([['filings'], ['filings', 'status']]);
  });
});

it('lists the ZIP code where the buyer receives each sale', async () => {
  const filer = await newFiler();
  const columbus = { address: { city: 'Columbus', state: 'OH', postal_code: '43215' } };
  const detroit = { address: { city: 'Detroit', state: 'MI', postal_code: '48226-1234' } };
  const sold = (fulfillment: string) =>
    soldOn(filer, '2026-10-05', '', {
      customer: fulfillment === 'pickup' ? columbus : detroit,
      ship_from: fulfillment === 'pickup' ? detroit : columbus,
      line_items: [goods({ id: 'a', fulfillment })],
    });
  const [pickup, shipped] = [await sold('pickup'), await sold('ship')];
  const { id } = await closedFiling(filer, 'MI', '2026-10-31');
  const entries = (await everyEntry(filer, id)).map(({ transaction_id, postal_code }) => [transaction_id, postal_code]);
  expect(entries.toSorted()).toEqual([
    [pickup.id, '48226'],
    [shipped.id, '48226'],
  ]);
});

it('reports field errors before 404, 409 and cursor errors of a filing', async () => {
  const filer = await newFiler();
  const { id } = await closedFiling(filer, 'MI', '2026-10-31');
  const page = { expand: 'entries', starting_after: 'x.y' };
  for (const [response, refused] of [
    [filer.change(unknown, { status: 'paid' }), '422 | validation_invalid_format /status'],
    [filer.change(unknown, { status: 'closing' }), '404 | not_found'],
    [filer.change(id, { status: 'closing' }), '409 | conflict_invalid_status_transition /status'],
    [filer.filing(unknown, { ...page, limit: '0' }), '422 | validation_invalid_format limit'],
    [filer.filing(unknown, page), '404 | not_found'],
    [filer.filing(id, page), invalidCursor],
  ] as const)
    expect(getRefusal(await response)).toBe(refused);
});

it('states what to do instead of a status change that is not allowed', async () => {
  const filer = await newFiler();
  const { id: sold } = await soldOn(filer, '2026-10-08');
  const detail = ({ body }: Parameters<typeof getMeta>[0]) => body?.errors?.[0]?.detail;
  expect(detail(await filer.update(sold, { status: 'filed' }))).toBe(
    'A finalized transaction can become void. To file it, close the period with POST /filings, then set the filing to filed.',
  );
  const { id: first } = await closedFiling(filer, 'MI', '2026-10-31');
  await cancel(filer, first);
  const { id: second } = await closedFiling(filer, 'MI', '2026-10-31');
  await file(filer, second);
  expect(detail(await filer.change(first, confirmed))).toBe(
    'A canceled filing cannot change its status. Close the period again.',
  );
  expect(detail(await filer.change(second, { status: 'canceled' }))).toBe(
    'A filed filing cannot change its status. Record credits and sales instead, which count in the next period.',
  );
  expect(detail(await filer.update(sold, { status: 'void' }))).toBe(
    'A filed transaction cannot change its status. Record a credit.',
  );
});

describe('unknown fields', () => {
  it('ignores unknown fields with a warning, which a repeated request also returns', async () => {
    const filer = await newFiler();
    // The frequency is a response field, so it can be sent back.
    const body = { ...october, frequency: 'month', colour: 'red' };
    expect(getRefusal(await filer.close(body, { Prefer: 'handling=strict' }))).toBe(
      '422 | validation_unknown_field /colour',
    );
    expect((await made(filer.filings())).data).toEqual([]);
    const first = await filer.close(body, key);
    expect(first.body.warnings).toEqual([expect.objectContaining({ code: 'unknown_field', pointer: '/colour' })]);
    await settled(filer, first.body.id);
    expect((await filer.close(body, key)).text).toBe(first.text);
    expect((await made(filer.filing(first.body.id))).warnings).toEqual([]);
  });

  it('does not report response fields as unknown if a filing is sent back to mark it as filed', async () => {
    const filer = await newFiler();
    const filing = await closedFiling(filer, 'MI', '2026-10-31');
    const response = await filer.change(filing.id, { ...filing, ...confirmed }, { Prefer: 'handling=strict' });
    expect([response.status < 300, response.body.warnings]).toEqual([true, []]);
  });
});

describe('work before the response', () => {
  type Behavior = () => Promise<never>;
  const fail: Behavior = () => Promise.reject(new Error('The database has gone.'));
  const throttle: Behavior = () => Promise.reject(throttled());
  const hang: Behavior = () => new Promise<never>(() => {});

  /** Lets this many transactional writes pass, and applies `behave` to all later ones. */
  const breakAfter = (writes: number, behave: Behavior) => {
    let left = writes;
    intercept(({ command, pass }) => (!/^TransactWrite/.test(command) || left-- > 0 ? pass() : behave()));
  };
  afterEach(noFaults);

  const newBusyFiler = async () => {
    const filer = await newFiler();
    for (let at = 0; at < 20; at++) await soldOn(filer, '2026-10-05', '10.00');
    return filer;
  };

  it.each([
    ['fails', fail],
    ['hangs', hang],
  ])('%s, and another request finishes the period', async (_name, behave) => {
    const filer = await newBusyFiler();
    // The writes are the filing itself, and three steps.
    breakAfter(4, behave);
    const response = await filer.close(october, key);
    noFaults();
    expect([response.status, response.body.status]).toEqual([202, 'closing']);
    const { id } = response.body;
    expect(await made(filer.filing(id))).toMatchObject({ status: 'closing', progress: { complete: false } });
    expect((await filer.close(october, key)).text).toBe(response.text);
    // A request without the key continues the work.
    await made(filer.close(october));
    expect(listTotals(await settled(filer, id))).toEqual(['US-MI USD 200.00 0.00 200.00 12.00 20']);
  });

  it('starts no work if the write of the filing fails', async () => {
    const filer = await newFiler();
    await made(filer.create(sale()));
    breakAfter(0, throttle);
    const response = await filer.close(october);
    noFaults();
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await made(filer.filings())).data).toEqual([]);
  });
});

const honolulu = { address: { city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' } };
const read = (text: string): Record<string, string>[] => parse(text, { columns: true, record_delimiter: '\r\n' });

let caller: Caller;
let filer: Filer;
let filing: Filing;
const sales: Transaction[] = [];

beforeAll(async () => {
  caller = await newCaller();
  filer = createFiler(caller);
  for (let at = 0; at < 30; at++) sales.push(await soldOn(filer, '2026-10-05', `${at + 1}.00`, { customer: honolulu }));
  const line = { tax_date: '2026-10-06', line_items: [{ id: 'item_1', quantity: '1' }] };
  sales.push(await made(filer.create(buildCreditRequest(sales[29] as Transaction, line))));
  filing = await closedFiling(filer, 'HI', '2026-10-31');
});

describe('the entries of a filing', () => {
  it('returns 25 entries per page by default, and the totals on every page', async () => {
    const page = await made(filer.filing(filing.id, { expand: 'entries' }));
    expect([page.entries.data.length, page.entries.has_more, page.totals]).toEqual([25, true, filing.totals]);
    const last = await made(filer.filing(filing.id, { expand: 'entries', starting_after: page.entries.next_cursor }));
    expect([last.entries.data.length, last.entries.has_more, last.entries.next_cursor]).toEqual([6, false, null]);
  });

  it('continues the entries only with a cursor of this filing', async () => {
    const firstPage = async (id: string) =>
      (await made(filer.filing(id, { expand: 'entries', limit: '1' }))).entries.next_cursor;
    for (let at = 0; at < 2; at++) await soldOn(filer, '2026-11-05', '1.00', { customer: honolulu });
    const next = await later(40 * dayMs, () => closedFiling(filer, 'HI', '2026-11-30'));
    const mine = await firstPage(filing.id);
    const [payload = '', signature = ''] = mine.split('.');
    const forged = [
      await firstPage(next.id),
      (await made(filer.filings({ limit: '1' }))).next_cursor,
      ...[`${payload}.`, `${payload}x.${signature}`, signature, String(sales[0]?.id), '.', 'a.b.c'],
    ];
    for (const starting_after of forged)
      expect(getRefusal(await filer.filing(filing.id, { expand: 'entries', starting_after }))).toBe(invalidCursor);
    expect((await filer.filing(filing.id, { expand: 'entries', starting_after: mine })).status).toBe(200);
  });
});

describe('the totals of a filing', () => {
  it('returns the totals on one page in the usual case, and continues only with a cursor of the same totals', async () => {
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

  it("ends the CSV with the state's sums on the last page, which the other pages link to", () => {
    const context = { headers: new Map([['accept', ['text/csv']]]) } as unknown as Parameters<typeof filingOrCsv>[2];
    const responses = [{ ...filing, totals_next_cursor: 'c.d' }, filing].map((page) =>
      filingOrCsv(page as FilingWithTotals, 25, context),
    );
    const isSum = ({ jurisdiction_type }: Record<string, string>) => jurisdiction_type === 'total';
    expect(responses.map(({ body, headers }) => [read(String(body)).filter(isSum).length, headers?.['Link']])).toEqual([
      [0, '<?totals_starting_after=c.d>; rel="next"'],
      [1, undefined],
    ]);
  });
});

describe('filings as CSV', () => {
  it('returns one row per jurisdiction, currency and rate, and one with the total', async () => {
    const response = await filer.filing(filing.id, {}, csv);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="US-HI_2026-10-31_closed.csv"',
      vary: 'Accept, Service-Version',
    });
    const rows = read(response.text);
    const review = rows.splice(3).map((line) => [line['jurisdiction_type'], line['jurisdiction_code'], line['count']]);
    expect(review).toEqual((filing.review?.by_code ?? []).map(({ code, count }) => ['review', code, String(count)]));
    // The amounts 1 to 30 add up to 465; the last one was credited: 435 in 31 entries.
    const period = { filing_id: filing.id, status: 'closed', period_start: '2026-10-01', period_end: '2026-10-31' };
    const sums = { currency: 'USD', reporting_code: '', gross_amount: '435.00', count: '31', credit_count: '1' };
    expect(rows).toMatchObject(
      [
        ['US-HI', 'Hawaii', 'state', '0.04'],
        ['US-HI-00-003', 'Honolulu County', 'county', '0.005'],
        ['', 'Total', 'total', ''],
      ].map(([jurisdiction_code, jurisdiction_name, jurisdiction_type, rate]) => ({
        ...{ ...period, ...sums, jurisdiction_code, jurisdiction_name, jurisdiction_type, rate },
      })),
    );
  });

  it('returns only a header if nothing was owed', async () => {
    const empty = await closedFiling(filer, 'MI', '2026-10-31');
    expect([empty.status, empty.totals, empty.summary]).toEqual(['closed', [], []]);
    expect((await filer.filing(empty.id, {}, csv)).text).toMatch(/^filing_id,status,state,[a-z_,]+\r\n$/);
  });
});

describe('GET /filings', () => {
  let shop: Filer;
  /** The filings in order of creation: three months of Michigan, two of Hawaii. */
  const filings: Filing[] = [];
  const newestFirst = (...places: number[]) => places.map((at) => filings[at]?.id);
  const getList = (parameters: Record<string, string>) =>
    everyPage({ list: (page) => shop.filings(page) as never }, parameters);

  beforeAll(async () => {
    shop = await newFiler();
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
    const filed = { status: 'filed', confirmation_number: 'c-1', review: {}, summary: [{ count: 1 }] };
    expect(list.data.at(-1)).toMatchObject(filed);
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

  it('rejects a cursor of other filters', async () => {
    const { next_cursor } = await made(shop.filings({ limit: '1', state: 'MI' }));
    for (const filters of [{ state: 'HI' }, {}])
      expect(getRefusal(await shop.filings({ ...filters, starting_after: next_cursor }))).toBe(invalidCursor);
    expect((await shop.filings({ state: 'US-MI', limit: '5', starting_after: next_cursor })).status).toBe(200);
    for (const starting_after of ['x', 'a.b', `${next_cursor}x`, `${next_cursor}.x`, unknown])
      expect(getRefusal(await shop.filings({ state: 'MI', starting_after }))).toBe(invalidCursor);
  });
});
