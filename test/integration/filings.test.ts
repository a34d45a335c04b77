/** Closing, filing and canceling a state's returns through the API. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import { now } from '../../shared/config/clock.ts';
import { database } from '../../shared/store/client/client.ts';
import { newCaller } from '../support/api.ts';
import {
  closedFiling,
  createFiler,
  type Filer,
  type Filing,
  file,
  listTotals,
  settled,
  soldOn,
} from '../support/filings.ts';
import { getMeta, getRefusal, goods, made, sale } from '../support/sales.ts';

const newFiler = async (settings: Partial<Settings> = {}) => createFiler(await newCaller({ settings }));
const october = { state: 'MI', period_end: '2026-10-31' };
const confirmed = { status: 'filed', confirmation_number: 'MI-1' };
const key = { 'Idempotency-Key': 'k' };
const unknown = 'fil_01ARZ3NDEKTSV4RRFFQ69G5FAV';

describe('closing a period', () => {
  it.each(['dryRun', 'dry-run', 'DRY_RUN'])('rejects the misspelled %s', async (name) => {
    const filer = await newFiler();
    await soldOn(filer, '2026-09-30');
    const body = { state: 'MI', period_end: '2026-09-30', [name]: true };
    expect(getRefusal(await filer.call('POST', '/filings', { body }))).toBe(`422 | validation_unknown_field /${name}`);
    expect((await made(filer.filings())).data).toEqual([]);
  });
});

describe('a dry run', () => {
  const dry = async (filer: Filer, period_end: string) => {
    const { totals, summary, exceptions, progress } = await made(
      filer.close({ state: 'MI', period_end, dry_run: true }),
    );
    return { totals, summary, exceptions, count: progress.entries_moved };
  };

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
