/**
 * `npm run bench:updates`: measures `content update` as a process, with publishers and a database on this machine.
 * Prints a line of JSON for each result, without comparing it to a target.
 *
 *   --rows N   boundary rows of each Streamlined state in `update --all` (10000)
 */
import { parseArgs } from 'node:util';
import { emulatorEnvironment, startEmulator } from '../../../infra/local/emulator.ts';
import { builtInRelease } from '../../../shared/catalog/built-in.ts';
import { rateOn } from '../../../shared/catalog/rates.ts';
import { gates } from '../../../shared/importers/releases/gates.ts';
import { publishers } from '../../../shared/importers/updates/publishers.ts';
import { zipsOfState } from '../../../shared/importers/zips.ts';
import { jurisdictionCode, stateFips } from '../../../shared/vocabulary/jurisdiction.ts';
import type { TestFile } from '../../fixtures/imports/harness.ts';
import { boundaryRow, rateRow, sstFiles } from '../../fixtures/imports/sst.ts';
import { runCommand } from '../../support/child-process.ts';
import { openPublisherServer } from '../../support/publisher-server.ts';

/** Rate and boundary files of a Streamlined state as large as Minnesota's: 148 rate rows and 40,000 ZIP+4 ranges. */

const [counties, cities, districts] = [64, 73, 10] as const;
const digits = (value: number, length: number): string => String(value).padStart(length, '0');
const getCounty = (index: number): string => digits((index % counties) * 2 + 1, 3);
const getCity = (index: number): string => digits(10_000 + (index % cities) * 100, 5);
const getDistrict = (index: number): string => digits(80_000 + (index % districts), 5);
const numbered = <Value>(count: number, value: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => value(index));

/** Builds files with this many boundary rows, spread over the ZIP codes of the state. Every third range has no city. */
const largeFiles = (state: string, rows: number): readonly TestFile[] => {
  const fips = stateFips(state);
  const release = builtInRelease(state);
  const own = (release && rateOn(release, jurisdictionCode(state), '2026-11-22')?.rate) ?? '0.06';
  // Nevada's file lists the statewide rate in the county rows, not in a state row.
  const [atState, atCounty] = state === 'NV' ? ['0', '0.0685'] : [own, '0.0025'];
  const rates = [
    rateRow(fips, '45', fips, atState, '20090701'),
    ...numbered(counties, (index) => rateRow(fips, '00', getCounty(index), atCounty)),
    ...numbered(cities, (index) => rateRow(fips, '01', getCity(index), '0.0050')),
    ...numbered(districts, (index) => rateRow(fips, '63', getDistrict(index), '0.0025')),
  ];
  const zips = zipsOfState(state);
  const width = Math.max(1, Math.floor(10_000 / Math.ceil(rows / zips.length)));
  const boundaries = numbered(rows, (index) => {
    const zip = zips[index % zips.length] ?? '';
    const first = Math.floor(index / zips.length) * width;
    return boundaryRow({
      type: '4',
      zips: [zip, digits(first, 4), zip, digits(first + width - 1, 4)],
      state: fips,
      county: getCounty(index),
      ...(index % 3 > 0 && { place: getCity(index) }),
      districts: [[getDistrict(index % 7), '63']],
    });
  });
  return sstFiles(state, rates, boundaries);
};

const { values } = parseArgs({ options: { rows: { type: 'string', default: '10000' } } });
const minnesotaRows = 40_000;
const streamlined = publishers.filter(({ format }) => format === 'sst').map(({ state }) => state);

const emulator = await startEmulator();
const server = await openPublisherServer(streamlined);
const env = { ...process.env, ...emulatorEnvironment(emulator) };

/** Prints the CPU time and memory of the command at its end. */
const measured = `process.on('exit', () => console.error('usage ' + JSON.stringify(process.resourceUsage())))`;
const gateNames = gates.map(({ name }) => name).join();

/** Runs the command as `npm run content` does. Returns its standard error and the elapsed seconds. */
const update = async (...options: readonly string[]) => {
  const node = ['--max-old-space-size=256', '--import', `data:text/javascript,${encodeURIComponent(measured)}`];
  const words = ['shared/cli/content.ts', 'update', '--activate', '--override', gateNames, '--mirror', server.url];
  const start = performance.now();
  const { code, out, err } = await runCommand([...node, ...words, ...options], { env });
  // The exit code is 1 because the layout of Alaska's file is not verified.
  if (!/^\d+ imported, \d+ current, 0 failed\.$/m.test(out))
    throw new Error(`The update ended with the exit code ${code}.\n${(out + err).slice(-2000)}`);
  return { err, seconds: (performance.now() - start) / 1000 };
};

const figure = async (of: string, ...options: readonly string[]): Promise<void> => {
  const { err, seconds } = await update(...options);
  const read = [...err.matchAll(/^Read ([\d,]+) rows?$/gm)];
  const rows = read.reduce((sum, [, count = '']) => sum + Number(count.replaceAll(',', '')), 0);
  const usage = JSON.parse(/^usage (.*)$/m.exec(err)?.[1] ?? '{}');
  console.log(
    JSON.stringify({
      figure: 'update',
      of,
      rows,
      seconds: Number(seconds.toFixed(1)),
      ...(rows > 0 && { rows_per_second: Math.round(rows / seconds) }),
      cpu_seconds: Number(((usage.userCPUTime + usage.systemCPUTime) / 1e6).toFixed(1)),
      peak_megabytes: Math.round(usage.maxRSS / 1024),
    }),
  );
};

server.publish(largeFiles('MN', minnesotaRows), { pack: true });
await figure('MN, first import', '--state', 'MN');
await figure('MN, no newer files', '--state', 'MN');
for (const state of streamlined)
  if (state !== 'MN') server.publish(largeFiles(state, Number(values.rows)), { pack: true });
await figure('all states but MN, which is current', '--all');
await figure('all states, no newer files', '--all');
await server.close();
await emulator.stop();
process.exit();
