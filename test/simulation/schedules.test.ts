import { describe, expect, it } from 'vitest';
import { inWords, runSchedules } from './pool.ts';

// Minutes, where everything else runs at the same time on a slow machine.
const patience = 600_000;

describe('the ledger, whatever happens in whatever order', () => {
  it(
    'keeps every promise in 20,000 schedules of requests, faults and crashes',
    async () => {
      const outcome = await runSchedules({ from: 1, count: 20_000, workers: 2 });
      expect(inWords(outcome)).toBe('');
      expect(outcome.schedules).toBe(20_000);
      // All that can go wrong did, and often.
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
    'does the same in the same schedule, whatever ran before it',
    async () => {
      const [one, other] = await Promise.all([
        runSchedules({ from: 101, count: 150, traced: true }),
        runSchedules({ from: 101, count: 150, traced: true, workers: 3 }),
      ]);
      expect(one.traces.size).toBe(150);
      expect([...other.traces].sort(([a], [b]) => a - b)).toEqual([...one.traces]);
    },
    patience,
  );
});
