import { it, vi } from 'vitest';
import { runModel } from './run.ts';
import { inMemory } from './world/memory.ts';
import { worldOfWires } from './world/world.ts';

vi.mock('node:timers/promises', async (load) => (await import('./world/pauses.ts')).withoutPauses(load));

const newWorld = inMemory(worldOfWires);

it('matches its model through the gateway’s socket in 40 runs of up to 40 commands', async () => {
  await runModel('test/model/wire.long.test.ts', 40, newWorld);
}, 600_000);
