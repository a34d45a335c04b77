import { describe, expect, it } from 'vitest';
import type { Registration } from '../../shared/accounts/account.ts';
import type { Accepted } from '../../shared/base/result.ts';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import { listFilings } from '../../shared/filings/read-filings.ts';
import type { FilingList } from '../../shared/filings/response.ts';
import { workOn } from '../../shared/filings/work-on.ts';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import {
  cancelIt,
  close,
  closingMs,
  codesOf,
  creditsEverywhere,
  expectedTotals,
  fileIt,
  filingOf,
  judge,
  levies,
  membersOf,
  newFiler,
  type Posted,
  placesOf,
  portsFor,
  post,
  read,
  resume,
} from '../support/filing-ledger.ts';
import { plainSums } from '../support/filings.ts';

const state = 'US-MI';
const on = (day: string, cents: number, others: { type?: 'credit'; currency?: string } = {}) => ({
  day,
  levies: levies('MI', cents),
  ...others,
});

describe('late transactions', () => {
  it('are in the next period, sales and credits, in every shard', async () => {
    const account = newFiler();
    const posted = [await post(account, on('2026-09-08', 1001)), ...(await creditsEverywhere(account, '2026-09-30'))];
    const september = filingOf(await close(account, { period_end: '2026-09-30' }));
    const late = [await post(account, on('2026-09-08', 99)), ...(await creditsEverywhere(account, '2026-08-01'))];
    posted.push(...late);
    await judge(account, state, posted);
    const october = filingOf(await close(account));
    await judge(account, state, posted);
    expect((await membersOf(account, october.id)).map(({ transaction_id }) => transaction_id).sort()).toEqual(
      late.map(({ stored }) => stored.transaction.id).sort(),
    );
    expect((await read(account, september.id)).progress.entries_moved).toBe(9);
  });

  it('can make the amounts of a period negative', async () => {
    const account = newFiler();
    const posted = [await post(account, on('2026-10-08', 20_000, { type: 'credit' }))];
    const { id } = filingOf(await close(account));
    await judge(account, state, posted);
    expect((await read(account, id)).summary).toEqual([
      {
        currency: 'USD',
        gross_amount: '-200.10',
        taxable_amount: '-200.00',
        ...plainSums('-0.10', '-14.50'),
        credit_amount: '-200.10',
        credit_count: 1,
        count: 1,
      },
    ]);
  });
});

it('closes and files a period without entries', async () => {
  const account = newFiler();
  const { id } = filingOf(await close(account));
  expect(await read(account, id)).toMatchObject({ status: 'closed', totals: [], summary: [] });
  await fileIt(account, id);
  expect(await read(account, id)).toMatchObject({ status: 'filed', progress: { entries_marked: 0, complete: true } });
  await judge(account, state, []);
});

it('cancels the newest filing first, back to the beginning, and closes all periods again', async () => {
  const account = newFiler();
  const posted = [await post(account, on('2026-09-08', 1001)), await post(account, on('2026-10-08', 333))];
  const close2 = async () => [
    filingOf(await close(account, { period_end: '2026-09-30' })).id,
    filingOf(await close(account)).id,
  ];
  const [september = '', october = ''] = await close2();
  const refused = await cancelIt(account, september);
  expect(refused).toMatchObject({
    problems: [{ code: 'conflict_period_order', meta: { state, period_end: '2026-10-31' } }],
  });
  filingOf(await cancelIt(account, october));
  await judge(account, state, posted);
  filingOf(await cancelIt(account, september));
  await judge(account, state, posted);
  expect((await placesOf(account, state)).open).toHaveLength(2);
  const again = await close2();
  await judge(account, state, posted);
  expect(new Set([september, october, ...again]).size).toBe(4);
});

it('begins with the oldest open entry again after the first period was canceled', async () => {
  const account = newFiler();
  const posted = [await post(account, on('2026-09-05', 1001))];
  const { id } = filingOf(await close(account, { period_end: '2026-09-30' }));
  posted.push(await post(account, on('2026-02-05', 333)));
  filingOf(await cancelIt(account, id));
  await judge(account, state, posted);
  expect(await close(account, { period_end: '2026-09-30' })).toMatchObject({
    problems: [{ code: 'conflict_period_order', meta: { state, period_end: '2026-02-28' } }],
  });
  const february = filingOf(await close(account, { period_end: '2026-02-28' }));
  await judge(account, state, posted);
  expect((await membersOf(account, february.id)).map(({ month }) => month)).toEqual(['2026-02']);
});

