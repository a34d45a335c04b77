import { describe, expect, it } from 'vitest';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { now } from '../../shared/config/clock.ts';
import { provisionKey, revokeKey } from '../../shared/store/accounts/api-key-store.ts';
import { newCaller } from '../support/api.ts';
import { cancel, closedFiling, createFiler, soldOn } from '../support/filings.ts';
import { dayMs, getRefusal, later, made, startOnTestDay } from '../support/sales.ts';

startOnTestDay();

const monthly = (state: string, from: string, to: string | null = null) =>
  ({ state, from, to, frequency: 'month' }) as const;
/** Returns an account that files in these registrations. */
const filerIn = async (...registrations: ReturnType<typeof monthly>[]) =>
  createFiler(await newCaller({ settings: { registrations } }));
const readEnds = async (filer: ReturnType<typeof createFiler>, query = '') =>
  (await readPeriods(filer, query)).map(({ period_end }) => period_end);
const readPeriods = async (filer: ReturnType<typeof createFiler>, query = '') =>
  (await made(filer.call('GET', `/filing-periods${query}` as '/filing-periods'))).data.map(
    ({ state, period_end, is_over, closes_at, due_date }) => ({ state, period_end, is_over, closes_at, due_date }),
  );
/** Returns the last day of the month this many months ago (UTC). */
const monthEnd = (before: number): string => {
  const today = new Date(now());
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1 - before, 0)).toISOString().slice(0, 10);
};

describe('GET /account', () => {
  it("returns the credential's scopes and the account's settings", async () => {
    const registrations = [monthly('MI', '2026-01-01')];
    const { account, call } = await newCaller({ settings: { registrations, review_days: 5 }, scopes: ['read'] });
    expect(await made(call('GET', '/account'))).toMatchObject({
      object: 'account',
      id: account.id,
      scopes: ['read'],
      collects_in: 'registered_states',
      registrations: [{ state: 'US-MI', from: '2026-01-01', to: null, frequency: 'month' }],
      review_days: 5,
      draft_ttl_hours: 24,
      time_zone: 'UTC',
    });
    expect(JSON.stringify(await made(call('GET', '/account')))).not.toContain(account.cursor_secret);
  });

  it('distinguishes registrations that are not set from registrations everywhere', async () => {
    const answers = [
      [null, 'not_set'],
      ['all', 'every_state'],
    ] as const;
    for (const [registrations, collects_in] of answers) {
      const { call } = await newCaller({ settings: { registrations } });
      expect(await made(call('GET', '/account'))).toMatchObject({ collects_in, registrations: [] });
    }
  });
});

describe('overdue periods', () => {
  it('begin on the day after the due date, in the time zone of the account', async () => {
    // October in Michigan is due on 20 November. The test day is 24 November; September is over for two months.
    const at = async (instant: string, time_zone = 'UTC') => {
      const settings = { registrations: [monthly('MI', '2026-09-01')], books_open_from: '2026-09-01', time_zone };
      const filer = createFiler(await newCaller({ settings }));
      // An entry in September opens the period of September.
      await soldOn(filer, '2026-09-15');
      return later(Date.parse(instant) - now(), async () => {
        const { data } = await made(filer.call('GET', '/filing-periods'));
        return data.map(({ period_end, overdue }) => `${period_end.slice(0, 7)} ${overdue}`);
      });
    };
    // September is due on 20 October.
    expect(await at('2026-11-20T23:59:59Z')).toEqual(['2026-09 true', '2026-10 false', '2026-11 false']);
    expect(await at('2026-11-21T00:00:00Z')).toEqual(['2026-09 true', '2026-10 true', '2026-11 false']);
    expect(await at('2026-11-21T00:00:00Z', 'America/New_York')).toEqual([
      '2026-09 true',
      '2026-10 false',
      '2026-11 false',
    ]);
  });
});

describe('the names of keys', () => {
  it('show who closed and who filed, even after the key was revoked', async () => {
    const caller = await newCaller({ settings: { registrations: [monthly('MI', '2020-01-01')] } });
    const filer = createFiler(caller);
    const readKey = async (label: string) => {
      const secret = newApiKey();
      const terms = { scopes: ['read' as const, 'write' as const], expires_at: null, label };
      const { id } = await provisionKey({ account: caller.account.id, secret, ...terms });
      return { id, headers: { 'X-API-Key': secret } };
    };
    const [closer, sender] = [await readKey('Ann, finance'), await readKey('Tax adviser')];
    await soldOn(filer, monthEnd(2));
    const request = { body: { state: 'MI', period_end: monthEnd(2) }, headers: closer.headers };
    const { id } = await made(filer.call('POST', '/filings', request));
    const path = `/filings/${id}` as '/filings/{id}';
    expect(await made(filer.call('GET', path))).toMatchObject({ asked_by: closer.id, filed_by: null });
    await made(
      filer.call('POST', path, { body: { status: 'filed', confirmation_number: 'c-1' }, headers: sender.headers }),
    );
    expect(await made(filer.call('GET', path))).toMatchObject({ asked_by: closer.id, filed_by: sender.id });
    await revokeKey(caller.account.id, sender.id);
    const { api_keys } = await made(filer.call('GET', '/account'));
    // Keys that were created in the same millisecond have no order.
    expect(new Set(api_keys)).toEqual(
      new Set([
        { id: expect.stringMatching(/^key_/), label: null },
        { id: closer.id, label: 'Ann, finance' },
        { id: sender.id, label: 'Tax adviser' },
      ]),
    );
  });
});

