/** Run as a program, this module makes one measurement in a new process and prints it: `first IL Chicago 60601`. */
import { setTimeout } from 'node:timers/promises';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { calculate } from '../../shared/calculations/calculate.ts';
import { builtInReleaseFor, builtInReleases } from '../../shared/catalog/built-in.ts';
import { readAddress, type TaxAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { accepted } from '../../shared/cli/terminal/run-command.ts';
import { unpackLines } from '../../shared/packed/unpack.ts';
import { type Figure, heapMeter, inNewProcess, median, rounded } from './figure.ts';

/** An address in each large state, in a city with a local rate. */
const largeStates = [
  ['IL', 'Chicago', '60601'],
  ['TX', 'Houston', '77002'],
  ['CA', 'Los Angeles', '90012'],
] as const;
const day = '2026-11-22';
const rounds = 20;
const warmUps = 2;

/** CPU time of all threads, which depends less on the machine's load than wall time. */
const cpuMicroseconds = (run: () => void): number => {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return user + system;
};

/** Measures from the packed release to the complete response for one line, in a process without earlier calculations. */
const firstCalculation = (state: string, city: string, postal_code: string): number => {
  const input = {
    customer: { address: { city, state, postal_code } },
    line_items: [{ product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' }],
  };
  let taxes = 0;
  const us = cpuMicroseconds(() => {
    const now = Date.parse(`${day}T12:00:00Z`);
    const context = { settings: defaultSettings(day), releaseFor: builtInReleaseFor, now };
    taxes = accepted(calculate(input, context, [])).line_items[0]?.taxes.length ?? 0;
  });
  if (taxes < 2) throw new Error(`${state} returned ${taxes} taxes.`);
  return us;
};

/** Returns each ZIP code with its main postal place, by state with local tables. */
const allAddresses = (): ReadonlyMap<string, readonly TaxAddress[]> =>
  new Map(
    builtInReleases().flatMap(({ state: code, local }) => {
      const state = code.slice(3);
      const addresses = (local ? unpackLines(`zips-${state}`) : []).map((line) => {
        const [postal_code = '', , , names = ''] = line.split('~');
        return accepted(readAddress({ state, postal_code, city: names.split(/[|=:]/)[0] ?? '' }, ''));
      });
      return addresses.length > 0 ? [[state, addresses]] : [];
    }),
  );

const locateAll = (addresses: readonly TaxAddress[]): void => {
  for (const address of addresses) locate(address, builtInReleaseFor, day, false);
};

/** Loads the tables of every state. An unknown city and county make the look-up build its lazy indexes. */
const loadTables = (states: ReadonlyMap<string, readonly TaxAddress[]>): void =>
  locateAll(
    [...states.values()].flatMap(([address]) => (address ? [{ ...address, city: 'XYZZY', county: 'XYZZY' }] : [])),
  );

/** CPU time of the calling thread, without the threads of the garbage collector and the compiler. */
const threadMicroseconds = (run: () => void): number => {
  const start = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(start);
  return user + system;
};

/**
 * Measures the heap size of the tables of all states, with all indexes and after a look-up of each ZIP code, and the
 * look-ups of each ZIP code: of a new address, and repeated.
 */
const tables = (): Figure[] => {
  const all = allAddresses();
  const addresses = [...all.values()].flat();
  const heapMegabytes = heapMeter();
  const start = heapMegabytes();
  loadTables(all);
  const loaded = heapMegabytes() - start;
  const mean = () => threadMicroseconds(() => locateAll(addresses)) / addresses.length;
  const first = mean();
  const lookedUp = heapMegabytes() - start;
  const repeated = median(Array.from({ length: 15 }, mean));
  return [
    {
      figure: 'local_rates_look_up',
      of: 'ZIP and city',
      addresses: addresses.length,
      not_cached_mean_cpu_us: rounded(first),
      cached_mean_cpu_us: rounded(repeated),
    },
    {
      figure: 'local_rates_memory',
      of: 'heap after garbage collection',
      states: all.size,
      tables_megabytes: rounded(loaded),
      with_each_zip_looked_up_megabytes: rounded(lookedUp),
    },
  ];
};

/** Measures the first calculation of a new process in each large state. */
const firstCalculations = (): Figure[] =>
  largeStates.map(([state, city, zip]) => {
    const measure = () => inNewProcess<number>('local-rates.ts', ['first', state, city, zip]) / 1000;
    const all = Array.from({ length: warmUps + rounds }, measure).slice(warmUps);
    return { figure: 'local_rates_first_calculation', of: state, rounds, cpu_milliseconds: rounded(median(all)) };
  });

/** Measures the first calculation in a state with local rates, their look-ups and their heap size. */
export const localRateFigures = (): Figure[] => [
  ...firstCalculations(),
  ...inNewProcess<Figure[]>('local-rates.ts', ['tables']),
];

if (import.meta.main) {
  const [mode = '', state = '', city = '', zip = ''] = process.argv.slice(2);
  // Waits until other threads have compiled the tool that strips types from the modules.
  if (mode === 'first') await setTimeout(500);
  console.log(JSON.stringify(mode === 'first' ? firstCalculation(state, city, zip) : tables()));
}
