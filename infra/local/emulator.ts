import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { createTable, createTableInput } from '../../shared/store/client/create-table.ts';
import { tables } from '../../shared/store/table-definitions.ts';
import { freePort, loopback, SetupError } from './settings.ts';

/** Creates the missing tables. Throws if an existing table does not match its current definition. */
export const createTables = async (client: DynamoDBClient): Promise<void> => {
  for (const [table, definition] of Object.entries(tables)) {
    // The names in shared/config/environment.ts, which must not be imported before its variables are set.
    const name = process.env[`TABLE_${table.toUpperCase()}`] || table;
    if ((await createTable(client, createTableInput(name, definition))) === 'differs')
      throw new SetupError(
        `The stored table ${name} was created by a different version of Levy. Set DATA_DIR to a new folder, or delete the old one.`,
      );
  }
};

export type Emulator = {
  readonly endpoint: string;
  readonly kind: 'memory' | 'given';
  /** Settles with the reason if the emulator exits unexpectedly. */
  readonly died: Promise<string>;
  readonly stop: () => Promise<void>;
};

/**
 * Returns the SDK's variables for an emulator. The developer's credentials are used only for an emulator passed by the
 * developer.
 */
export const emulatorEnvironment = ({ endpoint, kind }: Pick<Emulator, 'endpoint' | 'kind'>) => {
  const own = kind === 'given' ? process.env : {};
  return {
    DYNAMODB_ENDPOINT: endpoint,
    AWS_REGION: own['AWS_REGION'] || 'us-east-1',
    AWS_ACCESS_KEY_ID: own['AWS_ACCESS_KEY_ID'] || 'local',
    AWS_SECRET_ACCESS_KEY: own['AWS_SECRET_ACCESS_KEY'] || 'local',
  };
};

const newClient = (emulator: Emulator): DynamoDBClient => {
  const { AWS_REGION: region, ...variables } = emulatorEnvironment(emulator);
  const credentials = { accessKeyId: variables.AWS_ACCESS_KEY_ID, secretAccessKey: variables.AWS_SECRET_ACCESS_KEY };
  return new DynamoDBClient({ endpoint: emulator.endpoint, region, credentials, maxAttempts: 1 });
};

const untilReady = async (client: DynamoDBClient, { kind, endpoint }: Emulator, waitMs: number): Promise<void> => {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      await client.send(new ListTablesCommand({}));
      return;
    } catch (error) {
      if (performance.now() > deadline) {
        const reason = `${endpoint} does not respond: ${error instanceof Error ? error.message : error}.`;
        const advice = 'Start the emulator, or unset DYNAMODB_ENDPOINT to use the database of npm start.';
        throw new SetupError(kind === 'given' ? `DYNAMODB_ENDPOINT ${reason} ${advice}` : `The database ${reason}`);
      }
      await sleep(20);
    }
  }
};

const prepare = async (emulator: Emulator, waitMs: number): Promise<Emulator> => {
  const client = newClient(emulator);
  try {
    await untilReady(client, emulator, waitMs);
    await createTables(client);
    return emulator;
  } catch (error) {
    await emulator.stop();
    throw error;
  } finally {
    client.destroy();
  }
};

/** Creates a folder with its parents. The option `recursive` of Node never returns for a folder in /proc. */
const makeParents = (path: string): void => {
  if (existsSync(path)) return;
  makeParents(dirname(path));
  mkdirSync(path);
};

const makeDirectory = (path: string): void => {
  try {
    makeParents(path);
    // Throws if the path is a file.
    readdirSync(path);
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new SetupError(`DATA_DIR cannot be used: ${error instanceof Error ? error.message : error}`);
  }
};

/**
 * Starts the in-process database with the service's tables, on a free port unless one is given. It runs in a thread,
 * which ends with this process. Without a folder it keeps its data only in memory.
 */
export const startEmulator = async (port = 0, folder: string | null = null): Promise<Emulator> => {
  const usable = await freePort(port, 'DYNAMODB_PORT');
  if (folder) makeDirectory(folder);
  const workerData = { port: usable, folder };
  const worker = new Worker(new URL('./memory-database/server.ts', import.meta.url), { workerData });
  // A failure to listen or to read the folder rejects here; a later failure stops the service.
  const [message] = await once(worker, 'message');
  if (message !== 'listening') throw new SetupError(`DATA_DIR cannot be used: ${message}`);
  const died = once(worker, 'exit').then(
    () => new Promise<string>(() => {}),
    (error: unknown) => String(error),
  );
  const stop = async () => void (await worker.terminate());
  return prepare({ endpoint: `http://${loopback}:${usable}`, kind: 'memory', died, stop }, 60_000);
};

/** Uses an emulator that is already running, and creates its tables if they are missing. */
export const useEmulator = (endpoint: string, waitMs = 5_000): Promise<Emulator> =>
  prepare({ endpoint, kind: 'given', died: new Promise(() => {}), stop: async () => {} }, waitMs);
