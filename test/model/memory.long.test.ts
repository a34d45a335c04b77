import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { MemoryDatabase, responseFrom } from '../support/memory-database.ts';
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
  restore = responseFrom(memory.send);
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

/** All responses to a change, and the other cases that the runs must cover. */
const met = readFileSync(new URL('responses.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

const runs = 500;

it(`matches its model in ${runs} runs of up to 40 commands`, { timeout: 600_000 }, async () => {
  await runModel('npm run test:long -- test/model/memory.long.test.ts', runs, newWorld);
  if (isRepeating) return;
  const missing = met.filter((response) => !seen().has(response));
  expect(missing).toEqual([]);
});
