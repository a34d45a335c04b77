import { afterAll, beforeAll, vi } from 'vitest';
import { answerFrom, MemoryDatabase } from '../../support/memory-database.ts';
import type { Both, World } from '../book.ts';

const start = '11-01T00:00:00.000Z';

/**
 * Returns the milliseconds to the next 1 November. Every run starts on 1 November, so it has the same month ends when
 * it is repeated alone.
 */
export const untilStart = (nowMs: number): number => {
  const year = new Date(nowMs).getUTCFullYear();
  const [here, next] = [year, year + 1].map((one) => Date.parse(`${one}-${start}`)) as [number, number];
  return (here >= nowMs ? here : next) - nowMs;
};

/**
 * Stops the clock unless a command moves it, so the model can predict every timestamp. It only moves forward, even
 * across runs: ids sort by time.
 */
export const stillClock = (): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`2026-${start}`) });
  vi.spyOn(console, 'info').mockImplementation(() => {});
};

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The worlds of a test file in memory, each with an empty database and a clock that only commands move. */
export const inMemory = (newWorld: (terms: Both) => Promise<World>): ((terms: Both) => Promise<World>) => {
  const memory = new MemoryDatabase();
  let restore = () => {};
  beforeAll(() => {
    stillClock();
    restore = answerFrom(memory.send);
  });
  afterAll(() => restore());
  return (terms) => {
    memory.clear();
    return newWorld(terms);
  };
};
