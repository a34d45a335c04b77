import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { emulatorEnvironment, startEmulator } from '../../../infra/local/emulator.ts';

const host = '127.0.0.1';

// The primary process serves no requests. Workers that listen on port 0 share one free port and alternate.
const startWorkers = async (count: number) => {
  cluster.setupPrimary({ exec: fileURLToPath(new URL('worker.ts', import.meta.url)), silent: true });
  const workers = Array.from({ length: count }, () => cluster.fork());
  const ports = await Promise.all(
    workers.map(async (worker) => {
      // Standard output is reserved for results.
      for (const output of [worker.process.stdout, worker.process.stderr]) output?.pipe(process.stderr, { end: false });
      const ended = new AbortController();
      worker.once('exit', () => ended.abort(new Error('A process of the service ended before it listened.')));
      const [address] = await once(worker, 'listening', { signal: ended.signal });
      return (address as { port: number }).port;
    }),
  );
  return { workers, url: `http://${host}:${ports[0]}` };
};

/** Starts the service with a new in-memory database and an account with this limit per window. */
export const startService = async (count: number, rateLimit: number) => {
  const emulator = await startEmulator();
  // Must come before any import that reads the environment, because shared/config/environment.ts reads it once.
  Object.assign(process.env, emulatorEnvironment(emulator));
  const { newCaller } = await import('../../support/api.ts');
  const { key: apiKey } = await newCaller({ settings: { rate_limit: rateLimit } });
  const { workers, url } = await startWorkers(count);
  const stop = async () => {
    for (const worker of workers) {
      worker.process.kill();
      await once(worker, 'exit');
    }
    await emulator.stop();
  };
  return { url, apiKey, processes: workers.map(({ process: { pid } }) => pid ?? 0), stop };
};
