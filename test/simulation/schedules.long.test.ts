import { describe, expect, it } from 'vitest';
import { inWords, runSchedules } from './pool.ts';

const patience = 600_000;

describe('the simulated ledger', () => {
  it(
    'keeps every invariant in 20,000 schedules of requests, faults and crashes',
    async () => {
      const outcome = await runSchedules({ from: 1, count: 20_000, workers: 2 });
      expect(inWords(outcome)).toBe('');
      expect(outcome.schedules).toBe(20_000);
      // Each kind of fault occurs often.
      const befell = Object.entries(outcome.faults).filter(([, times]) => times >= 800);
      expect(befell.map(([fault]) => fault).sort()).toEqual([
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
      // A quarter of the calls; in the long schedules about filings, a twelfth.
      expect(faulted / (faulted + none)).toBeGreaterThan(0.1);
    },
    patience,
  );

  it(
    'does the same in the same schedule, whatever ran before',
    async () => {
      const [single, parallel] = await Promise.all([
        runSchedules({ from: 101, count: 150, traced: true }),
        runSchedules({ from: 101, count: 150, traced: true, workers: 3 }),
      ]);
      expect(single.traces.size).toBe(150);
      expect([...parallel.traces].sort(([a], [b]) => a - b)).toEqual([...single.traces]);
    },
    patience,
  );
});
