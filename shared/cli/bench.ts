/** `npm run bench`: prints each figure as a line of JSON. It measures and judges nothing: a shared machine decides too. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emulatorEnvironment, startEmulator } from '../../infra/local/emulator.ts';
import { buildBundles } from './bench/bundles.ts';
import { calculationFigures } from './bench/calculation.ts';
import type { Figure } from './bench/figure.ts';
import { importFigures } from './bench/imports.ts';

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

const databaseFigures = async (folder: string): Promise<void> => {
  const emulator = await startEmulator();
  try {
    // Before anything that reads the environment is imported: it is read once (shared/config/environment.ts).
    Object.assign(process.env, emulatorEnvironment(emulator));
    const { createDemo } = await import('../../infra/local/demo.ts');
    const { firstRequest, coldStartFigures } = await import('./bench/cold-start.ts');
    const { databaseCallFigures } = await import('./bench/database-calls.ts');
    const { lookUpFigures } = await import('./bench/look-ups.ts');
    const { filingFigures } = await import('./bench/filings.ts');
    const { writeCostFigures } = await import('./bench/write-costs.ts');
    const apiKey = await createDemo(null);
    print(coldStartFigures(folder, firstRequest(apiKey)));
    print(await databaseCallFigures(apiKey, emulator.kind));
    print(await writeCostFigures(apiKey, emulator.kind));
    print(await lookUpFigures());
    print(await filingFigures());
  } finally {
    await emulator.stop();
  }
};

// First, while nothing else is loaded or running.
print(calculationFigures());
const folder = temporaryFolder();
print(buildBundles(folder));
print(importFigures(folder));
await databaseFigures(folder);
process.exit();
