import { describe, expect, it } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import { newCaller } from '../support/api.ts';
import { cancel, closedFiling, everyEntry, file, filerOf, settled, soldOn, totalsOf } from '../support/filings.ts';
import { creditOf, made, metaOf, refusalOf } from '../support/sales.ts';

const newFiler = async (settings: Partial<Settings> = {}) => filerOf(await newCaller({ settings }));
const confirmed = { status: 'filed', confirmation_number: 'MI-1' };
const michigan = { state: 'MI', postal_code: '48226', country: 'US' };
const honolulu = { city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' };

describe('filing', () => {
  it('marks every transaction of the filing as filed, once, with its history', async () => {
    const filer = await newFiler();
    const parent = await soldOn(filer, '2026-10-05');
    const credit = await made(
      filer.create(creditOf(parent, { tax_date: '2026-10-06', line_items: [{ id: 'item_1', quantity: '1' }] })),
    );
    const later = await soldOn(filer, '2026-11-05');
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const answer = await filer.change(id, confirmed);
    expect([200, 202]).toContain(answer.status);
    expect(answer.body).toMatchObject({ confirmation_number: 'MI-1' });
    const filing = await settled(filer, id);
    expect(filing).toMatchObject({ status: 'filed', confirmation_number: 'MI-1' });
    expect(filing.progress).toMatchObject({ entries_moved: 2, entries_marked: 2, complete: true });
    expect(Date.parse(filing.filed_at)).toBeGreaterThan(0);
    for (const transaction of [parent, credit]) {
      const stored = await made(filer.get(transaction.id));
      expect(stored).toMatchObject({ status: 'filed', filings: [{ id, state: 'US-MI', status: 'filed' }] });
      expect(stored.filed_at).toBe(stored.updated_at);
    }
    // The sale at 1, its credit made it 2, and filing 3.
    expect((await made(filer.get(parent.id))).version).toBe(3);
    expect(await made(filer.get(later.id))).toMatchObject({ status: 'finalized', filings: [], version: 1 });
  });

  it('makes a transaction of two states filed with the last of them', async () => {
    const filer = await newFiler();
    const line = { product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' };
    const line_items = [
      { ...line, id: 'a', customer: { address: michigan } },
      { ...line, id: 'b', customer: { address: honolulu } },
    ];
    const { id } = await soldOn(filer, '2026-10-05', '', { line_items });
    const [mi, hi] = [await closedFiling(filer, 'MI', '2026-10-31'), await closedFiling(filer, 'HI', '2026-10-31')];
    await file(filer, mi.id);
    const half = await made(filer.get(id));
    expect([half.status, half.filed_at, half.filings.map(({ state }: any) => state)]).toEqual([
      'finalized',
      null,
      ['US-MI'],
    ]);
    await file(filer, hi.id);
    const whole = await made(filer.get(id));
    expect([whole.status, whole.version]).toEqual(['filed', 3]);
    expect(whole.filings.map((filing: any) => filing.id).sort()).toEqual([mi.id, hi.id].sort());
  });

  it('of many transactions marks each once, though they are credited meanwhile', async () => {
    const filer = await newFiler();
    const sales: any[] = [];
    for (let block = 0; block < 10; block++)
      sales.push(...(await Promise.all(Array.from({ length: 12 }, () => soldOn(filer, '2026-10-05', '10.00')))));
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const credits = sales.slice(0, 10).map((sale) => filer.create(creditOf(sale, { tax_date: '2026-11-02' })));
    const [, ...answers] = await Promise.all([filer.change(id, confirmed), ...credits]);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    const filing = await settled(filer, id);
    expect(filing.progress.entries_marked).toBe(120);
    const read = await Promise.all(sales.map((sale) => made(filer.get(sale.id))));
    for (const [at, transaction] of read.entries()) {
      expect([transaction.status, transaction.filings.length]).toEqual(['filed', 1]);
      expect(transaction.version).toBe(at < 10 ? 3 : 2);
    }
  });

  it('does not need earlier periods to be filed, and leaves later credits to later periods', async () => {
    const filer = await newFiler();
    const parent = await soldOn(filer, '2026-09-05');
    await closedFiling(filer, 'MI', '2026-09-30');
    const october = await closedFiling(filer, 'MI', '2026-10-31');
    expect((await file(filer, october.id)).status).toBe('filed');
    expect((await made(filer.get(parent.id))).status).toBe('finalized');
  });

  it('lets a filed sale be credited', async () => {
    const filer = await newFiler();
    const parent = await soldOn(filer, '2026-10-05');
    await file(filer, (await closedFiling(filer, 'MI', '2026-10-31')).id);
    const credit = await filer.create(creditOf(parent, { tax_date: '2026-11-03' }));
    expect([credit.status, credit.body.tax_amount]).toEqual([201, '6.00']);
    expect(await made(filer.get(parent.id))).toMatchObject({ status: 'filed', refund_status: 'full' });
    expect(refusalOf(await filer.update(parent.id, { status: 'void' }))).toContain('409 | conflict_');
  });

  it('of nothing is done at once', async () => {
    const filer = await newFiler();
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    expect((await file(filer, id)).status).toBe('filed');
  });
});

describe('canceling', () => {
  it('opens the entries again, and the period can be closed anew', async () => {
    const filer = await newFiler();
    const sales = [await soldOn(filer, '2026-10-05'), await soldOn(filer, '2026-10-06', '50.00')];
    const first = await closedFiling(filer, 'MI', '2026-10-31');
    const canceled = await cancel(filer, first.id);
    expect(canceled).toMatchObject({ status: 'canceled', progress: { entries_reopened: 2, complete: true } });
    expect(Date.parse(canceled.canceled_at)).toBeGreaterThan(0);
    expect(await everyEntry(filer, first.id)).toEqual([]);
    expect((await made(filer.update(sales[1].id, { status: 'void' }))).status).toBe('void');
    const second = await closedFiling(filer, 'MI', '2026-10-31');
    expect(second.id).not.toBe(first.id);
    expect(totalsOf(second)).toEqual(['US-MI USD 100.00 0.00 100.00 6.00 1']);
    expect((await made(filer.filing(first.id))).status).toBe('canceled');
  });

  it('is for the last filing of a state alone', async () => {
    const filer = await newFiler();
    await soldOn(filer, '2026-09-05');
    const september = await closedFiling(filer, 'MI', '2026-09-30');
    const october = await closedFiling(filer, 'MI', '2026-10-31');
    const answer = await filer.change(september.id, { status: 'canceled' });
    expect(refusalOf(answer)).toBe('409 | conflict_period_order /status');
    expect(metaOf(answer)).toMatchObject({ state: 'US-MI', period_end: '2026-10-31' });
    expect(answer.body.errors[0].detail).toContain('Cancel the one of meta.period_end first.');
    await cancel(filer, october.id);
    await cancel(filer, september.id);
    const again = await closedFiling(filer, 'MI', '2026-09-30');
    expect(totalsOf(again)).toEqual(['US-MI USD 100.00 0.00 100.00 6.00 1']);
  });
});

it('a filing stays where a newer one was filed, and is told where to correct it', async () => {
  const filer = await newFiler();
  const september = await closedFiling(filer, 'MI', '2026-09-30');
  const october = await closedFiling(filer, 'MI', '2026-10-31');
  await file(filer, october.id);
  const answer = await filer.change(september.id, { status: 'canceled' });
  expect(refusalOf(answer)).toBe('409 | conflict_period_order /status');
  expect(metaOf(answer)).toEqual({ state: 'US-MI', period_end: '2026-10-31' });
});

describe('what a filing cannot become', () => {
  const inStatus = async (status: string) => {
    const filer = await newFiler();
    await soldOn(filer, '2026-10-05');
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    if (status === 'filed') await file(filer, id, 'MI-1');
    if (status === 'canceled') await cancel(filer, id);
    return { filer, id };
  };

  it.each([
    { from: 'closed', to: 'closing', allowed: ['canceled', 'filed'] },
    { from: 'closed', to: 'marking', allowed: ['canceled', 'filed'] },
    { from: 'filed', to: 'closed', allowed: [] },
    { from: 'filed', to: 'canceled', allowed: [] },
    { from: 'canceled', to: 'closed', allowed: [] },
    { from: 'canceled', to: 'filed', allowed: [] },
  ])('from $from to $to', async ({ from, to, allowed }) => {
    const { filer, id } = await inStatus(from);
    const body = to === 'filed' ? confirmed : { status: to };
    const answer = await filer.change(id, body);
    expect(refusalOf(answer)).toBe('409 | conflict_invalid_status_transition /status');
    const { allowed: told, ...meta } = metaOf(answer);
    expect([meta, (told as string[]).toSorted()]).toEqual([{ from, to }, allowed]);
    expect((await made(filer.filing(id))).status).toBe(from);
  });

  it.each([
    { status: 'closed', body: { status: 'closed' } },
    { status: 'filed', body: confirmed },
    { status: 'canceled', body: { status: 'canceled' } },
  ])('$status is answered as it is to who asks for it again', async ({ status, body }) => {
    const { filer, id } = await inStatus(status);
    const before = await made(filer.filing(id));
    const answer = await filer.change(id, body);
    expect([answer.status, answer.body]).toEqual([200, before]);
  });

  it('is confirmed otherwise', async () => {
    const { filer, id } = await inStatus('filed');
    const answer = await filer.change(id, { ...confirmed, confirmation_number: 'MI-2' });
    expect(refusalOf(answer)).toContain('409 | conflict_');
    expect((await made(filer.filing(id))).confirmation_number).toBe('MI-1');
  });

  it.each(['closed', 'canceled', 'closing', 'marking'])('has no confirmation number as %s', async (status) => {
    const { filer, id } = await inStatus('closed');
    const answer = await filer.change(id, { status, confirmation_number: 'x' });
    expect(refusalOf(answer)).toBe('422 | validation_invalid_format /confirmation_number');
    expect(await made(filer.filing(id))).toMatchObject({ status: 'closed', confirmation_number: null });
  });

  it('without a confirmation number is not filed', async () => {
    const { filer, id } = await inStatus('closed');
    const missing = '422 | validation_required_field /confirmation_number';
    expect(refusalOf(await filer.change(id, { status: 'filed' }))).toBe(missing);
    expect(refusalOf(await filer.change(id, { status: 'filed', confirmation_number: '' }))).toBe(
      '422 | validation_invalid_format /confirmation_number',
    );
  });
});

describe('an Idempotency-Key', () => {
  it('makes a retry answer the very bytes of the first time', async () => {
    const filer = await newFiler();
    await soldOn(filer, '2026-10-05');
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const key = { 'Idempotency-Key': 'k' };
    const first = await filer.change(id, confirmed, key);
    await settled(filer, id);
    const again = await filer.change(id, confirmed, key);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(refusalOf(await filer.change(id, { status: 'canceled' }, key))).toBe(
      '422 | idempotency_key_reused Idempotency-Key',
    );
  });

  it('is looked at before the status: a repeated cancel is no conflict after the period is closed anew', async () => {
    const filer = await newFiler();
    await soldOn(filer, '2026-10-05');
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const key = { 'Idempotency-Key': 'k' };
    const first = await filer.change(id, { status: 'canceled' }, key);
    await settled(filer, id);
    await closedFiling(filer, 'MI', '2026-10-31');
    expect((await filer.change(id, { status: 'canceled' }, key)).text).toBe(first.text);
  });
});
