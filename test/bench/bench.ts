/** `npm run bench`: measures the service and prints each result as a line of JSON, without comparing it to a target. */
import { Command } from 'commander';
import { emulatorEnvironment, startEmulator } from '../../infra/local/emulator.ts';
import { temporaryFolder } from '../../shared/cli/terminal/files.ts';
import { readNumber } from '../support/seeded.ts';

const { costs, filingEntries } = new Command('bench')
  .description('Measure calculations, cold starts, database use, imports and filings on this machine.')
  .option('--costs', 'measure only the figures of test/bench/cost/measured.json')
  .option('--filing-entries <n>', 'measure only a filing with this many entries', (text) =>
    readNumber('filing-entries', text),
  )
  .parse()
  .opts<{ costs?: true; filingEntries?: number }>();

const print = (figures: readonly object[]): void => {
  for (const figure of figures) console.log(JSON.stringify(figure));
};

/** Measures and prints everything, or only the results of an option. */
const run = async (emulator: string): Promise<void> => {
  // Must come after the environment is set, because shared/config/environment.ts reads it once.
  const { activateContent, calculationFigures, lookUpFigures } = await import('./calculation.ts');
  const { costMeasures, requestSteps } = await import('./database-use.ts');
  const { filingFigures } = await import('./filings.ts');
  if (costs) {
    await activateContent();
    return print([await costMeasures(3), await costMeasures(100)]);
  }
  if (filingEntries !== undefined) return print(await filingFigures(filingEntries));
  print(await calculationFigures());
  print((await import('./local-rates.ts')).localRateFigures());
  const apiKey = await (await import('../../infra/local/demo.ts')).createDemo(null);
  const { bundleFigures, coldStartFigures } = await import('./cold-start.ts');
  print(bundleFigures(temporaryFolder()));
  print(coldStartFigures(temporaryFolder(), apiKey));
  await activateContent();
  print([{ figure: 'warm_database_use', emulator, lines: 3, steps: await requestSteps(3) }]);
  print(await (await import('./admission.ts')).admissionFigures('acct_demo', apiKey));
  print(await lookUpFigures());
  print([(await import('./imports.ts')).importFigure()]);
  print(await filingFigures());
};

const emulator = await startEmulator();
try {
  Object.assign(process.env, emulatorEnvironment(emulator));
  await run(emulator.kind);
} finally {
  await emulator.stop();
}
process.exit();
