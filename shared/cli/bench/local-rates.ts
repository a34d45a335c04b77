import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packedFiles } from '../../packed/pack.ts';
import { type Figure, median, rounded } from './figure.ts';

/** Microseconds of wall time, and of CPU time of all threads. A machine with other work stretches the CPU time less. */
export type Cost = Readonly<Record<'wallUs' | 'cpuUs', number>>;

const probe = fileURLToPath(new URL('local-rates-probe.ts', import.meta.url));

/** An address in each large state: the city has a local rate. */
const largeStates = [
  ['IL', 'Chicago', '60601'],
  ['TX', 'Houston', '77002'],
  ['CA', 'Los Angeles', '90012'],
] as const;
/** The newest releases without local tables, and the first ones with them. */
const editions = ['2026-11-21.1', '2026-11-22.1'] as const;
const rounds = 20;
const warmUps = 2;

const measure = <Measured>(...args: readonly string[]): Measured => {
  const { stdout, stderr } = spawnSync(process.execPath, [probe, ...args], { encoding: 'utf8' });
  if (stdout === '') throw new Error(`A measurement of the local rates failed: ${stderr}`);
  return JSON.parse(stdout);
};

const sizeFigure = (): Figure => {
  const bytes = (pattern: RegExp) =>
    packedFiles.filter(({ name }) => pattern.test(name)).reduce((sum, { path }) => sum + statSync(path).size, 0);
  return {
    figure: 'local_rates_packed',
    of: 'tables of all states',
    kilobytes: rounded(bytes(/^(rates|zips)-/) / 1000),
    rates_kilobytes: rounded(bytes(/^rates-/) / 1000),
    zips_kilobytes: rounded(bytes(/^zips-/) / 1000),
  };
};

const medianMs = (costs: readonly Cost[], key: keyof Cost): number => median(costs.map((cost) => cost[key])) / 1000;

/** The first calculation of a fresh process in a state, with and without local tables. The variants take turns. */
const firstCalculationFigures = (): Figure[] => {
  const variants = largeStates.flatMap(([state, city, zip]) =>
    editions.map((edition) => ({ state, edition, args: ['first', `US-${state}@${edition}`, city, zip] })),
  );
  const rows = Array.from({ length: warmUps + rounds }, () => variants.map(({ args }) => measure<Cost>(...args)));
  const costsOf = (state: string, edition: string): Cost[] => {
    const column = variants.findIndex((variant) => variant.state === state && variant.edition === edition);
    return rows.slice(warmUps).map((row) => row[column] as Cost);
  };
  return largeStates.map(([state]) => {
    const [before, after] = [costsOf(state, editions[0]), costsOf(state, editions[1])];
    const more = (key: keyof Cost) => medianMs(after, key) - medianMs(before, key);
    return {
      figure: 'local_rates_first_calculation',
      of: `${state}@${editions[1]} to ${state}@${editions[0]}`,
      rounds,
      cpu_milliseconds: rounded(medianMs(after, 'cpuUs')),
      more_cpu_milliseconds: rounded(more('cpuUs')),
      milliseconds: rounded(medianMs(after, 'wallUs')),
      more_milliseconds: rounded(more('wallUs')),
    };
  });
};

type LookUps = Readonly<Record<'first' | 'repeated', Cost>> & { readonly state: string; readonly addresses: number };

const lookUpFigures = (): Figure[] =>
  measure<LookUps[]>('look-ups', ...largeStates.map(([state]) => state)).flatMap(({ state, addresses, ...costs }) =>
    (['first', 'repeated'] as const).map((which) => ({
      figure: 'local_rates_look_up',
      of: `${state}, ZIP and city, ${which === 'first' ? 'not cached' : 'cached'}`,
      addresses,
      mean_cpu_us: rounded(costs[which].cpuUs),
      mean_us: rounded(costs[which].wallUs),
    })),
  );

const memoryFigure = (): Figure => {
  const { states, loaded, used } = measure<Record<'states' | 'loaded' | 'used', number>>('memory');
  return {
    figure: 'local_rates_memory',
    of: 'heap after garbage collection',
    states,
    tables_megabytes: rounded(loaded),
    with_each_zip_looked_up_megabytes: rounded(used),
  };
};

/** The size of the built-in local rates, what they add to the first calculation in a state, and their look-ups. */
export const localRateFigures = (): Figure[] => [
  sizeFigure(),
  ...firstCalculationFigures(),
  ...lookUpFigures(),
  memoryFigure(),
];