it('allows any first period after an empty first one is canceled', async () => {
  const account = newFiler();
  const { id } = filingOf(await close(account, { period_end: '2023-01-31' }));
  filingOf(await cancelIt(account, id));
  filingOf(await close(account, { period_end: '2026-10-31' }));
});

it('begins again with another frequency after the first period was canceled', async () => {
  const account = newFiler();
  const posted = [await post(account, on('2026-09-05', 1001))];
  const { id } = filingOf(await close(account, { period_end: '2026-09-30' }));
  filingOf(await cancelIt(account, id));
  const registrations = [{ state: 'MI', from: '2026-01-01', to: null, frequency: 'quarter' as const }];
  const quarterly = { ...account, settings: { ...account.settings, registrations } };
  const quarter = filingOf(await close(quarterly, { period_end: '2026-09-30' }));
  expect(quarter).toMatchObject({ period_start: '2026-07-01', frequency: 'quarter' });
  await judge(account, state, posted);
});

it('refuses a filing of a state while another one is being canceled', async () => {
  const account = newFiler();
  await post(account, on('2026-10-08', 1001));
  const { id } = filingOf(await close(account));
  const inHaste = portsFor(account, { remainingMs: () => 2000 });
  filingOf(await cancelIt(account, id, inHaste));
  for (const period_end of ['2026-10-31', '2026-11-30'])
    expect(await close(account, { period_end })).toMatchObject({
      problems: [{ code: 'conflict_filing_in_progress', meta: { filing_id: id } }],
    });
  await resume(account);
  expect(filingOf(await close(account)).id).not.toBe(id);
});

describe('a dry run', () => {
  it('has the totals of the later filing, and stores nothing', async () => {
    const account = newFiler();
    const posted = [
      await post(account, on('2026-10-08', 1001)),
      await post(account, on('2026-09-08', 333)),
      ...(await creditsEverywhere(account, '2026-10-31')),
    ];
    const later = await post(account, on('2026-11-01', 5));
    const before = await placesOf(account, state);
    const wanted = { period_end: '2026-09-30' };
    filingOf(await close(account, wanted));
    const dry = filingOf(await close(account, { dry_run: true }));
    expect(dry).toMatchObject({ id: null, status: 'dry_run', created_at: null, progress: { entries_moved: 9 } });
    expect(before.filings).toEqual([]);
    expect((await placesOf(account, state)).filings).toHaveLength(1);
    const real = await read(account, filingOf(await close(account)).id);
    expect([dry.totals, dry.summary]).toEqual([real.totals, real.summary]);
    const members = posted.filter((_, at) => at !== 1);
    expect(real.totals?.map(({ tax_amount }) => tax_amount)).toEqual(
      expectedTotals(members, state).map(({ tax_amount }) => tax_amount),
    );
    await judge(account, state, [...posted, later]);
  });

  it('a dry run of a period with a filing returns it, and does not continue it', async () => {
    const account = newFiler();
    const posted = [await post(account, on('2026-10-08', 1001))];
    const { id } = filingOf(await close(account, {}, portsFor(account, { remainingMs: () => 2000 })));
    const dry = filingOf(await close(account, { dry_run: true }));
    expect(dry).toMatchObject({ id, status: 'closing', progress: { entries_moved: 0, complete: false } });
    expect(await read(account, id)).toMatchObject({ status: 'closing', progress: { entries_moved: 0 } });
    await resume(account);
    await judge(account, state, posted);
  });

  it('a dry run without enough time is refused', async () => {
    const account = newFiler();
    await post(account, on('2026-10-08', 1001));
    const ports = portsFor(account, { remainingMs: () => 1999 });
    expect(codesOf(await close(account, { dry_run: true }, ports))).toEqual(['validation_too_many_entries']);
    expect((await placesOf(account, state)).filings).toEqual([]);
  });
});

describe('the transactions of a filing', () => {
  it('are filed with the last of their states', async () => {
    const account = newFiler();
    const both = await post(account, { day: '2026-10-08', levies: [...levies('MI', 500), ...levies('OH', 700)] });
    const michigan = filingOf(await close(account)).id;
    const ohio = filingOf(await close(account, { state: 'US-OH' })).id;
    await fileIt(account, ohio);
    await judge(account, 'US-OH', [both]);
    await judge(account, state, [both]);
    await fileIt(account, michigan);
    await judge(account, 'US-OH', [both]);
    await judge(account, state, [both]);
    const { transaction } = (await ledger.find(account.id, both.stored.transaction.id)) ?? both.stored;
    expect(transaction).toMatchObject({ status: 'filed', version: 3 });
    expect(transaction.filed_at?.slice(0, 10)).toBe(new Date(closingMs).toISOString().slice(0, 10));
  });

  it('are marked in smaller batches if they are large, each once', async () => {
    const account = newFiler();
    const posted: Posted[] = [];
    for (let at = 0; at < 30; at++) posted.push(await post(account, on('2026-10-08', 100 + at)));
    const { id } = filingOf(await close(account));
    const heads: number[] = [];
    const { filings } = portsFor(account);
    const ports = portsFor(account, {
      stepEntriesMax: 49,
      // Every transaction counts as a megabyte.
      storedSize: () => 1_000_000,
      filings: {
        ...filings,
        commit: (commit) => {
          heads.push(commit.heads?.length ?? 0);
          return filings.commit(commit);
        },
      },
    });
    await fileIt(account, id, ports);
    await resume(account, ports);
    await judge(account, state, posted);
    expect(Math.max(...heads)).toBe(3);
  });
});

