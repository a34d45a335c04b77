import { describe, expect, it } from 'vitest';
import type { Account } from '../../shared/accounts/account.ts';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { sweepAccounts } from '../../shared/filings/close-periods.ts';
import type { Closed, FilingPorts } from '../../shared/filings/ports.ts';
import { workOn } from '../../shared/filings/work-on.ts';
import { changeSettings, findAccount } from '../../shared/store/accounts/account-store.ts';
import { closePorts, filingPorts } from '../../shared/store/filings/filing-ports.ts';
import { storedReminders } from '../../shared/store/filings/reminder-store.ts';
import { newCaller } from '../support/api.ts';
import { intercept, noFaults } from '../support/faults.ts';
import {
  closedFiling,
  createFiler,
  everyEntry,
  type Filer,
  listTotals,
  monthly,
  newFiler,
  soldOn,
} from '../support/filings.ts';
import { hurriedCall, runSchedule } from '../support/gateway.ts';
import { scannedItems } from '../support/raw-items.ts';
import { dayMs, getRefusal, hourMs, later, made } from '../support/sales.ts';

const closePeriods = (remainingMs?: () => number) => runSchedule('close-periods', remainingMs);

const registrations = [monthly('MI', '2020-01-01')];
const ohio = monthly('OH', '2020-01-01');

const columbus = { city: 'Columbus', state: 'OH', postal_code: '43215', country: 'US' };

/** Returns an account's filings, oldest first, in short form. */
const listed = async (filer: Filer): Promise<string[]> =>
  (await made(filer.filings({ limit: '100' }))).data
    .map(({ state, period_start, period_end, status }) => `${state} ${period_start} ${period_end} ${status}`)
    .reverse();

const lastMonths = (count: number): { start: string; end: string }[] => {
  const today = new Date(now());
  return Array.from({ length: count }, (_, at) => {
    const month = today.getUTCMonth() - count + at;
    const getDay = (month: number, day: number) =>
      new Date(Date.UTC(today.getUTCFullYear(), month, day)).toISOString().slice(0, 10);
    return { start: getDay(month, 1), end: getDay(month + 1, 0) };
  });
};

it('closes due periods of registered states, oldest first, including empty ones, and finds none the second time', async () => {
  const filer = await newFiler({ registrations });
  const months = lastMonths(3);
  const sale = await soldOn(filer, months[0]?.start as string);
  await closePeriods();
  expect(await listed(filer)).toEqual(months.map(({ start, end }) => `US-MI ${start} ${end} closed`));
  const [newest, , oldest] = (await made(filer.filings())).data;
  expect(oldest).toMatchObject({ asked_by: 'close-periods', frequency: 'month', progress: { entries_moved: 1 } });
  expect(newest?.summary).toEqual([]);
  expect((await filer.update(sale.id, { status: 'void' })).status).toBe(409);
  const before = await made(filer.filings());
  await closePeriods();
  expect(await made(filer.filings())).toEqual(before);
});

const TableName = environment.tables.transactions;

/**
 * Returns the due index entries of an account, as `instant state`. The test parses their keys without the service's
 * code.
 */
const dueEntries = async ({ id }: Account): Promise<string[]> =>
  (await scannedItems(TableName))
    .filter(({ pk, sk }) => /^DUE#\d$/.test(`${pk}`) && `${sk}`.split('#')[1] === id)
    .map(({ sk }) => String(sk).split('#'))
    .map(([at, , state]) => `${at} ${state}`)
    .sort();

/** Returns the first instant of a day, some months from now and some days into the month. */
const getStart = (months: number, days = 0): number => {
  const today = new Date(now());
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, 1 + days);
};
/** Returns the instant at which the schedule closes the month before, after the review days. */
const getClosing = (months: number, days = 3) => new Date(getStart(months, days)).toISOString();

