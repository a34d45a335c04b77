import { afterAll, beforeAll, it, vi } from 'vitest';
import { answerFrom, MemoryDatabase } from '../support/memory-database.ts';
import { runModel } from './run.ts';
import { stillClock } from './world/clock.ts';
import { worldOfWires } from './world/world.ts';

vi.mock('node:timers/promises', async (load) => (await import('./world/pauses.ts')).withoutPauses(load));

const memory = new MemoryDatabase();
let restore = () => {};

beforeAll(() => {
  stillClock();
  restore = answerFrom(memory.send);
});
afterAll(() => restore());

it('does what its model does through the gateway’s socket too, in 100 runs of up to 40 commands', async () => {
  await runModel('test/model/wire.long.test.ts', 100, async () => {
    memory.clear();
    return worldOfWires();
  });
}, 600_000);