describe('periods', () => {
  const registered = (...registrations: Omit<Registration, 'state'>[]) =>
    newFiler({ registrations: registrations.map((registration) => ({ state: 'MI', ...registration })) });

  it('follow the registration: a refusal names the valid ends, or the next period', async () => {
    const account = registered(
      { from: '2026-01-01', to: '2026-09-30', frequency: 'quarter' },
      { from: '2026-10-01', to: null, frequency: 'month' },
    );
    await post(account, on('2026-05-08', 1));
    const problemOf = async (period_end: string) => {
      const answered = await close(account, { period_end });
      return answered.ok
        ? null
        : [answered.problems[0].code, answered.problems[0].meta?.['period_end'] ?? answered.problems[0].detail];
    };
    expect(await problemOf('2026-08-31')).toEqual([
      'validation_invalid_format',
      expect.stringMatching(/US-MI.*2026-06-30.*2026-09-30/),
    ]);
    expect(await problemOf('2026-11-30')).toEqual(['conflict_period_order', '2026-06-30']);
    expect(await problemOf('2026-12-31')).toEqual(['conflict_period_not_over', '2026-12-31']);
    for (const period_end of ['2026-06-30', '2026-09-30', '2026-10-31', '2026-11-30'])
      expect(filingOf(await close(account, { period_end }))).toMatchObject({ period_end });
    expect(await problemOf('2026-03-31')).toEqual(['conflict_period_order', '2026-12-31']);
  });

  it('are closed by the schedule in order, until the end of the last registration', async () => {
    const account = {
      ...registered(
        { from: '2026-01-15', to: '2026-04-30', frequency: 'quarter' },
        { from: '2026-08-10', to: '2026-10-05', frequency: 'month' },
      ),
      created_at: '2026-02-01T00:00:00.000Z',
    };
    const posted = [await post(account, on('2026-11-08', 77))];
    expect(await closePeriods(portsFor(account))).toEqual({
      created: 5,
      worked: 5,
      finished: 5,
      complete: true,
      failed: 0,
    });
    const { filings } = await placesOf(account, state);
    expect(filings.map(({ head }) => `${head['period_start']} ${head['period_end']} ${head['frequency']}`)).toEqual([
      '2026-01-01 2026-03-31 quarter',
      '2026-04-01 2026-04-30 quarter',
      '2026-08-01 2026-08-31 month',
      '2026-09-01 2026-09-30 month',
      '2026-10-01 2026-10-31 month',
    ]);
    expect(new Set(filings.map(({ head }) => head['asked_by']))).toEqual(new Set(['close-periods']));
    await judge(account, state, posted, 3);
    expect(await closePeriods(portsFor(account))).toMatchObject({ created: 0, complete: true });
  });

  it('between two registrations are closed by the schedule where they have entries, and by request', async () => {
    const account = {
      ...registered(
        { from: '2026-01-01', to: '2026-03-31', frequency: 'year' },
        { from: '2026-09-01', to: null, frequency: 'month' },
      ),
      created_at: '2026-02-01T00:00:00.000Z',
    };
    expect(filingOf(await close(account, { period_end: '2026-03-31' }))).toMatchObject({
      ...{ period_start: '2026-01-01', frequency: 'year' },
    });
    const requested = filingOf(await close(account, { period_end: '2026-04-30' }));
    expect(requested).toMatchObject({ period_start: '2026-04-01', frequency: 'month' });
    const posted = [await post(account, on('2026-06-08', 5))];
    await closePeriods(portsFor(account));
    const { filings } = await placesOf(account, state);
    expect(filings.map(({ head }) => `${head['period_start']} ${head['period_end']}`)).toEqual([
      '2026-01-01 2026-03-31',
      '2026-04-01 2026-04-30',
      '2026-06-01 2026-06-30',
      '2026-09-01 2026-09-30',
      '2026-10-01 2026-10-31',
      '2026-11-01 2026-11-30',
    ]);
    await judge(account, state, posted, 3);
    const late = await close(account, { period_end: '2026-05-31' });
    expect(late.ok ? null : late.problems[0].code).toBe('conflict_period_order');
  });

  it('canceled periods are not closed by the schedule until they are closed by request', async () => {
    const account = registered({ from: '2026-01-01', to: null, frequency: 'month' });
    expect(await closePeriods(portsFor(account))).toMatchObject({ created: 2, finished: 2 });
    const { filings } = await placesOf(account, state);
    filingOf(await cancelIt(account, filings[1]?.id ?? ''));
    expect(await closePeriods(portsFor(account))).toMatchObject({ created: 0, complete: true });
    filingOf(await close(account, { period_end: '2026-11-30' }));
    // The default of review_days is 3.
    const at = (now: string) => portsFor(account, { now: () => Date.parse(now) });
    expect(await closePeriods(at('2027-01-03T23:59:59.999Z'))).toMatchObject({ created: 0, complete: true });
    expect(await closePeriods(at('2027-01-04T00:00:00.000Z'))).toMatchObject({ created: 1, finished: 1 });
    await judge(account, state, []);
  });

  it('periods of one account are closed even if another account fails', async () => {
    const [good, bad] = [0, 1].map(() => registered({ from: '2026-10-01', to: '2026-10-31', frequency: 'month' }));
    if (!good || !bad) throw new Error('There are two.');
    const failures: unknown[] = [];
    const ports = portsFor(good, {
      accountIds: async () => ({ ids: [bad.id, good.id], next: null }),
      findAccounts: async (ids) =>
        new Map(
          ids.map((id) => [
            id,
            () => {
              if (id === bad.id) throw new Error('unreadable');
              return good;
            },
          ]),
        ),
      onFailure: (error) => failures.push(error),
    });
    expect(await closePeriods(ports)).toEqual({ created: 1, worked: 1, finished: 1, complete: false, failed: 1 });
    expect(failures).toHaveLength(1);
    await judge(good, state, []);
  });
});

