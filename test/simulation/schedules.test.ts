import { expect, it } from 'vitest';
import { inWords, runSchedules } from './pool.ts';

it('keeps every invariant in 2,000 schedules of requests, faults and crashes', { timeout: 600_000 }, async () => {
  const outcome = await runSchedules({ from: 1, count: 2000, workers: 2 });
  expect(inWords(outcome)).toBe('');
  expect(outcome.schedules).toBe(2000);
});
