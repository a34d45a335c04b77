import { ulid } from 'ulid';
import { describe, expect, inject, it } from 'vitest';
import { type Account, newAccount } from '../../shared/accounts/account.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import type { LiabilityEntry } from '../../shared/ledger/entries/entry.ts';
import { dueItem } from '../../shared/store/filings/due-index.ts';
import { closePorts } from '../../shared/store/filings/filing-ports.ts';
import { accountKey, accountRegisterKey, openEntryKey } from '../../shared/store/keys.ts';
import { openEntryItem } from '../../shared/store/ledger/open-entry-item.ts';
import { countDatabaseUse, putItems } from '../bench/database.ts';
import { newCaller } from '../support/api.ts';
import { callCounts, used } from '../support/count-calls.ts';
import { createFiler, type Filer, type Filing, newestFiling, settled, soldOn } from '../support/filings.ts';
import { hurriedCall, runSchedule } from '../support/gateway.ts';
import type { Answer } from '../support/http.ts';
import { dayMs, later, made } from '../support/sales.ts';
import { saleDocument } from '../support/transactions.ts';

// Must run first: an idle run reads no entries of other tests.
/** Returns the database calls of a schedule run, by command. */
const callsOfRun = () => callCounts(() => runSchedule('close-periods'), { accounts: true });

// One query of unfinished filings, eight of the due index, and one of the sweep position.
const idle = { GetItem: 1, Query: 9 };

it("an idle schedule run makes ten calls, and a due period without entries adds eleven plus its page's", async () => {
  const registrations = [{ state: 'MI', from: '2020-01-01', to: null, frequency: 'month' as const }];
  const lastMonth = new Date(now());
  lastMonth.setUTCDate(1);
  lastMonth.setUTCHours(12);
  const age = now() - lastMonth.setUTCMonth(lastMonth.getUTCMonth() - 1);
  // The review days of all previous months are over.
  // Reminders depend on the day of the month.
  const settings = { registrations, review_days: 0, filing_reminder_days: null };
  const caller = await later(-age, () => newCaller({ settings }));
  const first = await callsOfRun();
  expect((await made(createFiler(caller).filings())).data.map(({ status }) => status)).toEqual(['closed']);
  expect(await callsOfRun()).toEqual(idle);
  // The accounts of the page and a second query of the due index. Then the chain, eight shards, and the start and end
  // of the filing.
  const page = { BatchGetItem: 1, Query: 8 };
  const period = { BatchGetItem: 1, Query: 8, TransactWriteItems: 2 };
  // The register, its accounts, their chains, first days and entries, and the new position.
  const sweep = { BatchGetItem: 3, Query: 1, PutItem: 1 };
  const all = [idle, page, period, sweep];
  const sum = (name: string) => all.reduce((total, calls) => total + ((calls as Record<string, number>)[name] ?? 0), 0);
  expect(first).toEqual(Object.fromEntries(Object.keys(first).map((name) => [name, sum(name)])));
  expect(Object.values(period).reduce((a, b) => a + b)).toBe(11);
});

const { accounts: Accounts, transactions: Transactions } = environment.tables;
const states = 'AL AZ AR CA CO CT FL GA ID IL IN IA KS KY LA ME MD MA MI MN MS MO NE NV'.split(' ');
const count = 80;

const put = (table: string, items: readonly Readonly<Record<string, unknown>>[]) =>
  putItems(table, items.length, (index) => items[index] ?? {});

/** Writes accounts that are registered in some states, with a period due at an instant. */
const putAccounts = async (createdMs: number, inStates: readonly string[], at: string): Promise<readonly Account[]> => {
  const registrations = inStates.map((state) => ({ state, from: '2020-01-01', to: null, frequency: 'month' as const }));
  // The last month is due on any day of this month.
  const settings = { registrations, review_days: 0 };
  const all = Array.from({ length: count }, () =>
    newAccount({ name: 'Shop', serviceVersion: currentVersion, createdMs, settings }),
  );
  const due = all.flatMap(({ id }) => inStates.map((state) => dueItem({ account: id, state: `US-${state}`, at })));
  await put(
    Accounts,
    all.map((account) => ({ ...accountKey(account.id), ...account })),
  );
  await put(
    Accounts,
    all.map(({ id }) => accountRegisterKey(id)),
  );
  await put(Transactions, due);
  return all;
};

