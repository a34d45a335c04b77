import { it, vi } from 'vitest';
import { runModel } from './run.ts';
import { inMemory } from './world/memory.ts';
import { worldOfEvents } from './world/world.ts';

vi.mock('node:timers/promises', async (load) => (await import('./world/pauses.ts')).withoutPauses(load));

const newWorld = inMemory(worldOfEvents);

it('matches its model in 30 runs of up to 40 commands', { timeout: 600_000 }, async () => {
  await runModel('test/model/memory.test.ts', 30, newWorld);
});