describe('the due index', () => {
  const registered = { settings: { registrations } };
  const stored = async ({ account }: { readonly account: Account }) => (await findAccount(account.id)) as Account;

  it('contains one entry per registered state: within a day before the first filing, then on the closing day', async () => {
    const caller = await newCaller({ settings: { registrations: [...registrations, ohio] } });
    await closePeriods();
    const tomorrow = new Date(Math.ceil((now() + 1) / dayMs) * dayMs).toISOString();
    const [first = '', following] = [[getClosing(1), tomorrow].sort()[0], getClosing(2)];
    expect(await dueEntries(caller.account)).toEqual([`${first} US-MI`, `${first} US-OH`]);
    await later(getStart(1, 3) - now() + hourMs, async () => {
      await closePeriods();
      expect(await dueEntries(caller.account)).toEqual([`${following} US-MI`, `${following} US-OH`]);
    });
  });

  it('contains no entry until review days are set, so past orders can be imported first', async () => {
    const caller = await newCaller({ settings: { registrations, review_days: null } });
    const filer = createFiler(caller);
    await soldOn(filer, lastMonths(1)[0]?.start as string);
    await closePeriods();
    expect([await listed(filer), await dueEntries(caller.account)]).toEqual([[], []]);
    expect(await changeSettings(await stored(caller), { review_days: 3 })).toBe(true);
    await closePeriods();
    expect((await listed(filer)).map((line) => line.slice(-6))).toEqual(['closed']);
  });

  it('contains no entry of a state after its registration was removed before its first filing', async () => {
    const caller = await newCaller({ settings: { registrations: [...registrations, ohio] } });
    await closePeriods();
    expect(await changeSettings(await stored(caller), { registrations })).toBe(true);
    await later(dayMs, async () => {
      await closePeriods();
      expect((await dueEntries(caller.account)).map((entry) => entry.slice(-5))).toEqual(['US-MI']);
    });
  });

  it('closes the month of a sale before or between registrations within a day', async () => {
    const [before, gap = { start: '', end: '' }, after] = lastMonths(3);
    const two = [{ ...monthly('MI', '2020-01-01'), to: before?.end ?? null }, monthly('MI', '2100-01-01')];
    const filers = [
      await newFiler({ registrations }),
      await later(-100 * dayMs, () => newFiler({ registrations: two })),
    ];
    const [first, between] = filers as [Filer, Filer];
    await closePeriods();
    const ends = async (filer: Filer) => (await listed(filer)).map((line) => line.split(' ')[2]);
    const [firstEnds, betweenEnds] = [await ends(first), await ends(between)];
    expect([firstEnds, betweenEnds.at(-1)]).toEqual([[], before?.end]);
    await soldOn(first, gap.start);
    await soldOn(between, gap.start);
    await later(dayMs, async () => {
      await closePeriods();
      expect(await ends(first)).toEqual([gap.end, after?.end]);
      expect(await ends(between)).toEqual([...betweenEnds, gap.end]);
    });
  });

  it('sweeps a limited number of pages per run, and continues in the next run', async () => {
    const ids = (await Promise.all(Array.from({ length: 23 }, () => newCaller(registered)))).map(
      ({ account }) => account.id,
    );
    ids.sort();
    const asked: (string | null)[] = [];
    /** Pages the register with one account per page. */
    const accountIds = async (after: string | null) => {
      asked.push(after);
      const [first, ...others] = ids.filter((id) => after === null || id > after);
      return { rows: first ? [first] : [], next: others.length > 0 ? (first ?? null) : null };
    };
    const ports = { ...closePorts(() => 240_000), accountIds };
    await later(5 * dayMs, async () => {
      for (const pages of [20, 23, 23]) {
        expect(await sweepAccounts(ports)).toBe(0);
        expect(asked).toHaveLength(pages);
      }
    });
    expect(asked).toEqual([null, ...ids.slice(0, -1)]);
  });

  it('reminds the other accounts if the filings of one cannot be read, and retries that one on the next day', async () => {
    const reminded = { settings: { registrations, filing_reminder_days: [60] } };
    const [broken, other] = [await newCaller(reminded), await newCaller(reminded)];
    const accountIds = async () => ({ rows: [broken.account.id, other.account.id], next: null });
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => void failures.push(error);
    const ports = { ...closePorts(() => 240_000), accountIds, onFailure };
    const gone = new Error('The database has gone.');
    const isOfBroken = (input: string) => input.includes(TableName) && input.includes(broken.account.id);
    const countReminders = () =>
      Promise.all(
        [broken, other].map(async ({ account }) => (await Array.fromAsync(storedReminders(account.id))).length > 0),
      );
    await later(7 * dayMs, async () => {
      intercept(({ input, pass }) => (isOfBroken(JSON.stringify(input)) ? Promise.reject(gone) : pass()));
      expect(await sweepAccounts(ports).finally(noFaults)).toBe(1);
    });
    expect([failures, await countReminders()]).toEqual([[gone], [false, true]]);
    await later(8 * dayMs, async () => expect(await sweepAccounts(ports)).toBe(0));
    expect(await countReminders()).toEqual([true, true]);
  });

  it('processes accounts in turns: a backlog of one account delays other accounts by one period', async () => {
    // The account has been registered for 40 months, and none of them is closed.
    const [oldest] = lastMonths(40);
    const age = now() - Date.parse(oldest?.start as string) - hourMs;
    const backlog = await later(-age, () => newCaller(registered));
    const other = await newCaller({ settings: { registrations: [ohio] } });
    await soldOn(createFiler(other), lastMonths(1)[0]?.start as string, '1.00', { customer: { address: columbus } });
    await closePeriods();
    const pages = [backlog, other].map((of) => createFiler(of).filings({ limit: '100' }));
    const [long = [], [one] = []] = await Promise.all(pages.map(async (page) => (await made(page)).data));
    expect(long).toHaveLength(40);
    // The other account's period started before the backlog's third period.
    const earlier = long.filter(({ created_at }) => String(created_at) < String(one?.created_at));
    expect(earlier.length).toBeLessThanOrEqual(2);
  });

  it('continues where the last run stopped, not with older backlogs', async () => {
    const filerFor = async (months: number) => {
      const sinceMs = Date.parse(lastMonths(months)[0]?.start as string) + hourMs;
      return later(sinceMs - now(), () => newFiler({ registrations }));
    };
    const [backlogs, others]: Filer[][] = [[], []];
    for (let at = 0; at < 6; at++) backlogs?.push(await filerFor(5));
    for (let at = 0; at < 3; at++) others?.push(await filerFor(1));
    let runs = 0;
    let isComplete = false;
    // Each run reads the clock a few times before too little time is left for the longest step.
    for (; runs < 50 && !isComplete; runs++) {
      let leftMs = 41_000;
      const { complete } = (await closePeriods(() => (leftMs -= 1000))) as Closed;
      isComplete = complete;
    }
    expect(isComplete).toBe(true);
    expect(runs).toBeGreaterThan(2);
    const listInstants = (filers: Filer[] = []) =>
      Promise.all(
        filers.map(async (filer) =>
          (await made(filer.filings())).data.map(({ created_at }) => String(created_at)).reverse(),
        ),
      );
    const [long, short] = [await listInstants(backlogs), await listInstants(others)];
    expect([...long, ...short].map(({ length }) => length)).toEqual([5, 5, 5, 5, 5, 5, 1, 1, 1]);
    const last = short.flat().sort().at(-1) as string;
    for (const [, , third = ''] of long) expect(last <= third).toBe(true);
  });
});

