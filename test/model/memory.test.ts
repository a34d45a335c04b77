import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { answerFrom, MemoryDatabase } from '../support/memory-database.ts';
import { isLong } from '../support/seeded.ts';
import type { Both } from './book.ts';
import { seen } from './requests.ts';
import { isRepeating, runModel } from './run.ts';
import { worldOfEvents } from './world.ts';

/**
 * Timers without contention backoff: a sleep without an abort signal ends immediately, because the model has no
 * concurrent writers. A sleep with a signal waits as usual.
 */
vi.mock('node:timers/promises', async (load) => {
  const timers = await load<typeof import('node:timers/promises')>();
  const setTimeout: typeof timers.setTimeout = async (delayMs, value, options) =>
    options?.signal ? timers.setTimeout(delayMs, value, options) : (value as NonNullable<typeof value>);
  return { ...timers, setTimeout };
});

const memory = new MemoryDatabase();
let restore = () => {};

// Only commands move the clock, so the model can predict every timestamp.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-01T00:00:00.000Z') });
  vi.spyOn(console, 'info').mockImplementation(() => {});
  restore = answerFrom(memory.send);
});

afterAll(() => {
  restore();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const newWorld = (terms: Both) => {
  memory.clear();
  return worldOfEvents(terms);
};

/** All responses to a change, and the other cases that the long runs must cover. */
const met = [
  ...['GET /transactions 200', 'GET /transactions 422 validation_invalid_cursor'],
  ...['GET /transactions/{id} 200', 'GET /transactions/{id} 404 not_found'],
  ...['GET /transactions/{id}/history 200', 'GET /transactions/{id}/history 404 not_found'],
  ...['POST /calculations 200', 'POST /calculations 409 conflict_over_credit'],
  ...['POST /transactions 201', 'POST /transactions 201 replayed', 'POST /transactions 422 idempotency_key_reused'],
  'POST /transactions 409 conflict_duplicate_reference_id',
  'POST /transactions 409 conflict_over_credit',
  'POST /transactions 409 conflict_parent_not_creditable',
  'POST /transactions 422 validation_parent_not_found',
  ...['POST /transactions/{id} 200', 'POST /transactions/{id} 200 replayed', 'POST /transactions/{id} 404 not_found'],
  'POST /transactions/{id} 409 conflict_credit_stale',
  'POST /transactions/{id} 409 conflict_draft_expired',
  'POST /transactions/{id} 409 conflict_duplicate_reference_id',
  'POST /transactions/{id} 409 conflict_has_credits',
  'POST /transactions/{id} 409 conflict_immutable_field',
  'POST /transactions/{id} 409 conflict_invalid_status_transition',
  'POST /transactions/{id} 409 conflict_over_credit',
  'POST /transactions/{id} 409 conflict_parent_not_creditable',
  'POST /transactions/{id} 409 conflict_period_closed',
  'POST /transactions/{id} 412 precondition_failed',
  'POST /transactions/{id} 422 idempotency_key_reused',
  ...['GET /filings 200', 'GET /filings/{id} 200', 'GET /filings/{id} 404 not_found'],
  ...[
    'POST /filings 200',
    'POST /filings 202',
    'POST /filings 202 replayed',
    'POST /filings 409 conflict_period_order',
  ],
  'POST /filings 409 conflict_period_not_over',
  ...['POST /filings/{id} 200', 'POST /filings/{id} 202', 'POST /filings/{id} 404 not_found'],
  'POST /filings/{id} 409 conflict_invalid_status_transition',
];

const runs = isLong ? 700 : 30;

it(`matches its model in ${runs} runs of up to 40 commands`, { timeout: 600_000 }, async () => {
  const mode = isLong ? ' --mode long' : '';
  await runModel(`npx vitest run --config test/vitest.config.ts${mode} test/model/memory.test.ts`, runs, newWorld);
  if (!isLong || isRepeating) return;
  const missing = met.filter((answer) => !seen().has(answer));
  expect(missing).toEqual([]);
});
