import { expect, it } from 'vitest';
import { askBatches, batchesFrom, requestsIn } from './http-bad-input/run.ts';

// The second half: two workers run them side by side.
const batches = batchesFrom(50, 100);

it(`${requestsIn(batches)} invalid requests of every kind each have a documented response`, {
  timeout: 600_000,
}, async () => {
  const { wrong, answered } = await askBatches(batches);
  expect(wrong.slice(0, 12).join('\n\n')).toBe('');
  expect(answered).toBe(requestsIn(batches));
});
