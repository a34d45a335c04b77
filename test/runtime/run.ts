/**
 * `npm run test:runtime`: runs every function as deployed, in AWS's runtime interface emulator with AWS's runtime
 * client for Node.js. The workflow is the same as in the deployment test, and the database is emulated. Prints a line
 * of JSON with measurements for each function, and exits with 1 if a response is wrong.
 */
import { emulatorEnvironment, startEmulator } from '../../infra/local/emulator.ts';
import { SetupError } from '../../infra/local/settings.ts';
import { temporaryFolder } from '../../shared/cli/terminal/files.ts';
import { median, rounded } from '../bench/figure.ts';
import { newRun } from '../deploy/run.ts';
import { installTools } from './install.ts';
import type { Figures, Instance } from './instance.ts';
import type { Invoke } from './rounds.ts';

const rounds = 20;
const limitMs = 15 * 60_000;

/** Init and the first response are measured in a new process; `init` includes the start of Node. */
const getLine = ({ init, responses }: Figures) => {
  const [first, ...later] = responses;
  if (!first) throw new Error('No response was measured.');
  return {
    invocations: responses.length,
    init_ms: rounded(init.init_ms),
    first_ms: rounded(first.ms),
    warm_ms: rounded(median(later.map(({ ms }) => ms))),
    cold_cpu_ms: rounded(init.init_cpu_ms + first.cpu_ms),
    warm_cpu_ms: rounded(median(later.map(({ cpu_ms }) => cpu_ms))),
    memory_mb: Math.round(Math.max(...responses.map(({ memory_mb }) => memory_mb))),
  };
};

/** Lambda's runtime writes one JSON object for each line that the function logs. */
const errorsIn = (log: string): string[] => log.split('\n').filter((line) => /"level":"(ERROR|FATAL)"/.test(line));

const runAll = async (): Promise<number> => {
  const tools = installTools();
  // Removed with all its contents, even after a signal.
  process.env['TMPDIR'] = temporaryFolder();
  const emulator = await startEmulator();
  // Must come before any import that reads the environment.
  Object.assign(process.env, emulatorEnvironment(emulator));
  const { hideBundlingLines } = await import('../../infra/app.ts');
  hideBundlingLines();
  const { deployedFunctions, startInstance } = await import('./instance.ts');
  const { runRounds } = await import('./rounds.ts');
  const deployed: ReadonlyMap<string, Parameters<typeof startInstance>[1]> = deployedFunctions();
  const instances = new Map<string, Promise<Instance>>();
  const invoke: Invoke = async (name, event, variables = {}) => {
    const own = deployed.get(name);
    if (!own) throw new Error(`The deployment has no function ${name}.`);
    const database = { DYNAMODB_ENDPOINT: process.env['DYNAMODB_ENDPOINT'] as string };
    const started = instances.get(name) ?? startInstance(tools, own, { ...database, ...variables });
    instances.set(name, started);
    return (await started).invoke(event);
  };
  const steps = newRun((line) => console.log(line));
  await runRounds(steps, invoke, rounds);
  let failed = steps.failures();
  for (const name of deployed.keys()) {
    const instance = await instances.get(name);
    const [error] = instance ? errorsIn(instance.log()) : ['It was not invoked.'];
    if (error) failed += 1;
    console.log(
      JSON.stringify({ function: name, ...(error ? { failed: error } : getLine((instance as Instance).figures())) }),
    );
    await instance?.stop();
  }
  await emulator.stop();
  console.log(JSON.stringify({ functions: deployed.size, failed }));
  return failed;
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
