/**
 * `npm run bench`: prints each figure as a line of JSON. It measures and judges nothing: a shared machine decides too.
 *
 *   --filing-entries N   only how long a filing of so many entries takes, and what it holds in memory
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { emulatorEnvironment, startEmulator } from '../../infra/local/emulator.ts';
import { buildBundles } from './bench/bundles.ts';
import { calculationFigures } from './bench/calculation.ts';
import type { Figure } from './bench/figure.ts';
import { importFigures } from './bench/imports.ts';
import { localRateFigures } from './bench/local-rates.ts';

const print = (figures: readonly Figure[]): void => {
  for (const figure of figures) console.log(JSON.stringify(figure));
};

/** A folder that is gone when this process is, also after Ctrl-C: `exit` comes after every end but SIGKILL. */
const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'levy-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  return folder;
};

type Emulator = Awaited<ReturnType<typeof startEmulator>>;

const onEmulator = async (measure: (emulator: Emulator) => Promise<void>): Promise<void> => {
  const emulator = await startEmulator();
  try {
    // Before anything that reads the environment is imported: it is read once (shared/config/environment.ts).
    Object.assign(process.env, emulatorEnvironment(emulator));
    await measure(emulator);
  } finally {
    await emulator.stop();
  }
};

const filingsOf = async (entries?: number): Promise<void> => {
  const { filingFigures } = await import('./bench/filings.ts');
  print(await filingFigures(entries));
};

const databaseFigures = (folder: string): Promise<void> =>
  onEmulator(async ({ kind }) => {
    const { createDemo } = await import('../../infra/local/demo.ts');
    const { firstRequest, coldStartFigures } = await import('./bench/cold-start.ts');
    const { databaseCallFigures } = await import('./bench/database-calls.ts');
    const { admissionFigures } = await import('./bench/admission.ts');
    const { lookUpFigures } = await import('./bench/look-ups.ts');
    const { writeCostFigures } = await import('./bench/write-costs.ts');
    const apiKey = await createDemo(null);
    print(coldStartFigures(folder, firstRequest(apiKey)));
    print(await databaseCallFigures(apiKey, kind));
    print(await admissionFigures('acct_demo', apiKey));
    print(await writeCostFigures(apiKey, kind));
    print(await lookUpFigures());
    await filingsOf();
  });

const allFigures = async (): Promise<void> => {
  // First, while nothing else is loaded or running.
  print(calculationFigures());
  print(localRateFigures());
  const folder = temporaryFolder();
  print(buildBundles(folder));
  print(importFigures(folder));
  await databaseFigures(folder);
};

const { values } = parseArgs({ options: { 'filing-entries': { type: 'string', default: '0' } } });
const filingEntries = Number(values['filing-entries']);
if (!Number.isSafeInteger(filingEntries)) {
  console.error('--filing-entries takes a whole number.');
  process.exit(2);
}
if (filingEntries > 0) await onEmulator(() => filingsOf(filingEntries));
else await allFigures();
process.exit();
