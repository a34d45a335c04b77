import { describe, expect, it } from 'vitest';
import { openStream } from '../../infra/local/table-stream.ts';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { storedEvents } from '../../shared/cli/ledger/events.ts';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import type { ReminderEvent } from '../../shared/events/event.ts';
import { remind } from '../../shared/filings/reminders.ts';
import { provisionKey, revokeKey } from '../../shared/store/accounts/api-key-store.ts';
import { closePorts } from '../../shared/store/filings/filing-ports.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { eventFaults, readEvents } from '../support/events.ts';
import { intercept, noFaults, throttled } from '../support/faults.ts';
import {
  cancel,
  closedFiling,
  createFiler,
  dryRun,
  expectVerified,
  type Filer,
  type Filing,
  file,
  monthly,
  newestFiling,
  newFiler,
  soldOn,
} from '../support/filings.ts';
import { runSchedule } from '../support/gateway.ts';
import { buildCreditRequest, dayMs, everyRow, getRefusal, later, made } from '../support/sales.ts';

/** Creates an account with these registrations. Returns its client. */
const filerIn = (...registrations: ReturnType<typeof monthly>[]) => newFiler({ registrations });
const readEnds = async (filer: Filer, query = '') =>
  (await readPeriods(filer, query)).map(({ period_end }) => period_end);
const readPeriods = async (filer: Filer, query = '') =>
  (await made(filer.call('GET', `/filing-periods${query}` as '/filing-periods'))).data;
const at = <Value>(time: string, run: () => Promise<Value>) => later(Date.parse(time) - now(), run);
const noon = (day: string) => `${day}T12:00:00Z`;
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

  it('distinguishes registrations that are not set from registrations in every state', async () => {
    const readAccount = async (registrations: null | 'all') =>
      made((await newFiler({ registrations })).call('GET', '/account'));
    expect(await readAccount(null)).toMatchObject({ collects_in: 'not_set', registrations: [] });
    expect(await readAccount('all')).toMatchObject({ collects_in: 'every_state', registrations: [] });
  });
});

it('reports a period as overdue from the day after the due date, in the time zone of the account', async () => {
  // Michigan's September is due on 20 October, and its October on 20 November.
  const listOverdue = async (instant: string, time_zone = 'UTC') => {
    const registrations = [monthly('MI', '2026-09-01')];
    const filer = await newFiler({ registrations, books_open_from: '2026-09-01', time_zone });
    // An entry in September opens the period of September.
    await soldOn(filer, '2026-09-15');
    const periods = await at(instant, () => readPeriods(filer));
    return periods.map(({ period_end, overdue }) => `${period_end.slice(5, 7)} ${overdue}`).join();
  };
  expect(await listOverdue('2026-11-20T23:59:59Z')).toBe('09 true,10 false,11 false');
  expect(await listOverdue('2026-11-21T00:00:00Z')).toBe('09 true,10 true,11 false');
  expect(await listOverdue('2026-11-21T00:00:00Z', 'America/New_York')).toBe('09 true,10 false,11 false');
});

