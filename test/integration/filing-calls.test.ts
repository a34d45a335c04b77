import { describe, expect, inject, it } from 'vitest';
import { now } from '../../shared/config/clock.ts';
import { newCaller } from '../support/api.ts';
import { callCounts, used } from '../support/count-calls.ts';
import {
  createFiler,
  type Filer,
  type Filing,
  monthly,
  newestFiling,
  newFiler,
  settled,
  soldOn,
} from '../support/filings.ts';
import { hurriedCall, runSchedule } from '../support/gateway.ts';
import type { ApiResponse } from '../support/http.ts';
import { dayMs, later, made } from '../support/sales.ts';

/** Returns the database calls of a schedule run, by command. */
const callsOfRun = () => callCounts(() => runSchedule('close-periods'), { accounts: true });

// Eight queries of the due index, and one read of the sweep position.
const idle = { GetItem: 1, Query: 8 };

// Must run first: an idle run reads no entries of other tests.
it('makes nine calls in an idle schedule run, plus eleven and the reads of a page for each due period without entries', async () => {
  const registrations = [monthly('MI', '2020-01-01')];
  const lastMonth = new Date(now());
  lastMonth.setUTCDate(1);
  lastMonth.setUTCHours(12);
  const age = now() - lastMonth.setUTCMonth(lastMonth.getUTCMonth() - 1);
  // The review days of all previous months are over.
  // Reminders depend on the day of the month.
  const settings = { registrations, review_days: 0, filing_reminder_days: null };
  const callers = await later(-age, () => Promise.all([1, 2, 3].map(() => newCaller({ settings }))));
  const first = await callsOfRun();
  for (const caller of callers)
    expect((await made(createFiler(caller).filings())).data.map(({ status }) => status)).toEqual(['closed']);
  expect(await callsOfRun()).toEqual(idle);
  // A page reads its accounts together, and queries the due index again. A period reads the chain and eight shards, and
  // writes the start and end of the filing.
  const page = { BatchGetItem: 1, Query: 8 };
  const period = { BatchGetItem: 1, Query: 8, TransactWriteItems: 2 };
  // The sweep reads the register and its accounts, which have no reminders, and writes its new position.
  const sweep = { BatchGetItem: 1, Query: 1, PutItem: 1 };
  const all = [idle, page, ...callers.map(() => period), sweep];
  const sum = (name: string) => all.reduce((total, calls) => total + ((calls as Record<string, number>)[name] ?? 0), 0);
  expect(first).toEqual(Object.fromEntries(Object.keys(first).map((name) => [name, sum(name)])));
  expect(Object.values(period).reduce((a, b) => a + b)).toBe(11);
});

const october = { state: 'MI', period_end: '2026-10-31' };
const key = { 'Idempotency-Key': 'k' };
const other = { 'Idempotency-Key': 'other' };
const filed = { status: 'filed', confirmation_number: 'c' };
const sell = (filer: Filer, sales: number) =>
  Promise.all(Array.from({ length: sales }, () => soldOn(filer, '2026-10-05', '10.00')));

it('makes the documented calls for each request about filings', async () => {
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
  const [known, canceled] = [{ ...filed, acknowledge_exceptions: 8 }, { status: 'canceled' }];
  const november = () => later(40 * dayMs, () => hurried.close({ ...october, period_end: '2026-11-30' }));
  /** The requests in order. A function without expected calls only prepares later requests. */
  const requests: [name: string, run: () => Promise<unknown>, calls?: Record<string, number>][] = [
    ['a list', () => filer.filings(), { Query: 1 }],
    // Reads the chain, the oldest open month of eight shards, and their entries.
    ['a dry run', () => filer.close({ ...october, dry_run: true }), { BatchGetItem: 1, Query: 16 }],
    // Reads the key, the chain, and the oldest open month of eight shards.
    ['a start', () => hurried.close(october, key), { GetItem: 1, BatchGetItem: 1, Query: 8, TransactWriteItems: 1 }],
    ['the rest', settle],
    ['a replay', () => filer.close(october, key), { GetItem: 1 }],
    ['an existing filing', () => filer.close(october, other), { GetItem: 2, BatchGetItem: 2, TransactWriteItems: 1 }],
    ['a filtered list', () => filer.filings({ limit: '100', state: 'MI' }), { Query: 1 }],
    ['a list after a filing', () => filer.filings({ starting_after: id }), { GetItem: 1, Query: 1 }],
    // Reads the head and its eight shards.
    ['a filing', () => filer.filing(id), { BatchGetItem: 1, GetItem: 1 }],
    ['a filing as CSV', () => filer.filing(id, {}, { Accept: 'text/csv' }), { BatchGetItem: 1, GetItem: 1 }],
    ['a page of exceptions', () => filer.exceptions(id), { GetItem: 1, Query: 8 }],
    // The next period follows from the chain.
    ['a next period', november, { BatchGetItem: 1, TransactWriteItems: 1 }],
    ['a filed return', () => hurried.change(id, known, key), { GetItem: 2, BatchGetItem: 1, TransactWriteItems: 1 }],
    ['the rest', settle],
    // The cancellation also reads the chain.
    ['a canceled filing', () => hurried.change(id, canceled), { GetItem: 1, BatchGetItem: 2, TransactWriteItems: 1 }],
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

it('makes one write per 49 entries of a shard, and one to end the filing, to close a period', async () => {
  const filer = await newFiler();
  await sell(filer, 120);
  const readWrites = async (run: () => Promise<ApiResponse<Filing>>) => {
    const calls = await callCounts(async () => settled(filer, (await made(run())).id));
    return calls['TransactWriteItems'];
  };
  // The period has 120 entries in eight shards. Each shard has between 1 and 48.
  expect(await readWrites(() => filer.close(october))).toBe(1 + 8 + 1);
  const { id } = await newestFiling(filer);
  expect(await readWrites(() => filer.change(id, filed))).toBe(1 + 8 + 1);
});

// DynamoDB Local counts the indexes of a transaction twice.
describe.runIf(inject('emulator') === 'memory')('capacity units of a filing', () => {
  it('charges four write units per moved or marked entry, and two for indexes', async () => {
    const filer = await newFiler();
    const written = async (run: () => Promise<ApiResponse<Filing>>) => {
      const { writes, indexes } = await used(async () => settled(filer, (await made(run())).id));
      return { writes, indexes };
    };
    // The start writes the head, chain, due entry and eight shards. Each shard is then ended, and finally the head, chain
    // and due entry.
    const empty = { writes: 2 * 11 + 2 * 8 + 2 * 3, indexes: {} };
    expect(await written(() => filer.close({ ...october, state: 'OH' }))).toEqual(empty);
    const entries = 80;
    await sell(filer, entries);
    // Each shard has some entries, and its last batch ends it.
    const moved = { writes: empty.writes + 4 * entries, indexes: {} };
    expect(await written(() => filer.close(october))).toEqual(moved);
    const { id } = await newestFiling(filer, { state: 'MI' });
    // Marking writes no chain at the start and at the end. For each transaction, it writes a head under 1
    // KB and an audit entry.
    expect(await written(() => filer.change(id, filed))).toEqual({
      writes: empty.writes - 2 * 2 + (2 + 2) * entries,
      indexes: { by_account: entries, by_tax_date: entries },
    });
    const { table } = await used(() => filer.filing(id));
    // The call reads the head and eight shards.
    expect(table).toBe(1 + 8);
  });
});
