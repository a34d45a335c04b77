/** Closing, filing and canceling a state's returns through the API. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import { now } from '../../shared/config/clock.ts';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import { database } from '../../shared/store/client/client.ts';
import { newCaller } from '../support/api.ts';
import {
  closedFiling,
  createFiler,
  everyEntry,
  type Filer,
  type Filing,
  file,
  getSummary,
  listTotals,
  settled,
  soldOn,
} from '../support/filings.ts';
import { creditOf, dayMs, getMeta, getRefusal, goods, later, made, sale } from '../support/sales.ts';

const newFiler = async (settings: Partial<Settings> = {}) => createFiler(await newCaller({ settings }));
const october = { state: 'MI', period_end: '2026-10-31' };
const confirmed = { status: 'filed', confirmation_number: 'MI-1' };
const key = { 'Idempotency-Key': 'k' };
const unknown = 'fil_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const replayed = { 'idempotent-replayed': 'true' };
const getHeaders = ({ headers }: { readonly headers: Headers }) => Object.fromEntries(headers);

describe('closing a period', () => {
  it('returns 202 with the location, and moves the open entries to the filing', async () => {
    const filer = await newFiler();
    const sales = [await soldOn(filer, '2026-10-01'), await soldOn(filer, '2026-10-31T23:59:59.999Z', '50.00')];
    await soldOn(filer, '2026-11-01T00:00:00Z', '900.00');
    const answer = await filer.close(october);
    expect([answer.status, answer.headers.get('location')]).toEqual([202, `filings/${answer.body.id}`]);
    expect(answer.body).toMatchObject({
      object: 'filing',
      state: 'US-MI',
      status: 'closing',
      entries: null,
      period_start: '2026-10-01',
      period_end: '2026-10-31',
      frequency: 'month',
      progress: { entries_moved: 0, entries_marked: 0, entries_reopened: 0, complete: false },
    });
    const filing = await settled(filer, answer.body.id);
    expect(filing).toMatchObject({
      status: 'closed',
      filed_at: null,
      canceled_at: null,
      confirmation_number: null,
      progress: { entries_moved: 2, complete: true },
    });
    expect([listTotals(filing), getSummary(filing)]).toEqual([
      ['US-MI USD 150.00 0.00 150.00 9.00 2'],
      ['USD 150.00 0.00 150.00 9.00 2'],
    ]);
    const entries = await everyEntry(filer, filing.id);
    expect(entries.map(({ transaction_id }) => transaction_id).sort()).toEqual(sales.map(({ id }) => id).sort());
    expect(Date.parse(filing.closed_at)).toBeGreaterThanOrEqual(Date.parse(filing.created_at ?? ''));
  });

  it('blocks only voids and tax changes of its transactions', async () => {
    const filer = await newFiler();
    const [{ id }, next] = [await soldOn(filer, '2026-10-05'), await soldOn(filer, '2026-11-05')];
    await closedFiling(filer, 'MI', '2026-10-31');
    expect(getRefusal(await filer.update(id, { status: 'void' }))).toBe('409 | conflict_period_closed /status');
    expect(getRefusal(await filer.update(id, { tax_amount: '5.00' }))).toBe('409 | conflict_period_closed /tax_amount');
    expect((await made(filer.update(id, { metadata: { a: '1' } }))).status).toBe('finalized');
    expect((await made(filer.update(next.id, { status: 'void' }))).status).toBe('void');
  });

  it.each(['dryRun', 'dry-run', 'DRY_RUN'])('rejects the misspelled %s', async (name) => {
    const filer = await newFiler();
    await soldOn(filer, '2026-09-30');
    const body = { state: 'MI', period_end: '2026-09-30', [name]: true };
    expect(getRefusal(await filer.call('POST', '/filings', { body }))).toBe(`422 | validation_unknown_field /${name}`);
    expect((await made(filer.filings())).data).toEqual([]);
  });

  it('returns the first response to the same Idempotency-Key for 24 hours, and a dry run does not use the key', async () => {
    const filer = await newFiler();
    await soldOn(filer, '2026-10-05');
    const dry = await filer.close({ ...october, dry_run: true }, key);
    expect([dry.status, dry.body.id, dry.headers.has('location')]).toEqual([200, null, false]);
    const first = await filer.close(october, key);
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([202, null]);
    await settled(filer, first.body.id);
    const again = await filer.close(october, key);
    expect([again.status, again.text]).toEqual([202, first.text]);
    expect(getHeaders(again)).toMatchObject({ ...replayed, location: first.headers.get('location') });
    expect(getRefusal(await filer.close({ ...october, state: 'HI' }, key))).toBe(
      '422 | idempotency_key_reused Idempotency-Key',
    );
    await later(dayMs, async () => expect((await filer.close(october, key)).body.status).toBe('closed'));
  });
});

describe('a dry run', () => {
  const dry = async (filer: Filer, period_end: string) => {
    const { totals, summary, exceptions, progress } = await made(
      filer.close({ state: 'MI', period_end, dry_run: true }),
    );
    return { totals, summary, exceptions, count: progress.entries_moved };
  };
  const readGross = async (filer: Filer, end: string) => (await dry(filer, end)).summary.map((row) => row.gross_amount);

  /** Returns the day of the month this many months from now. Day 0 is the last day of the previous month. */
  const dayIn = (months: number, day: number): string => {
    const today = new Date(now());
    return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, day)).toISOString().slice(0, 10);
  };
  const endIn = (months: number) => dayIn(months + 1, 0);
  const newMonthlyFiler = () =>
    newFiler({ registrations: [{ state: 'MI', from: '2025-01-01', to: null, frequency: 'month' }] });

  it('sums each period as if periods were closed in order, including the current one', async () => {
    const filer = await newMonthlyFiler();
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

  it('counts a late sale only in the period that will include it', async () => {
    const filer = await newMonthlyFiler();
    await soldOn(filer, dayIn(-2, 5));
    await closedFiling(filer, 'MI', endIn(-2));
    await soldOn(filer, dayIn(-2, 6), '30.00');
    await soldOn(filer, dayIn(0, 1), '50.00');
    expect([await readGross(filer, endIn(-1)), await readGross(filer, endIn(0))]).toEqual([['30.00'], ['50.00']]);
    // The closed period returns its filing, without late transactions.
    expect(await readGross(filer, endIn(-2))).toEqual(['100.00']);
  });

  it('rejects a period in the future, and names it', async () => {
    const filer = await newMonthlyFiler();
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

  it('requires only the read scope, while closing requires write', async () => {
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

describe('filing a return', () => {
  it('marks every transaction of the filing as filed, once', async () => {
    const filer = await newFiler();
    const parent = await soldOn(filer, '2026-10-05', '', { line_items: [goods({ id: 'item_1' })] });
    const line_items = [{ id: 'item_1', quantity: '1' }];
    const credit = await made(filer.create(creditOf(parent, { tax_date: '2026-10-06', line_items })));
    const late = await soldOn(filer, '2026-11-05');
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const answer = await filer.change(id, confirmed, key);
    expect([200, 202]).toContain(answer.status);
    const filing = await settled(filer, id);
    expect(filing).toMatchObject({
      ...confirmed,
      progress: { entries_moved: 2, entries_marked: 2, complete: true },
    });
    expect(Date.parse(filing.filed_at ?? '')).toBeGreaterThan(0);
    for (const transaction of [parent, credit]) {
      const stored = await made(filer.get(transaction.id));
      expect(stored).toMatchObject({ status: 'filed', filings: [{ id, state: 'US-MI', status: 'filed' }] });
      expect(stored.filed_at).toBe(stored.updated_at);
    }
    // The sale is version 1, its credit made it 2, and filing 3.
    expect((await made(filer.get(parent.id))).version).toBe(3);
    expect(await made(filer.get(late.id))).toMatchObject({ status: 'finalized', filings: [], version: 1 });
    const again = await filer.change(id, confirmed, key);
    expect([again.status, again.text]).toEqual([answer.status, answer.text]);
    expect(getHeaders(again)).toMatchObject(replayed);
    // A filed sale can be credited, but not voided. The confirmation number remains.
    expect(
      (await made(filer.create(creditOf(parent, { tax_date: '2026-11-03', credit_remaining: true })))).tax_amount,
    ).toBe('3.00');
    expect(await made(filer.get(parent.id))).toMatchObject({ status: 'filed', refund_status: 'full' });
    expect(getRefusal(await filer.update(parent.id, { status: 'void' }))).toContain('409 | conflict_');
    const other = await filer.change(id, { ...confirmed, confirmation_number: 'MI-2' });
    expect(getRefusal(other)).toBe('409 | conflict_immutable_field /confirmation_number');
    expect((await made(filer.filing(id))).confirmation_number).toBe('MI-1');
  });

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
    const answers = await Promise.all([correct('MI-2', 'MI-1'), correct('MI-3', 'MI-1')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.filter(({ status }) => status === 409).map(getRefusal)).toEqual([wrongPrevious]);
    const won = answers[0]?.status === 200 ? 'MI-2' : 'MI-3';
    // The same request again changes nothing.
    expect((await correct(won, 'MI-1')).status).toBe(200);
    const after = await made(filer.filing(id));
    const corrections = [{ at: expect.any(String), by: filed.filed_by, from: 'MI-1', to: won }];
    expect(after).toEqual({ ...filed, confirmation_number: won, corrections });
    for (let at = 1; at < 20; at++) await made(correct(at % 2 ? 'X' : 'Y', at === 1 ? won : at % 2 ? 'Y' : 'X'));
    expect(getRefusal(await correct('Z', 'X'))).toBe('409 | conflict_immutable_field /confirmation_number');
    expect((await made(filer.filing(id))).corrections).toHaveLength(20);
  });

  it('marks each of many transactions once while credits are recorded', async () => {
    const filer = await newFiler();
    const sales: Transaction[] = [];
    for (let block = 0; block < 10; block++)
      sales.push(...(await Promise.all(Array.from({ length: 12 }, () => soldOn(filer, '2026-10-05', '10.00')))));
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const credits = sales.slice(0, 10).map((parent) => filer.create(creditOf(parent, { tax_date: '2026-11-02' })));
    const [, ...answers] = await Promise.all([filer.change(id, confirmed), ...credits]);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect((await settled(filer, id)).progress.entries_marked).toBe(120);
    const read = await Promise.all(sales.map((one) => made(filer.get(one.id))));
    expect(read.map(({ status, filings, version }) => [status, filings.length, version])).toEqual(
      sales.map((_, at) => ['filed', 1, at < 10 ? 3 : 2]),
    );
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

  it('acknowledges no exceptions with 0 or without a number', async () => {
    const filer = await newFiler();
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const wrong = await filer.change(id, { ...confirmed, acknowledge_exceptions: 1 });
    expect([getRefusal(wrong), getMeta(wrong)]).toMatchObject([
      '409 | conflict_exceptions_not_acknowledged /acknowledge_exceptions',
      { count: 0 },
    ]);
    expect((await filer.change(id, { ...confirmed, acknowledge_exceptions: 0 })).status).toBeLessThan(300);
  });
});

describe('the order of errors', () => {
  it('for a filing is fields, 404, 409, then a cursor', async () => {
    const filer = await newFiler();
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    expect(getRefusal(await filer.change(unknown, { status: 'paid' }))).toBe('422 | validation_invalid_format /status');
    expect(getRefusal(await filer.change(unknown, { status: 'closing' }))).toBe('404 | not_found');
    expect(getRefusal(await filer.change(id, { status: 'closing' }))).toBe(
      '409 | conflict_invalid_status_transition /status',
    );
    const page = { expand: 'entries', starting_after: 'x.y' };
    expect(getRefusal(await filer.filing(unknown, { ...page, limit: '0' }))).toBe(
      '422 | validation_invalid_format limit',
    );
    expect(getRefusal(await filer.filing(unknown, page))).toBe('404 | not_found');
    expect(getRefusal(await filer.filing(id, page))).toBe('422 | validation_invalid_cursor starting_after');
  });

  it('for a period is invalid, not over, then out of order', async () => {
    const filer = await newFiler();
    await soldOn(filer, '2026-08-05');
    const close = async (period_end: string) => getRefusal(await filer.close({ state: 'MI', period_end }));
    expect(await close('2999-12-30')).toBe('422 | validation_invalid_format /period_end');
    expect(await close('2999-12-31')).toBe('409 | conflict_period_not_over /period_end');
    expect(await close('2026-10-31')).toBe('409 | conflict_period_order /period_end');
  });

  it('for a repeated change is fields, a replay, then 409', async () => {
    const filer = await newFiler();
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const cancel = await filer.change(id, { status: 'canceled' }, key);
    await settled(filer, id);
    expect(getRefusal(await filer.change(id, { status: 'canceled', confirmation_number: 'x' }, key))).toBe(
      '422 | validation_invalid_format /confirmation_number',
    );
    expect(getRefusal(await filer.change(id, confirmed, key))).toBe('422 | idempotency_key_reused Idempotency-Key');
    expect((await filer.change(id, { status: 'canceled' }, key)).text).toBe(cancel.text);
  });
});

describe('unknown fields', () => {
  it('are ignored with a warning, which a repeated request returns too', async () => {
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

  it('do not include response fields if a filing is sent back to mark it as filed', async () => {
    const filer = await newFiler();
    const filing = await closedFiling(filer, 'MI', '2026-10-31');
    const answer = await filer.change(filing.id, { ...filing, ...confirmed }, { Prefer: 'handling=strict' });
    expect([answer.status < 300, answer.body.warnings]).toEqual([true, []]);
  });
});

describe('work of a request before its response', () => {
  type Behavior = () => Promise<never>;
  const fail: Behavior = () => Promise.reject(new Error('The database has gone.'));
  const throttle: Behavior = () =>
    Promise.reject(Object.assign(new Error('Too much.'), { name: 'ThrottlingException' }));
  const hang: Behavior = () => new Promise<never>(() => {});

  /** Allows this many writes, and fails all later ones. */
  const breakAfter = (writes: number, behave: Behavior) => {
    let left = writes;
    database.middlewareStack.add(
      (next, context) => (sent) =>
        !/^TransactWrite/.test(String(context.commandName)) || left-- > 0 ? next(sent) : behave(),
      { step: 'initialize', name: 'break', priority: 'high' },
    );
  };
  const repair = () => void database.middlewareStack.remove('break');
  afterEach(repair);

  const newBusyFiler = async () => {
    const filer = await newFiler();
    for (let at = 0; at < 20; at++) await soldOn(filer, '2026-10-05', '10.00');
    return filer;
  };

  it.each([
    ['fails', fail],
    ['is throttled', throttle],
    ['hangs', hang],
  ])('%s, and another request finishes the period', async (_name, behave) => {
    const filer = await newBusyFiler();
    // The filing itself, and three steps.
    breakAfter(4, behave);
    const answer = await filer.close(october, key);
    repair();
    expect([answer.status, answer.body.status]).toEqual([202, 'closing']);
    const { id } = answer.body;
    expect(await made(filer.filing(id))).toMatchObject({ status: 'closing', progress: { complete: false } });
    expect((await filer.close(october, key)).text).toBe(answer.text);
    // Without the key, the request continues the work.
    await made(filer.close(october));
    expect(listTotals(await settled(filer, id))).toEqual(['US-MI USD 200.00 0.00 200.00 12.00 20']);
  });

  it('fails, and the return is still filed', async () => {
    const filer = await newBusyFiler();
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    breakAfter(3, fail);
    const filed = await filer.change(id, confirmed);
    repair();
    expect([filed.status, filed.body.status, (await made(filer.filing(id))).status]).toEqual([
      202,
      'marking',
      'marking',
    ]);
    await made(filer.change(id, confirmed));
    expect((await settled(filer, id)).progress.entries_marked).toBe(20);
  });

  it('does not start if the write of the filing fails', async () => {
    const filer = await newFiler();
    await made(filer.create(sale()));
    breakAfter(0, throttle);
    const answer = await filer.close(october);
    repair();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await made(filer.filings())).data).toEqual([]);
  });
});