it('shows the names of the keys that closed and filed, even after a key was revoked', async () => {
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
  const { id } = await made(filer.close({ state: 'MI', period_end: monthEnd(2) }, closer.headers));
  expect(await made(filer.filing(id))).toMatchObject({ asked_by: closer.id, filed_by: null });
  await made(filer.change(id, { status: 'filed', confirmation_number: 'c-1' }, sender.headers));
  expect(await made(filer.filing(id))).toMatchObject({ asked_by: closer.id, filed_by: sender.id });
  await revokeKey(caller.account.id, sender.id);
  const { api_keys } = await made(filer.call('GET', '/account'));
  // Keys that were created in the same millisecond have no order.
  const named = [
    { id: expect.stringMatching(/^key_/), label: null },
    { id: closer.id, label: 'Ann, finance' },
  ];
  expect(new Set(api_keys)).toEqual(new Set([...named, { id: sender.id, label: 'Tax adviser' }]));
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
    const [canceled] = await readPeriods(filer, '?state=Michigan');
    expect(canceled).toMatchObject({ period_end: monthEnd(2), closes_at: null });
  });

  it('pages through the periods of several states', async () => {
    const filer = await filerIn(monthly('MI', '2020-01-01'), monthly('OH', '2020-01-01'));
    await soldOn(filer, monthEnd(40));
    const expected = [...Array(41).keys()].map((index) => ['US-MI', monthEnd(40 - index)]);
    const { rows } = await everyRow((after) => {
      const query = new URLSearchParams({ limit: '7', ...after });
      return filer.call('GET', `/filing-periods?${query}` as '/filing-periods');
    });
    expect(rows.map(({ state, period_end }) => [state, period_end])).toEqual([...expected, ['US-OH', monthEnd(0)]]);
  });

  it('rejects a cursor of a different state', async () => {
    const { call } = await filerIn(monthly('MI', '2020-01-01'), monthly('OH', '2020-01-01'));
    const { next_cursor } = await made(call('GET', '/filing-periods?limit=1' as '/filing-periods'));
    const path = `/filing-periods?limit=1&state=MI&starting_after=${next_cursor}` as '/filing-periods';
    expect(getRefusal(await call('GET', path))).toBe('422 | validation_invalid_cursor starting_after');
  });

  it('lists no period after the last registered one', async () => {
    const filer = await filerIn(monthly('MI', '2020-01-01', monthEnd(2)), monthly('OH', '2999-01-01'));
    await soldOn(filer, monthEnd(3));
    expect(await readEnds(filer)).toEqual([monthEnd(3), monthEnd(2)]);
  });

  it('lists each month with entries between two registrations, before and after the earlier periods are closed', async () => {
    const earlier = monthly('MI', '2020-01-01', monthEnd(7));
    const filer = await filerIn(earlier, monthly('MI', `${monthEnd(1).slice(0, 7)}-01`));
    for (const before of [7, 5, 3, 3]) await soldOn(filer, monthEnd(before));
    expect(await readEnds(filer)).toEqual([7, 5, 3, 1, 0].map(monthEnd));
    await closedFiling(filer, 'MI', monthEnd(7));
    expect(await readEnds(filer)).toEqual([5, 3, 1, 0].map(monthEnd));
    await closedFiling(filer, 'MI', monthEnd(5));
    expect(await readEnds(filer)).toEqual([3, 1, 0].map(monthEnd));
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

  it('lists late refunds and reopened entries of a state whose registration was removed', async () => {
    const caller = await newCaller({
      settings: { registrations: [monthly('MI', '2020-01-01')] },
      scopes: ['read', 'write', 'settings'],
    });
    const filer = createFiler(caller);
    const sold = await soldOn(filer, monthEnd(3));
    const filing = await closedFiling(filer, 'MI', monthEnd(3));
    const readRows = async (query: string) =>
      (await readPeriods(filer, query)).map((row) => [row.state, row.period_end, row.is_registered, row.closes_at]);
    expect((await readRows(''))[0]).toEqual(['US-MI', monthEnd(2), true, expect.any(String)]);
    await made(filer.call('POST', '/account', { body: { registrations: [monthly('OH', '2098-01-01')] } }));
    expect(await readRows('')).toEqual([]);
    await made(filer.create(buildCreditRequest(sold, { tax_date: monthEnd(1), credit_remaining: true })));
    for (const query of ['', '?state=MI']) expect(await readRows(query)).toEqual([['US-MI', monthEnd(1), false, null]]);
    expect(await readRows('?state=OH')).toEqual([]);
    expect((await closedFiling(filer, 'MI', monthEnd(1))).summary).toMatchObject([{ credit_count: 1 }]);
    expect(await readRows('')).toEqual([]);
    await cancel(filer, (await newestFiling(filer, { state: 'MI' })).id);
    await cancel(filer, filing.id);
    expect(await readRows('')).toEqual([['US-MI', monthEnd(3), false, null]]);
    await expectVerified(caller);
  });

  it('adds a period when a month ends', async () => {
    const filer = await filerIn(monthly('MI', '2020-01-01'));
    expect(await readPeriods(filer)).toHaveLength(1);
    expect(await later(62 * dayMs, () => readPeriods(filer))).toHaveLength(3);
  });

  it('returns no periods if registrations are not set', async () => {
    for (const registrations of [null, 'all'] as const) {
      const filer = await newFiler({ registrations });
      await soldOn(filer, monthEnd(1));
      for (const query of ['', '?state=MI']) expect(await readPeriods(filer, query)).toEqual([]);
    }
  });
});