it('does nothing with a finished filing', async () => {
  const account = newFiler();
  await post(account, on('2026-10-08', 1001));
  const { id } = filingOf(await close(account));
  const filing = await portsFor(account).filings.find(account.id, id);
  if (!filing) throw new Error('There is none.');
  const before = await placesOf(account, state);
  expect(await workOn(filing, portsFor(account), 0)).toBe(true);
  // A worker may have read the filing before it was closed.
  expect(
    await workOn(
      { ...filing, status: 'closing', isUnfinished: true, version: filing.version - 1 },
      portsFor(account),
      0,
    ),
  ).toBe(true);
  expect(await placesOf(account, state)).toEqual(before);
});

it('lists many filings in pages, each once, newest first', async () => {
  const account = newFiler({ registrations: [{ state: 'MI', from: '2025-01-01', to: null, frequency: 'month' }] });
  await closePeriods(portsFor({ ...account, created_at: '2025-01-01T00:00:00.000Z' }));
  const seen: (string | null)[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listFilings>> = await listFilings(
      { limit: 7, starting_after: after ?? undefined, state },
      account,
      portsFor(account),
    );
    if (!page.ok) throw new Error('No such page.');
    seen.push(...page.value.data.map(({ period_end }) => period_end));
    after = page.value.next_cursor;
  } while (after !== null);
  expect(seen).toHaveLength(23);
  expect(seen).toEqual([...seen].sort().reverse());
});

it('works on every unfinished filing, even beside a very large one', async () => {
  const account = newFiler();
  for (const of of ['MI', 'OH']) {
    for (let at = 0; at < 12; at++) await post(account, { day: '2026-10-08', levies: levies(of, 100 + at) });
    filingOf(await close(account, { state: `US-${of}` }, portsFor(account, { remainingMs: () => 2000 })));
  }
  // Each write takes a second, so neither filing can be finished.
  let remainingMs = 12_000;
  const { filings } = portsFor(account);
  const ports = {
    stepMsMax: 1000,
    remainingMs: () => remainingMs,
    filings: {
      ...filings,
      commit: (commit: Parameters<typeof filings.commit>[0]) => {
        remainingMs -= 1000;
        return filings.commit(commit);
      },
    },
  };
  expect(await resume(account, ports)).toMatchObject({ finished: 0, complete: false, failed: 0 });
  const { data } = ((await listFilings({ limit: 9 }, account, portsFor(account))) as Accepted<FilingList>).value;
  for (const { progress } of data) expect(progress.entries_moved).toBeGreaterThan(0);
});
