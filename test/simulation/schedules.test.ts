import { expect, it } from 'vitest';
import { inWords, runSchedules } from './pool.ts';

it('keeps every invariant in 300 schedules of requests, faults and crashes', { timeout: 600_000 }, async () => {
  const outcome = await runSchedules({ from: 1, count: 300, workers: 2 });
  expect(inWords(outcome)).toBe('');
  expect(outcome.schedules).toBe(300);
});