/** Runs the schedule at a time (UTC). */
const runAt = (time: string) => at(time, () => runSchedule('close-periods'));

const fromNovember = (...states: string[]) => states.map((state) => monthly(state, '2026-11-01'));

const getDay = (day: number) => `2026-12-${String(day).padStart(2, '0')}`;

const isReminder = (event: object): event is ReminderEvent => 'text' in event;

/** The reminders of an account: the type, the day and time (UTC), the state, the status, the days left, and the amounts. */
const short = ({ event_type, occurred_at, filing }: ReminderEvent): string => {
  const amounts = filing.amounts_due?.map(({ amount, currency }) => `${amount} ${currency}`).join(', ') ?? 'unknown';
  const { state, status, days_until_due } = filing;
  return `${occurred_at.slice(5, 10)} ${event_type} ${state} ${status} ${days_until_due} ${amounts}`;
};

const readReminders = async ({ account }: Caller): Promise<ReminderEvent[]> => {
  const onFault = (what: string) => expect.fail(what);
  const walk = { account: account.id, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, onFault };
  return (await Array.fromAsync(storedEvents(walk))).filter(isReminder);
};
const readShort = async (caller: Caller) => (await readReminders(caller)).map(short).sort();

it('sends the reminders of a return once for each number of days and once when it is overdue, until it is filed', async () => {
  const stream = await openStream(environment.tables.transactions);
  const registrations = fromNovember('MI', 'OH', 'SC', 'VA');
  // November's returns are due on Monday 21 December in MI, SC and VA, because the 20th is a Sunday, and on the 23rd in
  // OH.
  const caller = await newCaller({ settings: { registrations, time_zone: 'America/New_York' } });
  const silent = await newCaller({ settings: { registrations, filing_reminder_days: null } });
  const late = await newCaller({ settings: { registrations: fromNovember('MI'), filing_reminder_days: [] } });
  const filer = createFiler(caller);
  const sold = await soldOn(filer, '2026-11-08', '200.00');
  await made(filer.create(buildCreditRequest(sold, { tax_date: '2026-11-09', credit_remaining: true })));
  await soldOn(filer, '2026-11-08', '150.00');
  await soldOn(filer, '2026-11-08', '10.00', { currency: 'EUR' });
  await runAt('2026-12-06T06:00:00Z');
  for (const [state, change] of [
    ['OH', (id: string) => file(filer, id)],
    ['VA', (id: string) => cancel(filer, id)],
  ] as const)
    await at('2026-12-06T07:00:00Z', async () => change((await newestFiling(filer, { state })).id));
  // The schedule does not run from 14 to 16 December.
  for (const day of [7, 8, 13, 17, 18, 19, 20, 21, 22]) {
    await runAt(`${getDay(day)}T06:00:00Z`);
    await runAt(`${getDay(day)}T06:05:00Z`);
  }
  const reminders = [
    '12-17 filing.due_soon US-MI closed 4 0.60 EUR, 9.00 USD',
    '12-17 filing.due_soon US-SC closed 4 ',
    '12-17 filing.due_soon US-VA open 4 unknown',
    '12-19 filing.due_soon US-MI closed 2 0.60 EUR, 9.00 USD',
    '12-19 filing.due_soon US-SC closed 2 ',
    '12-19 filing.due_soon US-VA open 2 unknown',
    '12-22 filing.overdue US-MI closed -1 0.60 EUR, 9.00 USD',
    '12-22 filing.overdue US-SC closed -1 ',
    '12-22 filing.overdue US-VA open -1 unknown',
  ];
  expect(await readShort(caller)).toEqual(reminders);
  expect(await readShort(silent)).toEqual([]);
  expect(await readShort(late)).toEqual(['12-22 filing.overdue US-MI closed -1 ']);

  // The same events are published, each once, and match their schemas.
  const published = (await readEvents(stream))
    .filter(isReminder)
    .filter(({ account }) => account === caller.account.id);
  expect(published.map(short).sort()).toEqual(reminders);
  expect(published.flatMap(eventFaults)).toEqual([]);
  const [first] = published.filter(({ filing }) => filing.state === 'US-MI');
  expect(first).toMatchObject({
    event_id: `${caller.account.id}.US-MI.2026-11-30.7.filing.due_soon`,
    text: 'The return of US-MI for 2026-11-01 to 2026-11-30 is due on 2026-12-21 (4 days left). The amount due is 0.60 EUR and 9.00 USD.',
  });
});

