/**
 * `npm run attack`: runs random months against the local service, one world after another until the time is up. Each
 * world has a seed; the first violation ends the run.
 *
 *   --minutes N   how long (10)
 *   --seed N      the seed of the first world (1); the next ones follow it
 *   --worlds N    how many worlds at most
 */
import { inspect, parseArgs } from 'node:util';
import { killAll } from './processes.ts';
import { runWorld, type Summary } from './run-world.ts';
import { Violation } from './violation.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    worlds: { type: 'string', default: '1000000' },
  },
});

const count = (name: 'minutes' | 'seed' | 'worlds'): number => {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number > 0) return number;
  console.error(`--${name} takes a whole number from 1.`);
  process.exit(2);
};
const [minutes, first, worlds] = [count('minutes'), count('seed'), count('worlds')];

// A world that hangs is also a failure.
const worldMs = 15 * 60_000;

process.on('exit', killAll);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

const fail = (seed: number, error: unknown): never => {
  console.log(`seed ${seed}: ${error instanceof Violation ? error.message : inspect(error)}`);
  console.log(`Repeat it: npm run attack -- --seed ${seed} --worlds 1`);
  process.exit(1);
};
process.on('uncaughtException', (error) => fail(current, error));

const inWords = ({ requests, kills, tallies }: Summary): string => {
  const sums = new Map<string, number>();
  for (const tally of tallies)
    for (const [name, number] of Object.entries(tally)) sums.set(name, (sums.get(name) ?? 0) + number);
  return [`${requests} requests, ${kills} kills`, ...[...sums].map(([name, sum]) => `${sum} ${name}`)].join(', ');
};

const begun = performance.now();
const seconds = (sinceMs: number) => Math.round((performance.now() - sinceMs) / 1000);
let current = first;
let ran = 0;
for (; ran < worlds && performance.now() - begun < minutes * 60_000; ran += 1, current += 1) {
  const started = performance.now();
  const timer = setTimeout(() => fail(current, 'The world does not end.'), worldMs);
  const summary = await runWorld(current).catch((error) => fail(current, error));
  clearTimeout(timer);
  console.log(`seed ${current}: clean, ${inWords(summary)}, ${seconds(started)} s`);
}
console.log(`${ran} worlds without a violation in ${seconds(begun)} s.`);
process.exit(0);
