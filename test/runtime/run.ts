/**
 * `npm run test:runtime`: every function as it is deployed, in AWS's runtime interface emulator with AWS's runtime
 * client for Node.js, with realistic events against the database emulator. It prints a line of JSON with measurements
 * for each function, and exits with 1 if a response is wrong.
 */
import { emulatorEnvironment, startEmulator } from '../../infra/local/emulator.ts';
import { SetupError } from '../../infra/local/settings.ts';
import { temporaryFolder } from '../../shared/cli/terminal/temporary-folder.ts';
import type { FunctionTest } from './functions.ts';
import { installTools, type Tools } from './install.ts';
import type { Deployed } from './instance.ts';
import { type Figures, startInstance } from './instance.ts';
import type { World } from './world.ts';

const warmTimes = 20;
const limitMs = 15 * 60_000;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const rounded = (value: number): number => Number(value.toPrecision(3));

/** Init and the first response are measured in a new process; `init` includes the start of Node. */
const getLine = ({ init, answers }: Figures, warm: number) => {
  const [first, ...later] = answers.slice(0, warm + 1);
  if (!first || later.length !== warm) throw new Error(`${answers.length} answers were measured.`);
  return {
    init_ms: rounded(init.init_ms),
    first_ms: rounded(first.ms),
    warm_ms: rounded(median(later.map(({ ms }) => ms))),
    cold_cpu_ms: rounded(init.init_cpu_ms + first.cpu_ms),
    warm_cpu_ms: rounded(median(later.map(({ cpu_ms }) => cpu_ms))),
    memory_mb: Math.round(Math.max(...answers.map(({ memory_mb }) => memory_mb))),
  };
};

/** Lambda's runtime writes one JSON object for each line that the function logs. */
const errorsIn = (log: string): string[] => log.split('\n').filter((line) => /"level":"(ERROR|FATAL)"/.test(line));

const measure = async (tools: Tools, deployed: Deployed, test: FunctionTest, world: World) => {
  const { name, warm = warmTimes, environment, prepare, run, after } = test;
  const database = { DYNAMODB_ENDPOINT: process.env['DYNAMODB_ENDPOINT'] as string };
  const instance = await startInstance(tools, deployed, { ...database, ...environment?.(world) });
  world.use(name, instance);
  try {
    for (let at = 0; at <= warm; at += 1) await run(world, at, (await prepare?.(world, at)) ?? '');
    await after?.(world);
    const [error] = errorsIn(instance.log());
    if (error) throw new Error(`It logged an error: ${error}`);
    return { function: name, ...getLine(instance.figures(), warm) };
  } finally {
    await instance.stop();
  }
};

const runAll = async (): Promise<number> => {
  const tools = installTools();
  // Removed with all its contents, even after a signal.
  process.env['TMPDIR'] = temporaryFolder();
  const emulator = await startEmulator();
  // Must come before any import that reads the environment.
  Object.assign(process.env, emulatorEnvironment(emulator));
  const { hideBundlingLines } = await import('../../infra/app.ts');
  hideBundlingLines();
  const { deployedFunctions } = await import('./instance.ts');
  const { functionTests } = await import('./functions.ts');
  const { openWorld } = await import('./world.ts');
  const deployed = deployedFunctions();
  const world = await openWorld();
  let failed = 0;
  const untested = new Set<string>(deployed.keys());
  for (const test of functionTests) {
    untested.delete(test.name);
    try {
      console.log(JSON.stringify(await measure(tools, deployed.get(test.name) as Deployed, test, world)));
    } catch (error) {
      failed += 1;
      console.log(JSON.stringify({ function: test.name, failed: (error as Error).message }));
    }
  }
  for (const name of untested) console.log(JSON.stringify({ function: name, failed: 'It has no test.' }));
  await world.close();
  await emulator.stop();
  const functions = functionTests.length + untested.size;
  console.log(JSON.stringify({ functions, failed: failed + untested.size }));
  return failed + untested.size;
};

setTimeout(() => {
  console.error(`test:runtime did not end within ${limitMs / 60_000} minutes.`);
  process.exit(1);
}, limitMs).unref();

try {
  process.exit((await runAll()) === 0 ? 0 : 1);
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}
