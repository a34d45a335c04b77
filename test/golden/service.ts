/** The local service as a process, its clock, its schedules and the operator's commands. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

const environment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(['PATH', 'HOME', 'TMPDIR'].map((name) => [name, process.env[name]])),
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  NODE_COMPILE_CACHE: `${root}node_modules/.cache/levy/compiled`,
});

const addressesOf = async (child: ChildProcess): Promise<{ readonly url: string; readonly database: string }> => {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  for (;;) {
    const [url, database] = ['Levy', 'Database'].map((name) => new RegExp(`^${name} +(\\S+)`, 'm').exec(output)?.[1]);
    if (url && database) return { url, database };
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}:\n${output}`);
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), once(child, 'exit')]);
  }
};

export type Service = {
  readonly url: string;
  /** Set the clock to the minute of every recorded instant, on a day. It runs on from there. */
  readonly setDay: (day: string) => Promise<void>;
  readonly runSchedule: (name: 'close-periods' | 'sweep-drafts') => Promise<void>;
  /** Create an account, and return its id and a key. */
  readonly createAccount: (settings: readonly string[]) => Promise<{ readonly id: string; readonly key: string }>;
  readonly createKey: (account: string, words: readonly string[]) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** Start the service on free ports with an empty database in memory. */
export const startService = async (): Promise<Service> => {
  const env = { ...environment(), EMULATOR: 'memory', PORT: '0', DYNAMODB_PORT: '0' };
  const child = spawn(process.execPath, ['infra/local/start.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  const { url, database } = await addressesOf(child);
  const control = async (method: string, path: string, body?: object): Promise<void> => {
    const headers = { 'Content-Type': 'application/json' };
    const sent = body ? { method, headers, body: JSON.stringify(body) } : { method };
    const answer = await fetch(`${url}/_local/${path}`, sent);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  };
  const accounts = async (...words: readonly string[]) => {
    const options = { cwd: root, env: { ...environment(), DYNAMODB_ENDPOINT: database } };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['shared/cli/accounts.ts', ...words, '--json'],
      options,
    );
    return JSON.parse(stdout);
  };
  return {
    url,
    setDay: (day) => control('PUT', 'clock', { now: `${day}T16:20:00.000Z` }),
    runSchedule: (name) => control('POST', `schedules/${name}`),
    createAccount: async (settings) => {
      const words = ['--name', 'Golden', '--key', 'read,write', '--expires', 'never', 'books_open_from=2023-01-01'];
      const { id, key } = await accounts('create', ...words, ...settings);
      return { id, key: key.secret };
    },
    createKey: async (account, words) => (await accounts('keys', 'create', '--account', account, ...words)).secret,
    stop: async () => {
      process.off('exit', end);
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
};
