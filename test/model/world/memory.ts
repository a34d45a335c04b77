import { afterAll, beforeAll } from 'vitest';
import { answerFrom, MemoryDatabase } from '../../support/memory-database.ts';
import type { World } from '../book.ts';
import { stillClock } from './clock.ts';

/** The worlds of a test file in memory, each with an empty database and a clock that only commands move. */
export const inMemory = (newWorld: () => Promise<World>): (() => Promise<World>) => {
  const memory = new MemoryDatabase();
  let restore = () => {};
  beforeAll(() => {
    stillClock();
    restore = answerFrom(memory.send);
  });
  afterAll(() => restore());
  return () => {
    memory.clear();
    return newWorld();
  };
};