const getEntry = (state: string, month: string): LiabilityEntry => {
  const base = { taxable: 1000n, exempt: 0n };
  const place = {
    jurisdiction_code: state,
    jurisdiction_name: state,
    jurisdiction_type: 'state',
    reporting_code: null,
  } as const;
  const document = { ...saleDocument, tax_day: `${month}-01` };
  const amounts = [{ ...place, ...base, rate: '0.06', tax: 60n }];
  const transactionId = `txn_${ulid()}`;
  return { transactionId, state, month, currency: 'USD', version: 1, base: { ...base, tax: 0n }, amounts, document };
};

/** Runs the schedule until a run has nothing to do; returns the calls of all runs and the number of filings. */
const allRuns = async () => {
  const total = { calls: 0, created: 0, idle: 0 };
  for (let run = 0; run < 20; run++) {
    const { reads, writes } = await countDatabaseUse(async () => {
      const { created, failed } = await closePeriods(closePorts(() => 240_000));
      expect(failed).toBe(0);
      total.created += created;
      total.idle = created;
    });
    total.calls += reads + writes;
    if (total.idle === 0 && reads + writes <= 20) return { ...total, idle: reads + writes };
  }
  throw new Error('The schedule does not finish.');
};

it('with many accounts, an idle run makes at most 20 calls, and a period at most 12 more than its entries need', async () => {
  const today = new Date(now());
  const getFirst = (months: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, 1);
  await putAccounts(now(), states, new Date(getFirst(1)).toISOString());
  expect(await allRuns()).toMatchObject({ created: 0, idle: 10 });
  // The last month of each account has 0 to 3 entries.
  const createdMs = getFirst(0) - 15 * dayMs;
  const at = new Date(createdMs).toISOString();
  const entries = (await putAccounts(createdMs, ['MI'], at)).flatMap(({ id }, index) =>
    Array.from({ length: index % 4 }, () => ({ account: id, entry: getEntry('US-MI', at.slice(0, 7)) })),
  );
  await put(
    Transactions,
    entries.map(({ account, entry }) => openEntryItem(account, entry)),
  );
  const { calls, created } = await allRuns();
  expect([created, entries.length]).toEqual([count, 120]);
  // A shard with entries is read and written once more.
  const shards = new Set(entries.map(({ account, entry }) => openEntryKey(account, entry).pk)).size;
  expect((calls - 2 * shards) / count).toBeLessThanOrEqual(12);
  expect(calls / count).toBeGreaterThan(12);
});

const october = { state: 'MI', period_end: '2026-10-31' };
const key = { 'Idempotency-Key': 'k' };
const filed = { status: 'filed', confirmation_number: 'c' };
const sell = (filer: Filer, sales: number) =>
  Promise.all(Array.from({ length: sales }, () => soldOn(filer, '2026-10-05', '10.00')));

