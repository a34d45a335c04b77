/** The service of a load run. As a worker process, it serves the local gateway and functions on the shared port. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { emulatorEnvironment, startEmulator } from '../../../infra/local/emulator.ts';

const host = '127.0.0.1';

if (cluster.isWorker) {
  const { createGateway } = await import('../../../infra/local/gateway.ts');
  const { handlers } = await import('../../../infra/local/handlers.ts');
  const server = createGateway({ handlers });
  // Longer than any pause of the generator.
  server.keepAliveTimeout = 120_000;
  server.listen(0, host);
  // Exits without a signal, so `--cpu-prof` writes its profile.
  for (const end of ['SIGTERM', 'disconnect'] as const) process.once(end, () => process.exit());
}

// The primary process serves no requests. Workers that listen on port 0 share one free port and alternate.
const startWorkers = async (count: number) => {
  cluster.setupPrimary({ exec: fileURLToPath(import.meta.url), silent: true });
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
