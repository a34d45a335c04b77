import { beforeAll, expect, it } from 'vitest';
import { admissionFigures } from '../bench/admission.ts';
import type { Figure } from '../bench/figure.ts';
import { newCaller } from '../support/api.ts';

// Five minutes of the service's clock. Keys and accounts are cached for a minute, and a rate-limit window is ten
// seconds.
const requests = 3000;
let figures: readonly Figure[];

beforeAll(async () => {
  const { account, key } = await newCaller();
  figures = await admissionFigures(account.id, key);
});

it.each([
  { at: 0, of: 'API key', readsPerMinute: 2 },
  { at: 1, of: 'bearer token, RS256', readsPerMinute: 1 },
  { at: 2, of: 'bearer token, ES256', readsPerMinute: 1 },
])('$of: at least 90 % of the requests need no database call for authentication and rate limit', (expected) => {
  const figure = figures[expected.at] as Figure;
  expect(figure['of']).toBe(expected.of);
  expect(Number(figure['requests_without_call_percent'])).toBeGreaterThanOrEqual(90);
  // At least one lease per window, and one read of the account per minute.
  expect(Number(figure['writes_per_request'])).toBeGreaterThanOrEqual(30 / requests);
  const reads = Math.round(Number(figure['reads_per_request']) * requests);
  expect(reads).toBeGreaterThanOrEqual(5);
  expect(reads).toBeLessThanOrEqual(expected.readsPerMinute * 6);
  expect(Number(figure['median_us'])).toBeGreaterThan(0);
});
