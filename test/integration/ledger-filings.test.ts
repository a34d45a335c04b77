/** The processing of filings: the order in which the schedule closes periods, and the size of a step. */

import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it } from 'vitest';
import type { Registration, Settings } from '../../shared/accounts/account.ts';
import { now } from '../../shared/config/clock.ts';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import { workOn } from '../../shared/filings/work-on.ts';
import { changeSettings } from '../../shared/store/accounts/account-store.ts';
import { closePorts } from '../../shared/store/filings/filing-ports.ts';
import { newCaller } from '../support/api.ts';
import { intercept, noFaults } from '../support/faults.ts';
import { cancel, closedFiling, createFiler, expectVerified, newestFiling, soldOn } from '../support/filings.ts';
import { hurriedCall, runSchedule } from '../support/gateway.ts';
import { readRawItems } from '../support/raw-items.ts';
import { later, made } from '../support/sales.ts';

afterEach(noFaults);

const october = { state: 'MI', period_end: '2026-10-31' };
const confirmed = { status: 'filed', confirmation_number: 'c-1' };
const day = '2026-10-08';
const columbus = { customer: { address: { city: 'Columbus', state: 'OH', postal_code: '43215', country: 'US' } } };

const registered = (...registrations: Omit<Registration, 'state'>[]): Partial<Settings> => ({
  registrations: registrations.map((registration) => ({ state: 'MI', ...registration })),
});
/** Returns an account, a client, and a client whose requests have no time to work on filings. */
const newFiler = async (settings: Partial<Settings> = {}) => {
  const caller = await newCaller({ settings });
  return { ...caller, filer: createFiler(caller), hurried: createFiler({ call: await hurriedCall(caller) }) };
};
const ports = closePorts(() => 1_000_000);

it('starts with the new filing frequency after the first period was canceled', async () => {
  const { account, filer } = await newFiler(registered({ from: '2026-01-01', to: null, frequency: 'month' }));
  await soldOn(filer, '2026-09-05');
  await cancel(filer, (await closedFiling(filer, 'MI', '2026-09-30')).id);
  await changeSettings(account, registered({ from: '2026-01-01', to: null, frequency: 'quarter' }));
  const quarter = await later(61_000, () => closedFiling(filer, 'MI', '2026-09-30'));
  expect(quarter).toMatchObject({ period_start: '2026-07-01', frequency: 'quarter', progress: { entries_moved: 1 } });
  await expectVerified({ account });
});

it('returns an existing filing for a dry run of its period, without continuing its work', async () => {
  const { filer, hurried } = await newFiler();
  await soldOn(filer, day);
  const { id } = await made(hurried.close(october));
  const unfinished = { id, status: 'closing', progress: { entries_moved: 0, complete: false } };
  expect(await made(filer.close({ ...october, dry_run: true }))).toMatchObject(unfinished);
  expect(await made(filer.filing(id))).toMatchObject(unfinished);
});

it('returns the filing of any closed period again, also after a later one was canceled', async () => {
  const { account, filer } = await newFiler();
  const ends = ['2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31'];
  const close = async (period_end: string) => (await closedFiling(filer, 'MI', period_end)).id;
  const ids: string[] = [];
  for (const end of ends) ids.push(await close(end));
  for (const [at, end] of ends.entries()) expect(await close(end)).toBe(ids[at]);
  await cancel(filer, ids[3] as string);
  for (const [at, end] of ends.slice(0, 3).entries()) expect(await close(end)).toBe(ids[at]);
  expect(await close('2026-10-31')).not.toBe(ids[3]);
  await expectVerified({ account });
});

