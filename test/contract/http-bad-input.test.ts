import { expect, it } from 'vitest';
import { askBatches, batchesFrom, requestsIn } from './http-bad-input/run.ts';

// The first half of 50,000; http-bad-input-more.long.test.ts asks the others beside it.
const batches = batchesFrom(0, 50);

it(`${requestsIn(batches)} invalid requests of every kind each have a documented response`, {
  timeout: 600_000,
}, async () => {
  const { wrong, answered } = await askBatches(batches);
  expect(wrong.slice(0, 12).join('\n\n')).toBe('');
  expect(answered).toBe(requestsIn(batches));
});
