/**
 * Measures the built-in local rates in a process of its own:
 * `first US-IL@2026-11-22.1 Chicago 60601`, `look-ups IL TX CA` or `memory`.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defaultSettings } from '../../accounts/account.ts';
import { calculate } from '../../calculations/calculate.ts';
import { builtInReleaseById, builtInReleaseFor, newestBuiltInReleases } from '../../content/built-in.ts';
import { readAddress, type TaxAddress } from '../../content/location/address.ts';
import { locate } from '../../content/location/place.ts';
import { unpackLines } from '../../packed/unpack.ts';
import { median } from './figure.ts';
import type { Cost } from './local-rates.ts';

const day = '2026-11-22';
const rounds = 15;

const costOf = (run: () => void): Cost => {
  const start = performance.now();
  const cpu = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(cpu);
  return { wallUs: (performance.now() - start) * 1000, cpuUs: user + system };
};

/** From a release's JSON text to the complete answer for one line, in a process that has calculated nothing yet. */
const firstCalculation = (id: string, city: string, postal_code: string): Cost => {
  // Unpacks the texts of all releases. Older releases are in a larger file, which must not count for them.
  builtInReleaseById('');
  const input = {
    customer: { address: { city, state: id.slice(3, 5), postal_code } },
    line_items: [{ product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' }],
  };
  const releaseFor = () => builtInReleaseById(id);
  let taxes = 0;
  const cost = costOf(() => {
    const context = { settings: defaultSettings(day), releaseFor, now: Date.parse(`${day}T12:00:00Z`) };
    const answer = calculate(input, context, []);
    taxes = answer.ok ? (answer.value.line_items[0]?.taxes.length ?? 0) : 0;
  });
  const hasTables = releaseFor()?.local !== undefined;
  if (taxes === 0 || taxes > 1 !== hasTables) throw new Error(`${id} returned ${taxes} taxes.`);
  return cost;
};

type StateAddresses = { readonly state: string; readonly addresses: readonly [TaxAddress, ...TaxAddress[]] };

const addressOf = (state: string, postal_code: string, city: string): TaxAddress => {
  const read = readAddress({ state, postal_code, city }, '');
  if (!read.ok) throw new Error(read.problems[0].detail);
  return read.value;
};

/** Each ZIP with its main postal place, for the states that have local tables. */
const allAddresses = (): readonly StateAddresses[] =>
  newestBuiltInReleases().flatMap(({ state: code, local }) => {
    const state = code.slice(3);
    const lines = local ? unpackLines(`zips-${local.zips}`) : [];
    const [first, ...others] = lines.map((line) => {
      const [zip5 = '', , places = ''] = line.split('~');
      return addressOf(state, zip5, places.split('|')[0] ?? '');
    });
    return first ? [{ state, addresses: [first, ...others] }] : [];
  });

const locateAll = (addresses: readonly TaxAddress[]): void => {
  for (const address of addresses) locate(address, builtInReleaseFor, day, false);
};

/** Loads the table of each state. An unknown city and county make it build its lazy indexes, too. */
const loadTables = (states: readonly StateAddresses[]): void =>
  locateAll(states.map(({ addresses: [address] }) => ({ ...address, city: 'XYZZY', county: 'XYZZY' })));

const perAddress = ({ wallUs, cpuUs }: Cost, { length }: readonly TaxAddress[]): Cost => ({
  wallUs: wallUs / length,
  cpuUs: cpuUs / length,
});

/** What one look-up takes in each of these states: the first of an address, and a repeated one. */
const lookUps = (...measured: readonly string[]) => {
  const all = allAddresses();
  loadTables(all);
  // The other states' addresses warm the code up.
  for (const { state, addresses } of all) if (!measured.includes(state)) locateAll(addresses);
  return all
    .filter(({ state }) => measured.includes(state))
    .map(({ state, addresses }) => {
      const cost = () =>
        perAddress(
          costOf(() => locateAll(addresses)),
          addresses,
        );
      const first = cost();
      const repeated = Array.from({ length: rounds }, cost);
      return {
        state,
        addresses: addresses.length,
        first,
        repeated: {
          wallUs: median(repeated.map(({ wallUs }) => wallUs)),
          cpuUs: median(repeated.map(({ cpuUs }) => cpuUs)),
        },
      };
    });
};

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heapMegabytes = (): number => {
  collect();
  return process.memoryUsage().heapUsed / 1e6;
};

/** The heap that the tables of all states take: with all of their indexes, and after a look-up of each ZIP. */
const memory = () => {
  const all = allAddresses();
  const before = heapMegabytes();
  loadTables(all);
  const loaded = heapMegabytes() - before;
  for (const { addresses } of all) locateAll(addresses);
  return { states: all.length, loaded, used: heapMegabytes() - before };
};

const [mode, ...rest] = process.argv.slice(2);
const [id = '', city = '', zip = ''] = rest;
const measures = { first: () => firstCalculation(id, city, zip), 'look-ups': () => lookUps(...rest), memory };
console.log(JSON.stringify(measures[mode as keyof typeof measures]()));
