import { afterAll, beforeAll } from 'vitest';
import { answerFrom, MemoryDatabase } from '../../support/memory-database.ts';
import type { Both, World } from '../book.ts';
import { stillClock } from './clock.ts';

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
