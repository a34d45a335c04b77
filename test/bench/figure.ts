import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Bench } from 'tinybench';

/** One line of the bench's output. All other keys end with their unit. */
export type Figure = { readonly figure: string } & Readonly<Record<string, string | number>>;

/** Returns the median; for an even number of values, the lower of the two middle values. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

/** Rounds to three significant digits or an integer. */
export const rounded = (value: number): number => (value >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

/** Returns the median and minimum duration of each function in microseconds, by name. */
export const measureMicroseconds = async (runs: Readonly<Record<string, () => unknown>>) => {
  const bench = new Bench({ time: 900, warmupTime: 500, throws: true });
  for (const [name, run] of Object.entries(runs)) bench.add(name, run);
  const tasks = await bench.run();
  return tasks.map(({ name, result }) => {
    if (result.state !== 'completed') throw new Error(`${name} was not measured: ${result.state}`);
    return { name, median: result.latency.p50 * 1000, least: result.latency.min * 1000 };
  });
};

/** Runs a module of the bench in a new process and returns the JSON that it prints. */
export const inNewProcess = <Value>(module: string, args: readonly string[]): Value => {
  // NODE_OPTIONS, NODE_COMPILE_CACHE and NODE_V8_COVERAGE would change how Node starts.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_')));
  const path = fileURLToPath(new URL(module, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${module} failed: ${stdout}${stderr}`);
  return JSON.parse(stdout);
};

/** Returns a function that collects garbage and returns the size of the heap in megabytes. */
export const heapMeter = (): (() => number) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => {
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
};
