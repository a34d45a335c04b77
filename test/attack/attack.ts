/**
 * `npm run attack`: runs the commands of the model test against the local service as a process, one scenario after
 * another until the time is up. Each scenario (a `World`) has a seed; the first difference ends the run.
 *
 *   --minutes N   how long (10)
 *   --seed N the seed of the first scenario (1); later scenarios increment it
 *   --worlds N the maximum number of scenarios
 */
import { parseArgs } from 'node:util';
import { emulatorEnvironment, startEmulator } from '../../infra/local/emulator.ts';
import { readNumber, seeded } from '../support/seeded.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    worlds: { type: 'string', default: '1000000' },
  },
});

const count = (name: 'minutes' | 'seed' | 'worlds'): number => readNumber(name, values[name]);
const [minutes, first, worlds] = [count('minutes'), count('seed'), count('worlds')];
const runsOfWorld = 6;

const emulator = await startEmulator();
// Must come before any import that reads the environment, because shared/config/environment.ts reads it once.
Object.assign(process.env, emulatorEnvironment(emulator));
const startMs = Date.now();
Date.now = () => startMs;
const { runModel } = await import('../model/run.ts');
const { openNetwork } = await import('./network.ts');
const { startService } = await import('./service.ts');
const { attackedWorld } = await import('./world.ts');

const service = await startService();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
process.on('exit', service.stop);

const begun = performance.now();
const seconds = (sinceMs: number) => Math.round((performance.now() - sinceMs) / 1000);
let ran = 0;
for (; ran < worlds && performance.now() - begun < minutes * 60_000; ran += 1) {
  const [seed, started, kills] = [first + ran, performance.now(), service.kills()];
  const network = await openNetwork(service, seeded(seed));
  try {
    await runModel(`npm run attack -- --seed ${seed} --worlds 1`, runsOfWorld, attackedWorld(service, network), seed);
  } catch (error) {
    console.log(`seed ${seed}: ${(error as Error).message}`);
    process.exit(1);
  }
  network.close();
  console.log(
    `seed ${seed}: clean, ${network.count()} requests, ${service.kills() - kills} kills, ${seconds(started)} s`,
  );
}
console.log(`${ran} worlds without a difference in ${seconds(begun)} s.`);
process.exit(0);
