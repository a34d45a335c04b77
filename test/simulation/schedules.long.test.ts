import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { inWords, mutants, runSchedules, search } from './pool.ts';

it('finds the text that each seeded bug replaces exactly once in the service', () => {
  const shared = new URL('../../shared/', import.meta.url);
  const names = readdirSync(shared, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const source = names.map((name) => readFileSync(new URL(name, shared), 'utf8')).join('\n');
  const others = Object.entries(mutants).filter(([, { patches }]) =>
    patches.some(({ find }) => source.split(find).length !== 2),
  );
  expect(others.map(([name]) => name)).toEqual([]);
  expect(Object.keys(mutants).length).toBeGreaterThan(60);
});

test.for(Object.keys(mutants))('finds %s in 5,000 schedules of its kind', { timeout: 600_000 }, async (mutant) =>
  expect(inWords(await search(mutant), mutant)).not.toBe(''),
);

const timeout = 600_000;
const count = 1800;

it(`keeps every invariant in ${count} schedules of requests, faults and crashes`, { timeout }, async () => {
  const outcome = await runSchedules({ from: 1, count, workers: 2 });
  expect(inWords(outcome)).toBe('');
  expect(outcome.schedules).toBe(count);
  // Each kind of fault occurs often: 300 times in 8,000 schedules.
  const frequent = Object.entries(outcome.faults).filter(([, times]) => times >= (300 / 8000) * outcome.schedules);
  expect(frequent.map(([fault]) => fault).sort()).toEqual([
    'conflict',
    'crash after',
    'crash before',
    'lost after',
    'lost before',
    'none',
    'server error after',
    'server error before',
    'slow',
    'stale index',
    'throttled',
    'throttled transaction',
  ]);
  const { none = 0, 'stale index': _, ...faults } = outcome.faults;
  const faulted = Object.values(faults).reduce((sum, times) => sum + times, 0);
  // A quarter of the calls fail, and a twelfth in the long schedules of filings.
  expect(faulted / (faulted + none)).toBeGreaterThan(0.1);
});

it('keeps every invariant if work on a filing is interrupted at any database call', { timeout }, async () => {
  const outcome = await runSchedules({ from: 1, count: 1e6, every: 1, workers: 2, atEveryCall: true });
  expect(outcome.violations.slice(0, 5)).toEqual([]);
  expect(outcome.schedules).toBeGreaterThan(1000);
});

it('reproduces a schedule exactly: alone, after others, in parallel and at another speed', { timeout }, async () => {
  const listTraces = async (order: Parameters<typeof runSchedules>[0]) => {
    const { traces } = await runSchedules({ ...order, traced: true });
    return [...traces].sort(([a], [b]) => a - b);
  };
  // These schedules include schedules about filings, with redactions, and with varied accounts.
  const some = { from: 101, count: 60 };
  const [single, parallel, dawdling, alone] = await Promise.all([
    listTraces(some),
    listTraces({ ...some, workers: 2 }),
    listTraces({ ...some, dawdles: true }),
    listTraces({ from: 160, count: 1 }),
  ]);
  expect(single).toHaveLength(60);
  expect(parallel).toEqual(single);
  expect(dawdling).toEqual(single);
  expect(alone).toEqual(single.slice(-1));
});