it('stores no reminder of an open period that is closed after it was read', async () => {
  const caller = await newCaller({ settings: { registrations: fromNovember('MI'), review_days: null } });
  const { reminders, ...ports } = closePorts(() => 240_000);
  const missing: typeof reminders.missing = async (read) => {
    if (read.some(({ status }) => status === 'open')) await closedFiling(createFiler(caller), 'MI', '2026-11-30');
    return reminders.missing(read);
  };
  await at('2026-12-19T06:00:00Z', () => remind(caller.account, { ...ports, reminders: { ...reminders, missing } }));
  expect(await readShort(caller)).toEqual(['12-19 filing.due_soon US-MI closed 2 ']);
});

it('sends no amount for a return while its period is closing', async () => {
  const caller = await newCaller({ settings: { registrations: fromNovember('MI'), review_days: null } });
  const filer = createFiler(caller);
  await soldOn(filer, '2026-11-08');
  let writes = 0;
  intercept(({ command, pass }) =>
    /^TransactWrite/.test(command) && ++writes > 1 ? Promise.reject(throttled()) : pass(),
  );
  const { body } = await at('2026-12-19T06:00:00Z', () => filer.close({ state: 'MI', period_end: '2026-11-30' }));
  noFaults();
  expect(body).toMatchObject({ status: 'closing' });
  await at('2026-12-19T06:00:01Z', () =>
    remind(
      caller.account,
      closePorts(() => 240_000),
    ),
  );
  expect(await readShort(caller)).toEqual(['12-19 filing.due_soon US-MI closing 2 unknown']);
});

it('counts days by the time zone of the account', async () => {
  const settings = { registrations: fromNovember('MI'), filing_reminder_days: [2] };
  const west = await newCaller({ settings: { ...settings, time_zone: 'Pacific/Honolulu' } });
  const east = await newCaller({ settings: { ...settings, time_zone: 'Pacific/Kiritimati' } });
  // It is 18 December in Honolulu, and 19 December in Kiritimati.
  await runAt('2026-12-18T12:00:00Z');
  expect([await readShort(west), await readShort(east)]).toEqual([[], ['12-18 filing.due_soon US-MI closed 2 ']]);
});

