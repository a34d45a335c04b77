import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { mutants } from './mutants.ts';
import { inWords, runSchedules, search } from './pool.ts';

/**
 * `npm run simulate`: a million schedules, or one of them with its trace.
 *
 *   --schedules N   how many, from --from on (1)
 *   --seed N        only this one, with its trace
 *   --mutant NAME   with a seeded bug, among the schedules that can find it; ends with the first one that does
 *   --workers N     number of processes; by default the number of processors
 */
const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '1000000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    mutant: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});

const mutant = values.mutant ?? null;
if (mutant !== null && !Object.hasOwn(mutants, mutant)) {
  console.error(`There is no such mutant. Mutants:\n${Object.keys(mutants).join('\n')}`);
  process.exit(2);
}

const count = (text: string, name: string): number => {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  console.error(`--${name} takes a whole number from 1.`);
  process.exit(2);
};

const replay = async (seed: number): Promise<number> => {
  const { violations, traces } = await runSchedules({ from: seed, count: 1, mutant, traced: true });
  console.log(traces.get(seed)?.join('\n'));
  console.log(
    violations.length === 0 ? `seed ${seed}: no violations.` : `seed ${seed}:\n${violations[0]?.violations.join('\n')}`,
  );
  return violations.length;
};

/** Searches for one seeded bug. Returns whether a schedule detected it. */
const find = async (name: string): Promise<boolean> => {
  const outcome = await search(name);
  const [{ seed, violations } = { seed: null, violations: [] }] = outcome.violations;
  console.log(seed === null ? `${name}: not found` : `${name}: schedule ${seed}: ${violations[0]}`);
  return seed !== null;
};

const many = async (): Promise<number> => {
  const schedules = count(values.schedules, 'schedules');
  const begun = performance.now();
  const perSecond = (done: number) => Math.round((done * 1000) / (performance.now() - begun));
  const workers = Math.min(count(values.workers, 'workers'), schedules);
  let printed = begun;
  const onProgress = (done: number) => {
    if (performance.now() - printed < 5000) return;
    printed = performance.now();
    console.log(`${done} of ${schedules} schedules, ${perSecond(done)} in a second`);
  };
  const outcome = await runSchedules({ from: count(values.from, 'from'), count: schedules, workers }, { onProgress });
  const { faults, violated } = outcome;
  console.log(
    `${outcome.schedules} schedules, ${perSecond(outcome.schedules)} in a second: ${outcome.requests} requests, ${outcome.calls} database calls.`,
  );
  console.log(
    `Faults: ${Object.entries(faults)
      .filter(([fault]) => fault !== 'none')
      .map(([fault, times]) => `${fault} ${times}`)
      .join(', ')}.`,
  );
  console.log(violated === 0 ? 'No violations.' : `${violated} schedules with violations.\n\n${inWords(outcome)}`);
  return violated;
};

/** The number of failures: of a mutant that is not found, or of schedules with violations. */
const run = async (): Promise<number> => {
  // A mutant must be found.
  if (values.seed !== undefined) return Number((await replay(count(values.seed, 'seed'))) > 0 === (mutant === null));
  return mutant === null ? many() : Number(!(await find(mutant)));
};

process.exit((await run()) === 0 ? 0 : 1);
