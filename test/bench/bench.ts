/** `npm run bench`: measures the service and prints each result as a line of JSON, without comparing it to a target. */
import { Command, InvalidArgumentError } from 'commander';
import { emulatorEnvironment, startEmulator } from '../../infra/local/emulator.ts';

const getCount = (text: string): number => {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('Pass a whole number from 1.');
  return Number(text);
};

/** `1000,10000` */
const getCounts = (text: string): number[] => text.split(',').map(getCount);

const { costs, filingEntries, lists } = new Command('bench')
  .description('Measure calculations, cold starts, database use, imports and filings on this machine.')
  .option('--costs', 'measure only the figures of test/bench/cost/measured.json')
  .option('--filing-entries <n>', 'measure only a filing with this many entries', getCount)
  .option('--lists [n,...]', 'measure only filtered lists, in ledgers of so many transactions', getCounts)
  .parse()
  .opts<{ costs?: true; filingEntries?: number; lists?: true | number[] }>();

const emulator = await startEmulator();
try {
  // Must come before any import that reads the environment, because shared/config/environment.ts reads it once.
  Object.assign(process.env, emulatorEnvironment(emulator));
  const { runBench } = await import('./run.ts');
  await runBench(emulator.kind, { costs, filingEntries, lists });
} finally {
  await emulator.stop();
}
process.exit();