it('each request about filings makes the documented calls', async () => {
  const caller = await newCaller();
  const filer = createFiler(caller);
  // Leaves all work to later requests.
  const hurried = createFiler({ call: await hurriedCall(caller) });
  await sell(filer, 60);
  for (let at = 0; at < 8; at++) await soldOn(filer, '2026-10-05', '10.00', { tax_amount: '1.00' });
  let id = '';
  const settle = async () => {
    ({ id } = await settled(filer, (await newestFiling(filer)).id));
  };
  const november = () => later(40 * dayMs, () => hurried.close({ ...october, period_end: '2026-11-30' }));
  /** In order. A function without expected calls only prepares later requests. */
  const requests: [name: string, run: () => Promise<unknown>, calls?: Record<string, number>][] = [
    ['a list', () => filer.filings(), { Query: 1 }],
    // The chain, the period, the oldest open month of eight shards, and their entries.
    ['a dry run', () => filer.close({ ...october, dry_run: true }), { BatchGetItem: 1, GetItem: 1, Query: 16 }],
    // The key, the chain, the period, and the oldest open month of eight shards.
    ['a start', () => hurried.close(october, key), { GetItem: 2, BatchGetItem: 1, Query: 8, TransactWriteItems: 1 }],
    ['the rest', settle],
    ['a replay', () => filer.close(october, key), { GetItem: 1 }],
    [
      'an existing filing',
      () => filer.close(october, { 'Idempotency-Key': 'other' }),
      { GetItem: 3, BatchGetItem: 2, TransactWriteItems: 1 },
    ],
    ['a filtered list', () => filer.filings({ limit: '100', state: 'MI' }), { Query: 1 }],
    ['a list after a filing', () => filer.filings({ starting_after: id }), { GetItem: 1, Query: 1 }],
    // The head, and its eight shards.
    ['a filing', () => filer.filing(id), { BatchGetItem: 1, GetItem: 1 }],
    ['a filing as CSV', () => filer.filing(id, {}, { Accept: 'text/csv' }), { BatchGetItem: 1, GetItem: 1 }],
    ['a page of exceptions', () => filer.exceptions(id), { GetItem: 1, Query: 8 }],
    // The next period follows from the chain.
    ['a next period', november, { GetItem: 1, BatchGetItem: 1, TransactWriteItems: 1 }],
    [
      'a filed return',
      () => hurried.change(id, { ...filed, acknowledge_exceptions: 8 }, key),
      { GetItem: 2, BatchGetItem: 1, TransactWriteItems: 1 },
    ],
    ['the rest', settle],
    // Also reads the chain.
    [
      'a canceled filing',
      () => hurried.change(id, { status: 'canceled' }),
      { GetItem: 1, BatchGetItem: 2, TransactWriteItems: 1 },
    ],
  ];
  const counted: unknown[] = [];
  for (const [name, run, calls] of requests) counted.push([name, ...(calls ? [await callCounts(run)] : [await run()])]);
  expect(counted).toEqual(requests.map(([name, , calls]) => [name, calls]));
  const { data } = await made(filer.filings());
  const first = data.at(-1)?.id ?? '';
  // At most one call per shard, for any number of entries.
  for (const limit of ['1', '5', '100']) {
    const { Query = 0, ...others } = await callCounts(() => filer.filing(first, { expand: 'entries', limit }));
    expect([others, Query >= 1 && Query <= 8]).toEqual([{ BatchGetItem: 1, GetItem: 1 }, true]);
  }
});

it('closing a period makes one write per 49 entries of a shard, and one to end the filing', async () => {
  const filer = createFiler(await newCaller());
  await sell(filer, 120);
  const readWrites = async (run: () => Promise<Answer<Filing>>) => {
    const calls = await callCounts(async () => settled(filer, (await made(run())).id));
    return calls['TransactWriteItems'];
  };
  // 120 entries in eight shards: each has between 1 and 48.
  expect(await readWrites(() => filer.close(october))).toBe(1 + 8 + 1);
  const { id } = await newestFiling(filer);
  expect(await readWrites(() => filer.change(id, filed))).toBe(1 + 8 + 1);
});

// DynamoDB Local counts the indexes of a transaction twice.
describe.runIf(inject('emulator') === 'memory')('capacity units of a filing', () => {
  it('cost four write units per moved or marked entry, and two for indexes', async () => {
    const filer = createFiler(await newCaller());
    const written = async (run: () => Promise<Answer<Filing>>) => {
      const { writes, indexes } = await used(async () => settled(filer, (await made(run())).id));
      return { writes, indexes };
    };
    // It starts with head, chain, period, work item and eight shards. It then ends each shard, and finally head, chain
    // and work item.
    const empty = { writes: 2 * 12 + 2 * 8 + 2 * 3, indexes: {} };
    expect(await written(() => filer.close({ ...october, state: 'OH' }))).toEqual(empty);
    const entries = 80;
    await sell(filer, entries);
    // Each shard has some entries, and its last batch ends it.
    expect(await written(() => filer.close(october))).toEqual({
      writes: empty.writes + 4 * entries,
      indexes: {},
    });
    const { id } = await newestFiling(filer, { state: 'MI' });
    // No chain and no period, at the start and at the end; a head under 1 KB, and its audit entry.
    expect(await written(() => filer.change(id, filed))).toEqual({
      writes: empty.writes - 2 * 3 + (2 + 2) * entries,
      indexes: { by_account: entries, by_tax_date: entries },
    });
    const { table } = await used(() => filer.filing(id));
    // The head, and eight shards.
    expect(table).toBe(1 + 8);
  });
});
