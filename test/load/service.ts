import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { emulatorEnvironment, startEmulator } from '../../infra/local/emulator.ts';

export type LoadedService = {
  readonly port: number;
  readonly host: string;
  readonly apiKey: string;
  readonly processes: readonly number[];
  readonly stop: () => Promise<void>;
};

const host = '127.0.0.1';

const provision = async (rateLimit: number): Promise<string> => {
  const { newApiKey } = await import('../../shared/accounts/api-key.ts');
  const { newAccount } = await import('../../shared/accounts/account.ts');
  const { currentVersion } = await import('../../shared/http/versions.ts');
  const { provisionAccount } = await import('../../shared/store/accounts/account-store.ts');
  const { provisionKey } = await import('../../shared/store/accounts/api-key-store.ts');
  const account = newAccount({
    name: 'Load',
    serviceVersion: currentVersion,
    createdMs: Date.now(),
    settings: { rate_limit: rateLimit },
  });
  await provisionAccount(account);
  const secret = newApiKey();
  await provisionKey({ account: account.id, secret, scopes: ['read', 'write'], expires_at: null });
  return secret;
};

// A cluster's workers that listen on port 0 get one free port together, and the connections in turn.
const startWorkers = async (count: number): Promise<{ port: number; workers: Worker[] }> => {
  cluster.setupPrimary({ exec: fileURLToPath(new URL('worker.ts', import.meta.url)), silent: true });
  const workers = Array.from({ length: count }, () => cluster.fork());
  // What the service logs is no figure.
  for (const { process: served } of workers)
    for (const output of [served.stdout, served.stderr]) output?.pipe(process.stderr, { end: false });
  const addresses = await Promise.all(
    workers.map(async (worker) => {
      const ended = once(worker, 'exit').then(() => {
        throw new Error('A process of the service ended before it listened.');
      });
      const [address] = await Promise.race([once(worker, 'listening'), ended]);
      ended.catch(() => {});
      return address as { port: number };
    }),
  );
  return { port: addresses[0]?.port ?? 0, workers };
};

/** Start the service over a fresh database in memory, with an account that may send so much in ten seconds. */
export const startService = async (workers: number, rateLimit: number): Promise<LoadedService> => {
  const emulator = await startEmulator();
  // Before anything that reads the environment is imported: it is read once (shared/config/environment.ts).
  Object.assign(process.env, emulatorEnvironment(emulator));
  const apiKey = await provision(rateLimit);
  const started = await startWorkers(workers);
  return {
    host,
    port: started.port,
    apiKey,
    processes: started.workers.map(({ process: { pid } }) => pid ?? 0),
    stop: async () => {
      await Promise.all(
        started.workers.map(async (worker) => {
          worker.process.kill();
          await once(worker, 'exit');
        }),
      );
      await emulator.stop();
    },
  };
};
