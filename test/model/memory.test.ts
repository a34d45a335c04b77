import { afterAll, beforeAll, it, vi } from 'vitest';
import { answerFrom, MemoryDatabase } from '../support/memory-database.ts';
import { runModel } from './run.ts';
import { stillClock } from './world/clock.ts';
import { worldOfEvents } from './world/world.ts';

vi.mock('node:timers/promises', async (load) => (await import('./world/pauses.ts')).withoutPauses(load));

const memory = new MemoryDatabase();
let restore = () => {};

beforeAll(() => {
  stillClock();
  restore = answerFrom(memory.send);
});
afterAll(() => restore());

it('matches its model in 100 runs of up to 40 commands', { timeout: 600_000 }, async () => {
  await runModel('test/model/memory.test.ts', 100, async () => {
    memory.clear();
    return worldOfEvents(true);
  });
});
