import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** How a command ended, and what it said. */
export type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

type Around = {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Sees what it has said on standard error so far. */
  readonly watch?: (err: string, kill: () => void) => void;
};

/** Run Node with these words from the project's folder to its end, as a process of its own, as an operator does. */
export const runCommand = (
  words: readonly string[],
  { env = process.env, input = '', watch = () => {} }: Around = {},
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...words], { cwd: root, env });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk;
      watch(err, () => child.kill('SIGKILL'));
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
    child.stdin.end(input);
  });
