import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { createTables } from './create-tables.ts';
import {
  chosenKind,
  type EmulatorKind,
  type EmulatorProcess,
  killWithParent,
  makeDirectory,
  startEmulatorProcess,
} from './emulator-process.ts';
import { freePort, loopback } from './ports.ts';
import { SetupError } from './setup-error.ts';

export type Emulator = {
  readonly endpoint: string;
  readonly kind: EmulatorKind | 'memory' | 'given';
  /** Settles with the reason when the emulator ends unexpectedly. */
  readonly died: Promise<string>;
  readonly stop: () => Promise<void>;
};

/** The SDK's variables for an emulator. The developer's own credentials are used for a given emulator only. */
export const emulatorEnvironment = ({ endpoint, kind }: Emulator) => {
  const own = kind === 'given' ? process.env : {};
  return {
    DYNAMODB_ENDPOINT: endpoint,
    AWS_REGION: own['AWS_REGION'] || 'us-east-1',
    AWS_ACCESS_KEY_ID: own['AWS_ACCESS_KEY_ID'] || 'local',
    AWS_SECRET_ACCESS_KEY: own['AWS_SECRET_ACCESS_KEY'] || 'local',
  };
};

const clientOf = (emulator: Emulator): DynamoDBClient => {
  const { AWS_REGION: region, ...variables } = emulatorEnvironment(emulator);
  const credentials = {
    accessKeyId: variables.AWS_ACCESS_KEY_ID,
    secretAccessKey: variables.AWS_SECRET_ACCESS_KEY,
  };
  return new DynamoDBClient({ endpoint: emulator.endpoint, region, credentials, maxAttempts: 1 });
};

const untilReady = async (client: DynamoDBClient, waitMs: number, died: Promise<string>): Promise<void> => {
  const ended = { reason: null as string | null };
  died.then((reason) => Object.assign(ended, { reason }));
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      await client.send(new ListTablesCommand({}));
      return;
    } catch (error) {
      if (ended.reason) throw new SetupError(`The DynamoDB emulator did not start: ${ended.reason}.`);
      if (performance.now() > deadline)
        throw new SetupError(`No DynamoDB emulator answers: ${error instanceof Error ? error.message : error}`);
      await sleep(20);
    }
  }
};

const prepare = async (emulator: Emulator, waitMs: number): Promise<Emulator> => {
  const client = clientOf(emulator);
  try {
    await untilReady(client, waitMs, emulator.died);
    await createTables(client);
    return emulator;
  } catch (error) {
    await emulator.stop();
    throw error;
  } finally {
    client.destroy();
  }
};

const supervise = ({ kind, child }: EmulatorProcess, port: number): Emulator => {
  let isStopping = false;
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => resolve(signal ? `it was ended by ${signal}` : `it exited with code ${code}`));
  });
  const endChild = () => void child.kill();
  process.once('exit', endChild);
  killWithParent(child);
  return {
    endpoint: `http://${loopback}:${port}`,
    kind,
    died: new Promise((resolve) => ended.then((reason) => !isStopping && resolve(reason))),
    stop: async () => {
      isStopping = true;
      process.off('exit', endChild);
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const force = setTimeout(() => child.kill('SIGKILL'), 5_000);
      child.kill();
      await once(child, 'exit');
      clearTimeout(force);
    },
  };
};

type Options = {
  readonly port?: number;
  readonly dataDirectory?: string | null;
  /** The default is `EMULATOR`, or the best emulator of the platform. */
  readonly kind?: EmulatorKind | 'memory';
};

/** Serve the memory database from a thread, which ends with this process. */
const startMemoryDatabase = async (port: number, folder: string | null): Promise<Emulator> => {
  if (folder) makeDirectory(folder);
  const worker = new Worker(new URL('./memory-database/server.ts', import.meta.url), { workerData: { port, folder } });
  // A failure to listen or to read the folder rejects here; a later one ends the service.
  await once(worker, 'message');
  return {
    endpoint: `http://${loopback}:${port}`,
    kind: 'memory',
    died: once(worker, 'exit').then(
      () => new Promise<string>(() => {}),
      (error: unknown) => String(error),
    ),
    stop: async () => void (await worker.terminate()),
  };
};

/** Start a database with the service's tables, on any free port unless one is given. */
export const startEmulator = async ({ port = 0, dataDirectory = null, kind }: Options = {}): Promise<Emulator> => {
  const usable = await freePort(port, 'DYNAMODB_PORT');
  const chosen = kind ?? chosenKind(dataDirectory);
  if (chosen === 'memory') return prepare(await startMemoryDatabase(usable, dataDirectory), 60_000);
  return prepare(supervise(await startEmulatorProcess(chosen, usable, dataDirectory), usable), 60_000);
};

/** Use an emulator that is already running, and create its tables if they are missing. */
export const useEmulator = (endpoint: string): Promise<Emulator> =>
  prepare({ endpoint, kind: 'given', died: new Promise(() => {}), stop: async () => {} }, 5_000);
