import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** Processes that tests and benches start. */

/** Kills a child process when this process ends, even by SIGKILL, because the pipe to the watcher then closes. */
export const killWithParent = (child: ChildProcess): void => {
  const script = `process.stdin.resume().on('end', () => process.kill(${child.pid}))`;
  const watcher = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'ignore', 'ignore'] });
  watcher.stdin?.on('error', () => {});
  watcher.on('error', () => {});
  watcher.unref();
  child.once('exit', () => watcher.kill('SIGKILL'));
};

/** Returns the CPU time of a process in milliseconds (proc_pid_stat(5); a tick is 10 ms); 0 if not on Linux. */
export const processorMs = (pid: number | undefined): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return 0;
  }
};

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The exit code and output of a command. The code is `null` after a signal. */
export type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

/** Waits for the end of a process. `watch` is called with the standard error so far. */
export const collectOutput = (
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
  watch: (err: string) => void = () => {},
): Promise<Ran & { readonly signal: NodeJS.Signals | null }> =>
  new Promise((resolve, reject) => {
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk;
      watch(err);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
  });

type Options = {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Called with the standard error so far. */
  readonly watch?: (err: string, kill: () => void) => void;
};

/**
 * Runs Node with these arguments in the project folder, as a process. Prefer `runInProcess`, which is ten times faster.
 */
export const runCommand = (
  words: readonly string[],
  { env = process.env, input = '', watch = () => {} }: Options = {},
): Promise<Ran> => {
  const child = spawn(process.execPath, [...words], { cwd: root, env });
  child.stdin.end(input);
  return collectOutput(child, (err) => watch(err, () => child.kill('SIGKILL')));
};
