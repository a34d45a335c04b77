import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { readNumber } from '../support/seeded.ts';
import { inWords, mutants, runSchedules, search } from './pool.ts';

/**
 * `npm run simulate`: a million schedules, or one of them with its trace.
 *
 *   --schedules N   how many
 *   --seed N        only this one, with its trace
 *   --mutant NAME with a seeded bug, until the first schedule that detects it
 */
const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '1000000' },
    seed: { type: 'string' },
    mutant: { type: 'string' },
  },
});

const mutant = values.mutant ?? null;
if (mutant !== null && !Object.hasOwn(mutants, mutant)) {
  console.error(`There is no such mutant. Mutants:\n${Object.keys(mutants).join('\n')}`);
  process.exit(2);
}

const replay = async (seed: number): Promise<number> => {
  const { violations, traces } = await runSchedules({ from: seed, count: 1, mutant, traced: true });
  console.log(traces.get(seed)?.join('\n'));
  console.log(
    violations.length === 0 ? `seed ${seed}: no violations.` : `seed ${seed}:\n${violations[0]?.violations.join('\n')}`,
  );
  return violations.length;
};

/** Searches for one seeded bug. Returns how many schedules detected it. */
const find = async (name: string): Promise<number> => {
  const { violations } = await search(name);
  console.log(violations.length === 0 ? `${name}: not found` : inWords({ violations }, name));
  return violations.length;
};

const many = async (schedules: number): Promise<number> => {
  const begun = performance.now();
  const workers = Math.min(availableParallelism(), schedules);
  const outcome = await runSchedules({ from: 1, count: schedules, workers });
  const perSecond = Math.round((schedules * 1000) / (performance.now() - begun));
  const { requests, calls, violations } = outcome;
  console.log(`${schedules} schedules, ${perSecond} per second: ${requests} requests, ${calls} database calls.`);
  console.log(
    violations.length === 0
      ? 'No violations.'
      : `${violations.length} schedules with violations.\n\n${inWords(outcome)}`,
  );
  return violations.length;
};

const found =
  values.seed !== undefined
    ? await replay(readNumber('seed', values.seed))
    : mutant === null
      ? await many(readNumber('schedules', values.schedules))
      : await find(mutant);
// A seeded bug must be found.
process.exit(found > 0 === (mutant !== null) ? 0 : 1);