// Due on 20 November in New York: 1.75 % of the tax of 60.00 is 1.05.
it('counts a return as filed on the day of the request, even if its transactions are marked on the next day', async () => {
  const registrations = [{ state: 'KY', from: '2026-10-01', to: null, frequency: 'month' as const }];
  const { filer, hurried } = await newFiler({ registrations, time_zone: 'America/New_York' });
  const kentucky = { customer: { address: { city: 'Louisville', state: 'KY', postal_code: '40202', country: 'US' } } };
  await soldOn(filer, day, '1000.00', kentucky);
  const { id } = await closedFiling(filer, 'KY', '2026-10-31');
  const at = <Value>(instant: string, run: () => Promise<Value>) => later(Date.parse(instant) - now(), run);
  await at('2026-11-21T04:59:00Z', () => made(hurried.change(id, confirmed)));
  await at('2026-11-21T05:10:00Z', () => runSchedule('close-periods'));
  expect(await made(filer.filing(id))).toMatchObject({ status: 'filed', vendor_discount_amount: '1.05' });
});

it('marks the transactions of a filing in smaller batches if they are large, each once', async () => {
  const { account, filer, hurried } = await newFiler();
  for (let at = 0; at < 30; at++) await soldOn(filer, day);
  const { id } = await closedFiling(filer, 'MI', '2026-10-31');
  await made(hurried.change(id, confirmed));
  const heads: number[] = [];
  await closePeriods({
    ...ports,
    // Every transaction counts as 1 MB.
    storedSize: () => 1_000_000,
    filings: {
      ...ports.filings,
      commit: (commit) => {
        heads.push(commit.heads?.length ?? 0);
        return ports.filings.commit(commit);
      },
    },
  });
  expect(await made(filer.filing(id))).toMatchObject({ status: 'filed', progress: { entries_marked: 30 } });
  await expectVerified({ account });
  expect(Math.max(...heads)).toBe(3);
});

it('closes periods even if another account fails', async () => {
  const settings = registered({ from: '2026-10-01', to: '2026-10-31', frequency: 'month' });
  const newShop = () => later(Date.parse('2026-10-01') - now(), () => newFiler(settings));
  const [good, bad] = [await newShop(), await newShop()];
  const failures: unknown[] = [];
  const throwUnreadable = () => {
    throw new Error('unreadable');
  };
  const closed = await closePeriods({
    ...ports,
    findAccounts: async (ids) => {
      const found = new Map(await ports.findAccounts(ids));
      return found.has(bad.account.id) ? found.set(bad.account.id, throwUnreadable) : found;
    },
    onFailure: (error) => failures.push(error),
  });
  expect(closed).toMatchObject({ created: 1, finished: 1, complete: false, failed: 1 });
  expect(failures).toHaveLength(1);
  expect(await newestFiling(good.filer)).toMatchObject({ period_end: '2026-10-31', status: 'closed' });
  // Later runs of this file close the period.
  await runSchedule('close-periods');
});

it('closes no further period of a state while a filing of the state is unfinished', async () => {
  const settings = registered({ from: '2026-09-01', to: '2026-10-31', frequency: 'month' });
  const { filer, hurried } = await later(Date.parse('2026-09-01') - now(), () => newFiler(settings));
  await soldOn(filer, '2026-09-05');
  await made(hurried.close({ state: 'MI', period_end: '2026-09-30' }));
  const listEnds = async () => (await made(filer.filings())).data.map(({ period_end }) => period_end);
  const find = () => Promise.reject(new Error('The filing cannot be read.'));
  await closePeriods({ ...ports, filings: { ...ports.filings, find }, onFailure: () => {} });
  expect(await listEnds()).toEqual(['2026-09-30']);
  for (let run = 0; run < 2; run++) await runSchedule('close-periods');
  expect(await listEnds()).toEqual(['2026-10-31', '2026-09-30']);
});

