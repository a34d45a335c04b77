import { describe, expect, it } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import { now } from '../../shared/config/clock.ts';
import type { FilingEntry } from '../../shared/filings/response.ts';
import { newCaller } from '../support/api.ts';
import {
  closedFiling,
  everyEntry,
  type Filer,
  type Filing,
  filerOf,
  settled,
  soldOn,
  summaryOf,
  totalsOf,
} from '../support/filings.ts';
import { dayMs, goods, later, made, metaOf, refusalOf, sale } from '../support/sales.ts';

const newFiler = async (settings: Partial<Settings> = {}) => filerOf(await newCaller({ settings }));
const october = { state: 'MI', period_end: '2026-10-31' };
/** Four percent to the state, and a half to the county. */
const honolulu = { address: { city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' } };
const idsOf = (entries: readonly FilingEntry[]): string[] => entries.map(({ transaction_id }) => transaction_id).sort();
const registered = (frequency: 'month' | 'quarter' | 'year', others: object = {}) => ({
  registrations: [{ state: 'MI', from: '2026-01-01', to: null, frequency, ...others }],
});

describe('closing a period', () => {
  it('returns 202 with the location, and moves the open entries into the filing', async () => {
    const filer = await newFiler();
    const sales = [await soldOn(filer, '2026-10-01'), await soldOn(filer, '2026-10-31T23:59:59.999Z', '50.00')];
    await soldOn(filer, '2026-11-01T00:00:00Z', '900.00');
    const answer = await filer.close(october);
    expect([answer.status, answer.headers.get('location')]).toEqual([202, `filings/${answer.body.id}`]);
    expect(answer.body).toMatchObject({ object: 'filing', state: 'US-MI', status: 'closing', entries: null });
    expect(answer.body).toMatchObject({ period_start: '2026-10-01', period_end: '2026-10-31', frequency: 'month' });
    expect(answer.body.progress).toEqual({
      entries_moved: 0,
      entries_marked: 0,
      entries_reopened: 0,
      complete: false,
    });
    const filing = await settled(filer, answer.body.id);
    expect(filing).toMatchObject({ status: 'closed', filed_at: null, canceled_at: null, confirmation_number: null });
    expect(filing.progress).toMatchObject({ entries_moved: 2, complete: true });
    expect(totalsOf(filing)).toEqual(['US-MI USD 150.00 0.00 150.00 9.00 2']);
    expect(filing.totals[0]?.rates.map(({ rate }) => rate)).toEqual(['0.06']);
    expect(summaryOf(filing)).toEqual(['USD 150.00 0.00 150.00 9.00 2']);
    expect(idsOf(await everyEntry(filer, filing.id))).toEqual(sales.map(({ id }) => id).sort());
    expect(Date.parse(filing.closed_at)).toBeGreaterThanOrEqual(Date.parse(filing.created_at ?? ''));
  });

  it('sums by state, jurisdiction, rate and currency, including exempt amounts', async () => {
    const filer = await newFiler();
    const [tea, fees] = [goods({ id: 'tea', quantity: '1', unit_price: '10.00' }), goods({ id: 'fees' })];
    await soldOn(filer, '2026-10-05', '10.00', { customer: honolulu });
    await soldOn(filer, '2026-10-06', '30.00', { customer: honolulu, currency: 'EUR' });
    await soldOn(filer, '2026-10-07', '', { line_items: [tea, { ...fees, product_tax_code: 'FOOD.GROCERY' }] });
    const [hawaii, michigan] = [
      await closedFiling(filer, 'Hawaii', '2026-10-31'),
      await closedFiling(filer, 'MI', '2026-10-31'),
    ];
    // 10.00 at 4.5 % are 0.45: 0.40 and 0.05. 30.00 are 1.35: 1.20 and 0.15.
    expect(totalsOf(hawaii)).toEqual([
      'US-HI EUR 30.00 0.00 30.00 1.20 1',
      'US-HI-00-003 EUR 30.00 0.00 30.00 0.15 1',
      'US-HI USD 10.00 0.00 10.00 0.40 1',
      'US-HI-00-003 USD 10.00 0.00 10.00 0.05 1',
    ]);
    expect(hawaii.totals.map((total) => [total.jurisdiction_name, total.jurisdiction_type])).toEqual([
      ['Hawaii', 'state'],
      ['Honolulu County', 'county'],
      ['Hawaii', 'state'],
      ['Honolulu County', 'county'],
    ]);
    // Each line counts once, with the tax of all levels.
    expect(summaryOf(hawaii)).toEqual(['EUR 30.00 0.00 30.00 1.35 1', 'USD 10.00 0.00 10.00 0.45 1']);
    expect(totalsOf(michigan)).toEqual(['US-MI USD 110.00 100.00 10.00 0.60 1']);
  });

  it('excludes drafts, voided sales and tax that is not collected', async () => {
    const filer = await newFiler(registered('month'));
    await soldOn(filer, '2026-10-05', '10.00');
    await made(filer.create(sale({ tax_date: '2026-10-05' })));
    const { id } = await soldOn(filer, '2026-10-05');
    await made(filer.update(id, { status: 'void' }));
    await soldOn(filer, '2026-10-05', '10.00', { customer: honolulu });
    expect(totalsOf(await closedFiling(filer, 'MI', '2026-10-31'))).toEqual(['US-MI USD 10.00 0.00 10.00 0.60 1']);
    expect(totalsOf(await closedFiling(filer, 'HI', '2026-10-31'))).toEqual([]);
  });

  it('closes an empty period, for a return of zero', async () => {
    const filer = await newFiler();
    const filing = await closedFiling(filer, 'MI', '2026-10-31');
    expect([filing.status, filing.totals, filing.summary]).toEqual(['closed', [], []]);
    expect(await everyEntry(filer, filing.id)).toEqual([]);
  });

  it('prevents only voids and tax changes of its transactions', async () => {
    const filer = await newFiler();
    const [{ id }, next] = [await soldOn(filer, '2026-10-05'), await soldOn(filer, '2026-11-05')];
    await closedFiling(filer, 'MI', '2026-10-31');
    expect(refusalOf(await filer.update(id, { status: 'void' }))).toBe('409 | conflict_period_closed /status');
    expect(refusalOf(await filer.update(id, { tax_amount: '5.00' }))).toBe('409 | conflict_period_closed /tax_amount');
    expect((await made(filer.update(id, { metadata: { a: '1' } }))).status).toBe('finalized');
    expect((await made(filer.update(next.id, { status: 'void' }))).status).toBe('void');
  });
});

describe('a dry run', () => {
  it('returns the totals of closing, and stores nothing', async () => {
    const filer = await newFiler();
    for (let at = 0; at < 5; at++) await soldOn(filer, `2026-10-0${at + 1}`, `${at + 1}0.00`);
    await soldOn(filer, '2026-10-07', '10.00', { customer: honolulu });
    const answer = await filer.close({ ...october, dry_run: true }, { 'Idempotency-Key': 'k' });
    expect([answer.status, answer.body.id, answer.body.status]).toEqual([200, null, 'dry_run']);
    expect(answer.headers.has('location')).toBe(false);
    expect((await made(filer.filings())).data).toEqual([]);
    const filing = await closedFiling(filer, 'MI', '2026-10-31');
    expect([filing.totals, filing.summary]).toEqual([answer.body.totals, answer.body.summary]);
    expect(totalsOf(filing)).toEqual(['US-MI USD 150.00 0.00 150.00 9.00 5']);
  });
});

it.each(['dryRun', 'dry-run', 'dryrun', 'DRY_RUN'])('closes nothing with the misspelled %s', async (name) => {
  const filer = filerOf(await newCaller());
  await soldOn(filer, '2026-09-30');
  const body = { state: 'MI', period_end: '2026-09-30', [name]: true };
  expect(refusalOf(await filer.call('POST', '/filings', { body }))).toBe(`422 | validation_unknown_field /${name}`);
  expect((await made(filer.filings())).data).toEqual([]);
});

describe('a dry run of any period', () => {
  const dry = async (filer: Filer, period_end: string) => {
    const { totals, summary, exceptions, progress } = await made(
      filer.close({ state: 'MI', period_end, dry_run: true }),
    );
    return { totals, summary, exceptions, count: progress.entries_moved };
  };

  /** The day of the month that is this many months from now. Day 0 is the last day of the month before. */
  const dayIn = (months: number, day: number): string => {
    const today = new Date(now());
    return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, day)).toISOString().slice(0, 10);
  };
  const endIn = (months: number) => dayIn(months + 1, 0);
  const registeredLong = registered('month', { from: '2025-01-01' });

  it('sums each period as if periods closed in order, including the running one', async () => {
    const filer = await newFiler(registeredLong);
    const days = [dayIn(-3, 5), endIn(-2), dayIn(-1, 1), endIn(-1), dayIn(0, 1), dayIn(0, 1)];
    for (const [at, day] of days.entries()) await soldOn(filer, day, `${at + 1}0.00`);
    const ends = [-3, -2, -1, 0].map(endIn);
    const before = await Promise.all(ends.map((end) => dry(filer, end)));
    expect(before.map(({ count }) => count)).toEqual([1, 1, 2, 2]);
    expect(before.map(({ summary }) => summary[0]?.gross_amount)).toEqual(['10.00', '20.00', '70.00', '110.00']);
    expect((await made(filer.filings())).data).toEqual([]);
    const closed: Filing[] = [];
    for (const end of ends.slice(0, 3)) closed.push(await closedFiling(filer, 'MI', end));
    expect(closed.map(({ totals, summary, exceptions }) => [totals, summary, exceptions])).toEqual(
      before
        .slice(0, 3)
        .map(({ totals, summary, exceptions }) => [totals, summary, { ...exceptions, transactions: null }]),
    );
    expect(await dry(filer, endIn(0))).toEqual(before[3]);
  });

  it('counts a late sale in the period that takes it, and in no other', async () => {
    const filer = await newFiler(registeredLong);
    await soldOn(filer, dayIn(-2, 5));
    await closedFiling(filer, 'MI', endIn(-2));
    await soldOn(filer, dayIn(-2, 6), '30.00');
    await soldOn(filer, dayIn(0, 1), '50.00');
    const grossOf = async (end: string) => (await dry(filer, end)).summary.map(({ gross_amount }) => gross_amount);
    expect([await grossOf(endIn(-1)), await grossOf(endIn(0))]).toEqual([['30.00'], ['50.00']]);
    // The closed one is its filing, without what came late.
    expect(await grossOf(endIn(-2))).toEqual(['100.00']);
  });

  it('refuses a period in the future, and names it', async () => {
    const filer = await newFiler(registeredLong);
    await soldOn(filer, dayIn(0, 1));
    const refused = await filer.close({ state: 'MI', period_end: endIn(1), dry_run: true });
    expect(refusalOf(refused)).toBe('409 | conflict_period_not_over /period_end');
    expect(metaOf(refused)).toMatchObject({ state: 'US-MI', period_end: endIn(1) });
    expect(refused.body.errors[0].detail).toContain(
      `from ${dayIn(1, 1)} to ${endIn(1)} is in the future. The running period, which ends on ${endIn(0)},`,
    );
    expect(refusalOf(await filer.close({ state: 'MI', period_end: dayIn(0, 15), dry_run: true }))).toBe(
      '422 | validation_invalid_format /period_end',
    );
  });

  it('needs the scope read only, and closing needs write', async () => {
    const reader = filerOf(await newCaller({ scopes: ['read'] }));
    expect((await reader.close({ ...october, dry_run: true })).status).toBe(200);
    for (const body of [october, { ...october, dry_run: false }, { ...october, dry_run: 'true' }, { dry_run: null }])
      expect(refusalOf(await reader.close(body))).toMatch(/^403 \| auth_forbidden/);
    expect((await reader.call('POST', '/filings', { rawBody: '{"dry_run": true' })).status).toBe(403);
    expect(refusalOf(await reader.close({ dry_run: true }))).toMatch(/^422/);
    const writer = filerOf(await newCaller({ scopes: ['write'] }));
    expect((await writer.close({ ...october, dry_run: true })).status).toBe(200);
    const neither = filerOf(await newCaller({ scopes: [] }));
    expect((await neither.close({ ...october, dry_run: true })).status).toBe(403);
  });
});