describe('unfinished work of a close request', () => {
  const hurriedFiler = async (sales: number) => {
    const caller = await newCaller();
    const filer = createFiler(caller);
    for (let at = 0; at < sales; at++) await soldOn(filer, '2026-10-05', '10.00');
    return { caller, filer, hurried: createFiler({ call: await hurriedCall(caller) }) };
  };
  const october = { state: 'MI', period_end: '2026-10-31' };

  it('plans a step again if another worker has changed its shard, so two workers share the work', async () => {
    const { caller, filer, hurried } = await hurriedFiler(40);
    const { id } = (await hurried.close(october)).body;
    const ports = filingPorts(() => 240_000);
    const filing = await ports.filings.find(caller.account.id, id);
    if (!filing) throw new Error('The filing was not stored.');
    // The other worker has time for one entry of each shard.
    let checks = 0;
    const other: FilingPorts = { ...ports, stepEntriesMax: 1, remainingMs: () => (checks++ < 8 ? 1 : 0) };
    // The other seven shards also wait, so all steps of this worker are stale.
    let othersWork: Promise<boolean> | undefined;
    const commit: FilingPorts['filings']['commit'] = async (change) => {
      othersWork ??= workOn(filing, other, 0);
      expect(await othersWork).toBe(false);
      return ports.filings.commit(change);
    };
    expect(await workOn(filing, { ...ports, filings: { ...ports.filings, commit } }, 0)).toBe(true);
    const closed = await made(filer.filing(id));
    expect(closed).toMatchObject({ status: 'closed', progress: { entries_moved: 40, complete: true } });
    expect(listTotals(closed)).toEqual(['US-MI USD 400.00 0.00 400.00 24.00 40']);
    expect(await everyEntry(filer, id)).toHaveLength(40);
  });

  it('tries a failing state once per run, and continues to work on filings', async () => {
    const { hurried } = await hurriedFiler(40);
    await made(hurried.close(october));
    const { account } = await newCaller({ settings: { registrations, filing_reminder_days: null } });
    intercept(({ input, pass }) =>
      JSON.stringify(input).includes(`P#${account.id}#US-MI`) ? Promise.reject(new Error('No chain.')) : pass(),
    );
    let leftMs = 240_000;
    const closed = (await closePeriods(() => (leftMs -= 2000)).finally(noFaults)) as Closed;
    expect(closed).toMatchObject({ worked: 2, finished: 1, failed: 1, complete: false });
  });

  it('closes the period of a canceled filing only after the cancellation is finished', async () => {
    const { filer, hurried } = await hurriedFiler(3);
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    await made(hurried.change(id, { status: 'canceled' }));
    expect(getRefusal(await filer.close(october))).toBe('409 | conflict_filing_in_progress /period_end');
    await closePeriods();
    const again = await closedFiling(filer, 'MI', '2026-10-31');
    expect([again.id === id, again.progress.entries_moved]).toEqual([false, 3]);
  });
});
