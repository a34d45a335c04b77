import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Command, CommanderError } from 'commander';
import { vi } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The exit code and output of a command. The code is `null` after a signal. */
type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

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

const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)];

/**
 * Runs a command-line program in this process, with the clock and the database client of the test. Only one can run at
 * a time.
 */
export const runInProcess = async (program: Command, args: readonly string[]): Promise<Ran> => {
  // Imported here, because a test may have reset the modules.
  const { explainError } = await import('../../shared/cli/terminal/run-command.ts');
  const output = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) => {
    const write = process[name].write.bind(process[name]);
    return vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      // The log line of a request to the API that runs in the same process.
      if (String(chunk).startsWith('{"_aws":')) return write(chunk);
      output[name] += chunk;
      return true;
    });
  });
  const exitCodeBefore = process.exitCode;
  process.exitCode = 0;
  for (const command of withSubcommands(program)) command.exitOverride();
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
    if (!(error instanceof CommanderError)) output.stderr += `${explainError(error) ?? (error as Error).stack}\n`;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  const code = Number(process.exitCode);
  process.exitCode = exitCodeBefore;
  return { code, out: output.stdout, err: output.stderr };
};

/** Runs a program as `runInProcess` does. Returns its output, or throws its error message. */
export const outputOf = async (program: Command, args: readonly string[]): Promise<string> => {
  const { code, out, err } = await runInProcess(program, args);
  if (code !== 0) throw new Error(err);
  return out;
};
