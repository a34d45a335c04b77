import { expect, it } from 'vitest';
import { askBatches, batchesFrom, requestsIn } from './http-bad-input/run.ts';

// Those that http-bad-input.test.ts does not send.
const batches = batchesFrom(10, 100);

it(`${requestsIn(batches)} invalid requests each get a response that the OpenAPI document describes`, {
  timeout: 600_000,
}, async () => {
  const { wrong, answered } = await askBatches(batches);
  expect(wrong.slice(0, 12).join('\n\n')).toBe('');
  expect(answered).toBe(requestsIn(batches));
});