it('does not change a finished filing', async () => {
  const { account, filer } = await newFiler();
  await soldOn(filer, day);
  const { id } = await closedFiling(filer, 'MI', '2026-10-31');
  const filing = await ports.filings.find(account.id, id);
  if (!filing) throw new Error('There is none.');
  const before = await readRawItems(account.id);
  expect(await workOn(filing, ports, 0)).toBe(true);
  // A worker could have read the filing before it was closed.
  const earlier = { ...filing, status: 'closing', isUnfinished: true, version: filing.version - 1 } as const;
  expect(await workOn(earlier, ports, 0)).toBe(true);
  expect(await readRawItems(account.id)).toEqual(before);
});

it('works on every unfinished filing, even next to a very large one', async () => {
  const { filer, hurried } = await newFiler();
  for (const [state, others] of [['MI', {}] as const, ['OH', columbus] as const]) {
    for (let at = 0; at < 12; at++) await soldOn(filer, day, '1.00', others);
    await made(hurried.close({ ...october, state }));
  }
  // Each write takes a second, so neither filing can be finished.
  let remainingMs = 12_000;
  const closed = await closePeriods({
    ...closePorts(() => remainingMs),
    stepEntriesMax: 2,
    stepMsMax: 1000,
    filings: {
      ...ports.filings,
      commit: (commit) => {
        remainingMs -= 1000;
        return ports.filings.commit(commit);
      },
    },
  });
  expect(closed).toMatchObject({ finished: 0, complete: false, failed: 0 });
  for (const { progress } of (await made(filer.filings())).data) expect(progress.entries_moved).toBeGreaterThan(0);
  await runSchedule('close-periods');
});

it('works on a filing in several turns of one run', async () => {
  const { account, filer, hurried } = await newFiler();
  for (let at = 0; at < 20; at++) await soldOn(filer, day, '1.00');
  const { id } = await made(hurried.close(october));
  // Each write takes a second, and a worker's turn takes ten seconds.
  let remainingMs = 60_000;
  const commit = (change: Parameters<typeof ports.filings.commit>[0]) => {
    remainingMs -= 1000;
    return ports.filings.commit(change);
  };
  const timed = { ...closePorts(() => remainingMs), stepEntriesMax: 1, stepMsMax: 1000 };
  const { worked, complete } = await closePeriods({ ...timed, filings: { ...ports.filings, commit } });
  expect([worked > 2, complete, (await made(filer.filing(id))).status]).toEqual([true, true, 'closed']);
  expect((await readRawItems(account.id)).filter((item) => item.includes('"DUE#'))).toEqual([]);
});

it.each(['TransactionConflict', 'ThrottlingError'])(
  'continues with other filings if one has permanent contention (%s), and finishes it in the next run',
  async (code) => {
    const { account, filer, hurried } = await newFiler();
    await soldOn(filer, day);
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    await made(hurried.change(id, confirmed));
    const { id: other } = await made(hurried.close({ ...october, state: 'OH' }));
    const reasons = { $metadata: {}, CancellationReasons: [{ Code: 'None' }, { Code: code }] };
    intercept(async ({ input, pass }) => {
      const { TransactItems = [] } = input as { TransactItems?: { Put?: { Item?: { sk: string } } }[] };
      if (TransactItems.some(({ Put }) => Put?.Item?.sk === 'H'))
        throw new TransactionCanceledException({ message: 'Transaction cancelled.', ...reasons });
      return pass();
    });
    const errors: unknown[] = [];
    // Leaves too little time for long pauses.
    const remaining = { ...closePorts(() => 2050), stepMsMax: 0, onFailure: (error: unknown) => errors.push(error) };
    expect(await closePeriods(remaining)).toMatchObject({ finished: 1, complete: false, failed: errors.length });
    noFaults();
    expect(new Set(errors.map((error) => (error as Error).name))).toEqual(new Set(['ThrottlingException']));
    expect(await made(filer.filing(id))).toMatchObject({ status: 'marking', progress: { entries_marked: 0 } });
    expect((await made(filer.filing(other))).status).toBe('closed');
    await runSchedule('close-periods');
    expect((await made(filer.filing(id))).status).toBe('filed');
    await expectVerified({ account });
  },
);
