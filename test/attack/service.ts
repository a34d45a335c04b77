import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../infra/local/settings.ts';
import { now } from '../../shared/config/clock.ts';
import { killWithParent, root } from '../support/child-process.ts';

const startMs = 120_000;

export type Service = Awaited<ReturnType<typeof startService>>;

/** Calls the service's controls once. */
const controlOnce = async (url: string, method: string, path: string, body?: object): Promise<unknown> => {
  const response = await fetch(`${url}/_local/${path}`, {
    method,
    signal: AbortSignal.timeout(startMs),
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

/**
 * Starts the service as `npm start` does, on the database of this process's environment, as a process that can be
 * killed. Its clock is the clock of this process, and advances only when the test moves it.
 */
export const startService = async () => {
  const port = await freePort(0, 'PORT');
  const url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, PORT: String(port), API_KEY: 'levy_attack' };
  // Only the controls move the clock.
  const still = `data:text/javascript,Date.now = () => ${Date.now()}`;
  let [child, output, kills, isStopped] = [null as ChildProcess | null, '', 0, false];
  const setClockOnce = () => controlOnce(url, 'PUT', 'clock', { now: new Date(now()).toISOString() });
  const start = async (): Promise<void> => {
    const words = ['--import', still, 'infra/local/start.ts'];
    const service = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    child = service;
    killWithParent(service);
    for (const stream of [service.stdout, service.stderr])
      stream.on('data', (chunk: Buffer) => {
        output = `${output}${chunk}`.slice(-20_000);
      });
    for (const deadline = performance.now() + startMs; ; await sleep(50)) {
      if (service.exitCode !== null || performance.now() > deadline) throw new Error(`The service fails:\n${output}`);
      if (await setClockOnce().catch(() => null)) return;
    }
  };
  let ready = start();
  await ready;
  /** Calls `/_local/…`, again after a kill. Returns the response. */
  const control = async (method: string, path: string, body?: object): Promise<unknown> => {
    for (;;) {
      await ready;
      const before = kills;
      try {
        return await controlOnce(url, method, path, body);
      } catch (error) {
        // The service was killed during the call.
        if (kills === before) throw error;
      }
    }
  };
  return {
    url,
    control,
    /** Resolves when the service responds. */
    ready: () => ready,
    /** Sets the service's clock to the clock of this process. */
    setClock: async () => void (await control('PUT', 'clock', { now: new Date(now()).toISOString() })),
    /** Kills the service with SIGKILL and restarts it. */
    kill: () => {
      if (isStopped) return;
      kills += 1;
      child?.kill('SIGKILL');
      ready = start();
    },
    kills: () => kills,
    stop: () => {
      isStopped = true;
      child?.kill('SIGKILL');
    },
  };
};
