/** The processes of a world: the database, the service that is killed and restarted, and the operator's commands. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const loopback = '127.0.0.1';
const startMs = 120_000;
/** A start takes seconds of CPU time, so more kills would leave less time for other worlds. */
const killsMax = 3;

const children = new Set<ChildProcess>();

const track = (child: ChildProcess): ChildProcess => {
  children.add(child);
  return child.once('exit', () => children.delete(child));
};

/** Kills all processes that were started. */
export const killAll = (): void => {
  for (const child of children) child.kill('SIGKILL');
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, loopback);
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
};

const start = (words: readonly string[], env: NodeJS.ProcessEnv): ChildProcess => {
  const child = spawn(process.execPath, [...words], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  return track(child);
};

/** Waits until a server responds. Throws with the output of a process that ends before. */
const untilAnswers = async (child: ChildProcess, isUp: () => Promise<unknown>): Promise<void> => {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-20_000);
    });
  const deadline = performance.now() + startMs;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`A process ended with ${child.exitCode}:\n${output}`);
    try {
      await isUp();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`Nothing answers:\n${output}`, { cause: error });
      await sleep(50);
    }
  }
};

export type Service = {
  readonly url: string;
  /** Resolves when the service responds and its clock is set. */
  readonly ready: () => Promise<void>;
  readonly isReady: () => boolean;
  /** Kills the service with SIGKILL and restarts it immediately, at most a few times per world. */
  readonly kill: () => void;
  /** Sets the service's clock, which continues from there, even after a restart. */
  readonly setClock: (toMs: number) => Promise<void>;
  /** Returns a time that the service's clock has reached, at most a second ago. */
  readonly now: () => number;
  readonly runSchedule: (name: 'close-periods' | 'sweep-drafts') => Promise<void>;
  /** Runs `npm run <command> -- <words>` as the operator. Returns its output. */
  readonly command: (name: string, words: readonly string[]) => Promise<string>;
  readonly kills: () => number;
  readonly stop: () => Promise<void>;
};

const json = { 'Content-Type': 'application/json' };

/** Calls the service's test controls, bypassing the proxy. */
const control = async (url: string, method: string, path: string, body?: object): Promise<unknown> => {
  const answer = await fetch(`${url}/_local/${path}`, {
    method,
    signal: AbortSignal.timeout(120_000),
    ...(body && { headers: json, body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};

const startDatabase = async (
  env: NodeJS.ProcessEnv,
): Promise<{ readonly child: ChildProcess; readonly url: string }> => {
  const port = await freePort();
  const child = start(['infra/local/memory-database/server.ts', String(port)], env);
  const url = `http://${loopback}:${port}`;
  await untilAnswers(child, () => fetch(url, { method: 'POST', body: '{}' }));
  return { child, url };
};

const environment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(['PATH', 'HOME', 'TMPDIR'].map((name) => [name, process.env[name]])),
  NODE_COMPILE_CACHE: `${root}node_modules/.cache/levy/compiled`,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
});

/**
 * Starts the database, and the service as `npm start` does. Like DynamoDB, the database is a separate process, so it
 * and its stream survive the kills of the service.
 */
export const startService = async (): Promise<Service> => {
  const database = await startDatabase(environment());
  const port = await freePort();
  const url = `http://${loopback}:${port}`;
  const env = { ...environment(), DYNAMODB_ENDPOINT: database.url };
  let [child, offsetMs, isUp, isStopped, kills] = [null as ChildProcess | null, null as number | null, false, false, 0];
  let failure: unknown = null;
  const setClock = async (toMs: number): Promise<void> => {
    const sentMs = Date.now();
    await control(url, 'PUT', 'clock', { now: new Date(toMs).toISOString() });
    offsetMs = toMs - sentMs - 1000;
  };
  const run = async (): Promise<void> => {
    const service = start(['infra/local/start.ts'], { ...env, PORT: String(port), API_KEY: 'levy_attack' });
    child = service;
    await untilAnswers(service, () => control(url, 'GET', 'clock'));
    if (offsetMs !== null) await setClock(Date.now() + offsetMs + 1000);
    isUp = true;
    service.once('exit', () => {
      isUp = false;
      if (!isStopped) restart();
    });
  };
  const restart = (): void => {
    run().catch((error) => {
      failure = error;
    });
  };
  await run();
  return {
    url,
    isReady: () => isUp,
    ready: async () => {
      while (!isUp) {
        if (failure !== null) throw failure;
        await sleep(20);
      }
    },
    kill: () => {
      if (!isUp || kills === killsMax) return;
      kills += 1;
      isUp = false;
      child?.kill('SIGKILL');
    },
    setClock,
    now: () => Date.now() + (offsetMs ?? 0),
    runSchedule: async (name) => void (await control(url, 'POST', `schedules/${name}`)),
    command: async (name, words) => {
      const running = promisify(execFile)(process.execPath, [`shared/cli/${name}.ts`, ...words], { cwd: root, env });
      track(running.child);
      const ran = await running;
      return ran.stdout;
    },
    kills: () => kills,
    stop: async () => {
      isStopped = true;
      for (const one of [child, database.child]) {
        if (!one || one.exitCode !== null || one.signalCode !== null) continue;
        one.kill('SIGKILL');
        await once(one, 'exit');
      }
    },
  };
};
