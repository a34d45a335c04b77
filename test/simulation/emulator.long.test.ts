import { describe, expect, it } from 'vitest';
import { inWords, runSchedules } from './pool.ts';

const patience = 600_000;

describe('the ledger on the emulator', () => {
  it(
    'keeps every promise in 1,000 schedules, in which the memory database answers every call as the emulator does',
    async () => {
      const outcome = await runSchedules({ from: 1, count: 1000, workers: 2, database: 'both', traced: true });
      expect(inWords(outcome)).toBe('');
      expect(outcome.schedules).toBe(1000);
      // What the schedules of the emulator do is what the same ones do in memory alone.
      const inMemory = await runSchedules({ from: 1, count: 300, traced: true });
      for (const [seed, trace] of inMemory.traces)
        expect({ seed, trace: outcome.traces.get(seed) }).toEqual({ seed, trace });
    },
    patience,
  );
});
