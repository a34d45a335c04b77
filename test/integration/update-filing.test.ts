import { describe, expect, it } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import { newCaller } from '../support/api.ts';
import { closedFiling, file, filerOf, settled, soldOn } from '../support/filings.ts';
import { creditOf, goods, made, metaOf, refusalOf } from '../support/sales.ts';

const newFiler = async (settings: Partial<Settings> = {}) => filerOf(await newCaller({ settings }));
const michigan = { state: 'MI', postal_code: '48226', country: 'US' };
const honolulu = { city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' };
const confirmed = { status: 'filed', confirmation_number: 'MI-1' };

describe('filing', () => {
  it('marks every transaction of the filing as filed, once', async () => {
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
    expect(Date.parse(filing.filed_at ?? '')).toBeGreaterThan(0);
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
    expect([half.status, half.filed_at, half.filings.map(({ state }) => state)]).toEqual([
      'finalized',
      null,
      ['US-MI'],
    ]);
    await file(filer, hi.id);
    const whole = await made(filer.get(id));
    expect([whole.status, whole.version]).toEqual(['filed', 3]);
    expect(whole.filings.map((filing) => filing.id).sort()).toEqual([mi.id, hi.id].sort());
  });

  it('marks each of many transactions once while credits are recorded', async () => {
    const filer = await newFiler();
    const sales: Transaction[] = [];
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

  it('allows credits of a filed sale', async () => {
    const filer = await newFiler();
    const parent = await soldOn(filer, '2026-10-05');
    await file(filer, (await closedFiling(filer, 'MI', '2026-10-31')).id);
    const credit = await filer.create(creditOf(parent, { tax_date: '2026-11-03' }));
    expect([credit.status, credit.body.tax_amount]).toEqual([201, '6.00']);
    expect(await made(filer.get(parent.id))).toMatchObject({ status: 'filed', refund_status: 'full' });
    expect(refusalOf(await filer.update(parent.id, { status: 'void' }))).toContain('409 | conflict_');
  });
});

describe('confirmation_number', () => {
  it.each(['closed', 'canceled', 'closing', 'marking'])('is refused with status %s', async (status) => {
    const filer = await newFiler();
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const answer = await filer.change(id, { status, confirmation_number: 'x' });
    expect(refusalOf(answer)).toBe('422 | validation_invalid_format /confirmation_number');
    expect(await made(filer.filing(id))).toMatchObject({ status: 'closed', confirmation_number: null });
  });

  it('cannot be changed once the filing is filed', async () => {
    const filer = await newFiler();
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    await file(filer, id, 'MI-1');
    const answer = await filer.change(id, { ...confirmed, confirmation_number: 'MI-2' });
    expect(refusalOf(answer)).toBe('409 | conflict_immutable_field /confirmation_number');
    expect((await made(filer.filing(id))).confirmation_number).toBe('MI-1');
  });

  it('is required with status filed', async () => {
    const filer = await newFiler();
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const missing = '422 | validation_required_field /confirmation_number';
    expect(refusalOf(await filer.change(id, { status: 'filed' }))).toBe(missing);
    expect(refusalOf(await filer.change(id, { status: 'filed', confirmation_number: '' }))).toBe(
      '422 | validation_invalid_format /confirmation_number',
    );
  });
});

it('marks a sale in a state whose return it does not await', async () => {
  const filer = await newFiler();
  const portland = { address: { city: 'Portland', state: 'OR', postal_code: '97201' } };
  const lines = [goods({ id: 'a' }), goods({ id: 'b', customer: portland })];
  const { id } = await soldOn(filer, '2026-10-05', '', { line_items: lines });
  const [michigan, oregon] = [
    await closedFiling(filer, 'MI', '2026-10-31'),
    await closedFiling(filer, 'OR', '2026-10-31'),
  ];
  await file(filer, michigan.id);
  expect(await made(filer.get(id))).toMatchObject({ status: 'filed', filings: [{ state: 'US-MI' }] });
  await file(filer, oregon.id);
  const filings = [{ state: 'US-MI' }, { state: 'US-OR' }];
  expect(await made(filer.get(id))).toMatchObject({ status: 'filed', filings });
  const { data } = await made(filer.call('GET', `/transactions/${id}/history`));
  expect(data.slice(0, 2).map(({ fields }) => fields)).toEqual([['filings'], ['filings', 'status']]);
});

describe('an acknowledgement of exceptions', () => {
  it('an acknowledgement of no exceptions is 0 or left out', async () => {
    const filer = await newFiler();
    await soldOn(filer, '2026-10-05');
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const wrong = await filer.change(id, { ...confirmed, acknowledge_exceptions: 1 });
    expect([refusalOf(wrong), metaOf(wrong)]).toMatchObject([
      '409 | conflict_exceptions_not_acknowledged /acknowledge_exceptions',
      { count: 0 },
    ]);
    expect((await filer.change(id, { ...confirmed, acknowledge_exceptions: 0 })).status).toBe(202);
  });

  it.each([-1, 1.5, '1', true])('is not %j', async (acknowledge_exceptions) => {
    const filer = await newFiler();
    expect(refusalOf(await filer.change('fil_none', { ...confirmed, acknowledge_exceptions }))).toBe(
      '422 | validation_invalid_format /acknowledge_exceptions',
    );
  });

  it('belongs to filed', async () => {
    const filer = await newFiler();
    expect(refusalOf(await filer.change('fil_none', { status: 'canceled', acknowledge_exceptions: 1 }))).toBe(
      '422 | validation_invalid_format /acknowledge_exceptions',
    );
  });
});

describe('an Idempotency-Key', () => {
  it('returns the first answer to a retry', async () => {
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
});