describe('a repeated request', () => {
  it('does not use up the Idempotency-Key in a dry run', async () => {
    const filer = await newFiler();
    const key = { 'Idempotency-Key': 'k' };
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const dry = await filer.close({ ...october, dry_run: true }, key);
    expect([dry.status, dry.body.id, dry.body.status]).toEqual([200, id, 'closed']);
    const real = await filer.close({ ...october, state: 'HI' }, key);
    expect([real.status, real.headers.get('idempotent-replayed')]).toEqual([202, null]);
  });

  it('returns the first answer to the same Idempotency-Key for 24 hours', async () => {
    const filer = await newFiler();
    await soldOn(filer, '2026-10-05');
    const key = { 'Idempotency-Key': 'k' };
    const first = await filer.close(october, key);
    await settled(filer, first.body.id);
    const again = await filer.close(october, key);
    expect([again.status, again.text, again.headers.get('location')]).toEqual([
      202,
      first.text,
      first.headers.get('location'),
    ]);
    expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(refusalOf(await filer.close({ ...october, state: 'HI' }, key))).toBe(
      '422 | idempotency_key_reused Idempotency-Key',
    );
    await later(dayMs, async () => expect((await filer.close(october, key)).body.status).toBe('closed'));
  });
});

describe('periods', () => {
  it.each<{ frequency: 'month' | 'quarter' | 'year'; tax_date: string; start: string; end: string }>([
    { frequency: 'month', tax_date: '2026-02-11', start: '2026-02-01', end: '2026-02-28' },
    { frequency: 'quarter', tax_date: '2026-08-11', start: '2026-07-01', end: '2026-09-30' },
    { frequency: 'year', tax_date: '2025-03-11', start: '2025-01-01', end: '2025-12-31' },
  ])('are $frequency by the registration', async ({ frequency, tax_date, start, end }) => {
    const filer = await newFiler(registered(frequency, { from: '2024-01-01' }));
    await soldOn(filer, tax_date, '10.00', { tax_amount: '0.60' });
    const filing = await closedFiling(filer, 'MI', end);
    expect(filing).toMatchObject({ period_start: start, period_end: end, frequency, progress: { entries_moved: 1 } });
  });

  it('end with the quarter for a quarterly registration', async () => {
    const filer = await newFiler(registered('quarter'));
    await soldOn(filer, '2026-07-05');
    const answer = await filer.close({ state: 'MI', period_end: '2026-08-31' });
    expect(refusalOf(answer)).toBe('422 | validation_invalid_format /period_end');
    expect(answer.body.errors[0].detail).toMatch(/2026-06-30.*2026-09-30/);
  });
});
