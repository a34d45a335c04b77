import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { collectOutput, root } from '../support/child-process.ts';
import { Failed } from './run.ts';

export { root };

type Options = {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Default: 15 minutes. */
  readonly seconds?: number;
};

const running = new Set<ChildProcess>();

/** Ends a process and its children. Each process that this test starts leads its own process group. */
const kill = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The process has already ended.
  }
};

/** Starts a process that `stopAll` ends. Its output is written to a file. */
export const start = (command: string, args: readonly string[], log: string, { env, cwd = root }: Options) => {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const file = createWriteStream(log, { flags: 'a' });
  child.stderr.pipe(file, { end: false });
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    // Remaining children, such as function processes.
    kill(child, 'SIGKILL');
  });
  return { child, file };
};

/** Ends all processes that this test started. */
export const stopAll = async (): Promise<void> => {
  for (const child of running) kill(child, 'SIGTERM');
  for (let tries = 0; tries < 50 && running.size > 0; tries++) await new Promise((resolve) => setTimeout(resolve, 100));
  for (const child of running) kill(child, 'SIGKILL');
};

export type Commands = ReturnType<typeof commandsIn>;

/** Runs commands and writes their output to files in a folder. */
export const commandsIn = (folder: string) => {
  let count = 0;
  /**
   * Runs a command and returns its standard output. If the exit code is not 0, throws an error with the end of the
   * output.
   */
  return async (command: string, args: readonly string[], options: Options = {}): Promise<string> => {
    count += 1;
    const log = join(folder, `command-${String(count).padStart(3, '0')}.log`);
    const { child, file } = start(command, args, log, options);
    child.stdin.end();
    child.stdout.pipe(file, { end: false });
    const { seconds = 900 } = options;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      kill(child, 'SIGKILL');
    }, seconds * 1000);
    const { code, signal, out, err } = await collectOutput(child).finally(() => clearTimeout(timer));
    if (code === 0) return out;
    const tail = `${out}\n${err}`.trim().split('\n').slice(-25).join('\n');
    const how = late ? `did not end within ${seconds} s` : `ended with ${code ?? signal}`;
    throw new Failed(`${[command, ...args].join(' ')} ${how}:\n${tail}`);
  };
};