describe('GET /filing-periods', () => {
  it('lists the periods from the oldest sale to the current one, and drops each filed period', async () => {
    const filer = await filerIn(monthly('MI', '2020-01-01'), monthly('OH', '2020-01-01'));
    await soldOn(filer, monthEnd(2));
    const before = await readPeriods(filer);
    expect(before.map(({ state, period_end, is_over }) => [state, period_end, is_over])).toEqual([
      ['US-MI', monthEnd(2), true],
      ['US-MI', monthEnd(1), true],
      ['US-MI', monthEnd(0), false],
      ['US-OH', monthEnd(0), false],
    ]);
    // Michigan's return is due by the 20th or the next business day; the default review time is three days.
    const [first] = before;
    expect(first?.due_date?.slice(0, 7)).toBe(monthEnd(1).slice(0, 7));
    expect(Number(first?.due_date?.slice(8))).toBeGreaterThanOrEqual(20);
    expect(first?.closes_at).toBe(`${monthEnd(1).slice(0, 8)}04T00:00:00.000Z`);
    const filing = await closedFiling(filer, 'MI', monthEnd(2));
    expect(await readEnds(filer, '?state=MI')).toEqual([monthEnd(1), monthEnd(0)]);
    await cancel(filer, filing.id);
    // The schedule does not close a period that a client canceled.
    expect((await readPeriods(filer, '?state=Michigan'))[0]).toMatchObject({
      period_end: monthEnd(2),
      closes_at: null,
    });
  });

  it('pages through the periods of several states', async () => {
    const filer = await filerIn(monthly('MI', '2020-01-01'), monthly('OH', '2020-01-01'));
    await soldOn(filer, monthEnd(40));
    const expected = [...Array(41).keys()].map((index) => ['US-MI', monthEnd(40 - index)]);
    const found: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `/filing-periods?limit=7${cursor && `&starting_after=${cursor}`}` as '/filing-periods';
      const page = await made(filer.call('GET', path));
      expect(page.has_more).toBe(page.next_cursor !== null);
      found.push(...page.data.map(({ state, period_end }) => [state, period_end]));
      cursor = page.next_cursor;
    }
    expect(found).toEqual([...expected, ['US-OH', monthEnd(0)]]);
  });

  it('rejects a cursor of a different state', async () => {
    const { call } = await filerIn(monthly('MI', '2020-01-01'), monthly('OH', '2020-01-01'));
    const { next_cursor } = await made(call('GET', '/filing-periods?limit=1' as '/filing-periods'));
    const path = `/filing-periods?limit=1&state=MI&starting_after=${next_cursor}` as '/filing-periods';
    expect(getRefusal(await call('GET', path))).toBe('422 | validation_invalid_cursor starting_after');
  });

  it('ends with the last registered period', async () => {
    const filer = await filerIn(monthly('MI', '2020-01-01', monthEnd(2)), monthly('OH', '2999-01-01'));
    await soldOn(filer, monthEnd(3));
    expect(await readEnds(filer)).toEqual([monthEnd(3), monthEnd(2)]);
  });

  it('includes a period with entries after the registration ended, which the schedule does not close', async () => {
    const filer = await filerIn(monthly('MI', '2020-01-01', monthEnd(2)));
    await soldOn(filer, monthEnd(2));
    await closedFiling(filer, 'MI', monthEnd(2));
    expect(await readPeriods(filer)).toEqual([]);
    await soldOn(filer, monthEnd(2));
    const [late, ...others] = await readPeriods(filer);
    expect(late).toMatchObject({ state: 'US-MI', period_end: monthEnd(1), is_over: true, closes_at: null });
    expect(others).toEqual([]);
    await closedFiling(filer, 'MI', monthEnd(1));
    expect(await readPeriods(filer)).toEqual([]);
  });

  it('omits months without entries after the registration ended', async () => {
    const filer = await filerIn(monthly('MI', '2020-01-01', monthEnd(4)));
    await soldOn(filer, monthEnd(4));
    await closedFiling(filer, 'MI', monthEnd(4));
    await soldOn(filer, monthEnd(1));
    expect(await readEnds(filer)).toEqual([monthEnd(1)]);
    await closedFiling(filer, 'MI', monthEnd(1));
    expect(await readPeriods(filer)).toEqual([]);
  });

  it('adds a period when a month ends', async () => {
    const filer = await filerIn(monthly('MI', '2020-01-01'));
    expect(await readPeriods(filer)).toHaveLength(1);
    expect(await later(62 * dayMs, () => readPeriods(filer))).toHaveLength(3);
  });

  it('is empty if registrations are not set', async () => {
    for (const registrations of [null, 'all'] as const)
      expect(await readPeriods(createFiler(await newCaller({ settings: { registrations } })))).toEqual([]);
  });
});
