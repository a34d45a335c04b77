import { expect, it } from 'vitest';
import { askBatches, batchesFrom, requestsIn } from './http-bad-input/run.ts';

// 2,000 of 12,000; `npm run test:long` sends the others.
const batches = process.env['MODE'] === 'long' ? batchesFrom(4, 24) : batchesFrom(0, 4);

it(`${requestsIn(batches)} invalid requests each get a response that the OpenAPI document describes`, {
  timeout: 600_000,
}, async () => {
  const { wrong, answered } = await askBatches(batches);
  expect(wrong.slice(0, 12).join('\n\n')).toBe('');
  expect(answered).toBe(requestsIn(batches));
});