it('sends no reminder of a return that was due more than 30 days ago, and only the last of several due reminders', async () => {
  const settings = { registrations: [monthly('MI', '2026-08-01')] };
  const caller = await at(noon('2026-08-01'), () => newCaller({ settings }));
  // August was due on 21 September, and September on 20 October; October is due on 20 November.
  await runAt('2026-11-20T03:00:00Z');
  expect(await readShort(caller)).toEqual(['11-20 filing.due_soon US-MI closed 0 ']);
  await runAt('2026-11-21T03:00:00Z');
  expect(await readShort(caller)).toEqual([
    '11-20 filing.due_soon US-MI closed 0 ',
    '11-21 filing.overdue US-MI closed -1 ',
  ]);
});

// October was due on Friday 20 November. The account was not registered in October, so it has no return to send.
const [november, toSeptember] = [fromNovember('MI'), [monthly('MI', '2026-08-01', '2026-09-30')]];
const [tax, reminder] = [{ tax_amount: '6.00' }, '11-25 filing.overdue US-MI closed -5 6.00 USD'];
it.each([
  ['before a registration, without tax', november, {}, false, []],
  ['before a registration, with recorded tax', november, tax, true, [reminder]],
  ['after the last registration, without tax', toSeptember, {}, false, []],
  ['after the last registration, with refunded tax', toSeptember, { ...tax, type: 'credit' }, false, []],
] as const)(
  'reports a month without a registration as overdue only if it has tax: %s',
  async (_, own, others, overdue, due) => {
    const caller = await newCaller({ settings: { registrations: [...own], books_open_from: '2026-10-01' } });
    const filer = createFiler(caller);
    await soldOn(filer, '2026-10-10', '100.00', others);
    const { data } = await made(filer.call('GET', '/filing-periods'));
    expect(data[0]).toMatchObject({ period_end: '2026-10-31', overdue: false, days_until_due: null });
    for (const day of ['2026-11-25', '2026-11-26']) await runAt(noon(day));
    await closedFiling(filer, 'MI', '2026-10-31');
    const filing = await newestFiling(filer, { state: 'MI' });
    expect(filing).toMatchObject({ period_end: '2026-10-31', due_date: '2026-11-20', overdue });
    expect(await readShort(caller)).toEqual(due);
  },
);

it('returns whether a filing is overdue, the days left and the estimated discount', async () => {
  const kentucky = { customer: { address: { city: 'Louisville', state: 'KY', postal_code: '40202', country: 'US' } } };
  const registrations = ['KY', 'MD'].map((state) => monthly(state, '2026-10-01'));
  const filer = await newFiler({ registrations, filing_reminder_days: null });
  await soldOn(filer, '2026-10-08', '1000.00', kentucky);
  await soldOn(filer, '2026-11-08', '500.00', kentucky);
  const due = ({ overdue, days_until_due, vendor_discount_amount, vendor_discount_reason }: Filing) =>
    [overdue, days_until_due, vendor_discount_amount, vendor_discount_reason !== null] as const;
  const read = async (id: string) => due(await made(filer.filing(id)));
  const { id } = await at(noon('2026-11-05'), () => closedFiling(filer, 'KY', '2026-10-31'));
  // The return is due on 20 November. The discount is 1.75 % of the tax of 60.00.
  expect(await at(noon('2026-11-05'), () => read(id))).toEqual([false, 15, '1.05', false]);
  expect(await at(noon('2026-11-20'), () => read(id))).toEqual([false, 0, '1.05', false]);
  expect(await at(noon('2026-11-21'), () => read(id))).toEqual([true, -1, null, true]);
  const listed = await at(noon('2026-11-24'), async () => (await made(filer.filings({ state: 'KY' }))).data.map(due));
  expect(listed).toEqual([[true, -4, null, true]]);
  const preview = await at(noon('2026-11-24'), () => dryRun(filer, 'KY', '2026-11-30'));
  expect(due(preview)).toEqual([false, 27, '0.53', false]);
  // A return that was filed on time keeps its discount, and is not overdue later.
  await at(noon('2026-11-19'), () => file(filer, id));
  expect(await at(noon('2026-12-24'), () => read(id))).toEqual([false, null, '1.05', false]);
});
