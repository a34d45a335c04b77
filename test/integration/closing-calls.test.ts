import type { Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { handlers } from '../../infra/local/handlers.ts';
import { now } from '../../shared/config/clock.ts';
import { closingFigures } from '../bench/closing.ts';
import { newCaller } from '../support/api.ts';
import { callCounts } from '../support/count-calls.ts';
import { filerOf } from '../support/filings.ts';
import { later, made } from '../support/sales.ts';

/** The calls of a run of the schedule, by command. */
const callsOfRun = () =>
  callCounts(() => handlers.schedules['close-periods']({}, { getRemainingTimeInMillis: () => 240_000 } as Context), {
    accounts: true,
  });

// One query of unfinished filings, eight of the due index, and the position of the sweep.
const idle = { GetItem: 1, Query: 9 };

it("makes ten calls in an idle run, and eleven more and its page's for a due period without entries", async () => {
  const registrations = [{ state: 'MI', from: '2020-01-01', to: null, frequency: 'month' as const }];
  const lastMonth = new Date(now());
  lastMonth.setUTCDate(1);
  lastMonth.setUTCHours(12);
  const age = now() - lastMonth.setUTCMonth(lastMonth.getUTCMonth() - 1);
  // The days of review of every month before this one are over.
  const caller = await later(-age, () => newCaller({ settings: { registrations, review_days: 0 } }));
  const first = await callsOfRun();
  expect((await made(filerOf(caller).filings())).data.map(({ status }) => status)).toEqual(['closed']);
  expect(await callsOfRun()).toEqual(idle);
  // The accounts of the page, and the due index once more. The chain, eight shards, and the filing's beginning and end.
  const page = { BatchGetItem: 1, Query: 8 };
  const period = { BatchGetItem: 1, Query: 8, TransactWriteItems: 2 };
  // The register, its accounts, their chains, first days and entries, and the new position.
  const sweep = { BatchGetItem: 3, Query: 1, PutItem: 1 };
  const all = [idle, page, period, sweep];
  const sum = (name: string) => all.reduce((total, calls) => total + ((calls as Record<string, number>)[name] ?? 0), 0);
  expect(first).toEqual(Object.fromEntries(Object.keys(first).map((name) => [name, sum(name)])));
  expect(Object.values(period).reduce((a, b) => a + b)).toBe(11);
});

it('many accounts: an idle run makes at most 20 calls, and a period at most 12 beyond its entries', async () => {
  const figures = new Map((await closingFigures(80)).map((figure) => [figure.figure, figure]));
  expect(figures.get('closing_idle_run')).toMatchObject({ accounts: 80, states: 24, calls: 10 });
  const due = figures.get('closing_due_periods');
  expect(due).toMatchObject({ accounts: 80, entries: 120 });
  expect(Number(due?.['calls_beyond_entries_per_account'])).toBeLessThanOrEqual(12);
  expect(Number(due?.['calls_per_account'])).toBeGreaterThan(12);
});
